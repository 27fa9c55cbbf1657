"""products: matrix products in C++ (cuda_tile/loops/products.h)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ir import Block, Operation, Scalar, Tile, Value
from ..lower.memory import unsigned_scalar
from ..lower.translation import Translation
from ..lower.types import element, tile
from ..reading import attribute, operand, operands_of, value_element, value_shape
from .contraction import (
    Factor,
    Product,
    find_products,
    line_of,
    may_share,
    uniform_values,
)
from .effects import Effects
from .groups import Uses
from .places import Place, Places
from .stages import Nest
from .stored_sums import StoredSums, find_stored_sums
from .variables import Variables


class _StoredPlace(NamedTuple):
    """C++: whether sums are made where they are stored, the first of them, and the distance of their rows."""

    condition: str
    origin: str
    step: str


class Products:
    """Writes the products of a kernel for which there is a rule.

    reasons:    why there is none for the others, by the identity of their operations
    count:      how many were written
    variables:  values that are held in variables which nothing else is held in
    """

    def __init__(
        self,
        translator: Translation,
        uses: Uses,
        variables: Variables,
        body: Block,
        by_operation: Callable[[list[Operation]], None],
    ):
        self.translator, self.uses, self.body = translator, uses, body
        self.variables: set[int] = set()
        self.count = 0
        self._contraction = find_products(body, uses, variables)
        self.reasons = self._contraction.reasons
        self._by_operation = by_operation
        self._uniform = uniform_values(body)
        self._shared = 0  # how many numbers of shared memory are taken
        self._names: dict[int, str] = {}  # of what holds packed factors, by the identity of the product
        stored = find_stored_sums(body, self._contraction, uses)
        self._stored = {id(each.loop): each for each in stored}
        self._contraction.absorbed |= {id(op) for each in stored for op in [each.store, *each.before]}
        self._places: dict[int, _StoredPlace] = {}  # of sums that may be made where they are stored

    def left(self, ops: list[Operation]) -> list[Operation]:
        """The operations that products do not stand for."""
        return [op for op in ops if id(op) not in self._contraction.absorbed]

    def has_rule(self, op: Operation) -> bool:
        return id(op) in self._contraction.found

    def place_of(self, value: Value) -> Value:
        """The value whose variable gets this one: of a sum that is made in place, the addend."""
        product = next((p for p in self._contraction.found.values() if value in p.op.results), None)
        if product is None or not product.in_place or product.begins is not None:
            return value
        if len(self.uses.users.get(id(value), ())) != 1:
            return value
        return operand(product.op, "acc")

    def write(self, op: Operation) -> None:
        product = self._contraction.found[id(op)]
        self.count += 1
        if product.carried is None:
            self._alone(product)
            return
        name = self.translator.names[operand(op, "acc")]
        self._add(product, self._names[id(op)], name)
        self.translator.names.alias(op.results[0], name)

    def begin(self, loop: Operation) -> None:
        """Writes what a loop needs before it."""
        shares = may_share(self.body, loop)
        for product in self._contraction.carried_by(loop):
            if product.begins is not None and id(product.begins) in self._contraction.absorbed:
                self.translator.names.alias(product.begins.results[0], "")  # the variable needs no value
            self._names[id(product.op)] = self._declare(product)
            if shares:
                self._share(product, loop)
        for product in self._contraction.repeated_by(loop):
            factors = (product.left, product.right) if shares else ()
            sides = [f for f in factors if self._line(product, f, loop) is not None]
            if sides or product.same:
                self._names[id(product.op)] = self._declare(product)
            if sides:
                self._share(product, loop)
        if id(loop) in self._stored:
            self._begin_stored(self._stored[id(loop)])

    def end(self, loop: Operation) -> None:
        for product in self._contraction.carried_by(loop):
            assert product.carried is not None
            sums = self.translator.names[loop.results[product.carried]]
            place = self._place_of_sums(product, sums)
            self.translator.line(f"{self._names[id(product.op)]}.finish({place});")
        if id(loop) in self._stored:
            stored = self._stored[id(loop)]
            with self.translator.names.block(f"if (!{self._places[id(stored.product.op)].condition})"):
                self._by_operation([stored.store])

    def _begin_stored(self, stored: StoredSums) -> None:
        """Whether sums are made where they are stored, and where that is."""
        self._by_operation(stored.before)
        places = Places(self.translator, stored.nest)
        place, factors = places.of(stored.access), (stored.product.left, stored.product.right)
        views = [self.translator.views[id(operand(f.access.op, "view"))] for f in factors if f.access]
        tests = places.apart_from(place, views)
        for bound in place.bounds:  # a dimension of one element is along no axis
            extents = [stored.nest.axes.extents[axis] for axis in bound.factors]
            tests.append(f"{bound.size} <= 0" if bound.is_least else f"{bound.size} >= {math.prod(extents)}")
        rows, _ = stored.nest.axes.of(stored.access.value)
        step = place.steps[rows[0]] if rows else "0"
        columns = value_shape(stored.access.value)[1]
        tests.append(f"{columns} <= {step} && {step} <= loops::most_between_rows")
        name = self.translator.fresh("apart")
        self.translator.line(f"bool const {name} = {' && '.join(tests)};")
        self._places[id(stored.product.op)] = _StoredPlace(name, place.origin, step)

    def _place_of_sums(self, product: Product, tile_name: str) -> str:
        """The first of a product's sums and the distance of their rows, for product_sums."""
        if id(product.op) not in self._places:
            return f"{tile_name}.slots"
        condition, origin, step = self._places[id(product.op)]
        columns = value_shape(product.op.results[0])[-1]
        return f"{condition} ? {origin} : {tile_name}.slots, {condition} ? {step} : {columns}"

    def _line(self, product: Product, factor: Factor, loop: Operation) -> list[tuple[int, Value]] | None:
        """Which blocks may pack a factor for each other. A product of its own has a number in each round."""
        if value_shape(operand(product.op, "acc"))[:-2] not in ((), (1,)):
            return None
        return line_of(factor, loop, self._uniform, ends=product.carried is not None)

    def _share(self, product: Product, loop: Operation) -> None:
        """Lets blocks pack a factor for each other, where several pack the same."""
        names = self.translator.names
        for side, factor in (("left", product.left), ("right", product.right)):
            line = self._line(product, factor, loop)
            if line is None:
                continue
            assert factor.access is not None
            view = self.translator.views[id(operand(factor.access.op, "view"))]
            extents = [view.tensor.extents[axis] for axis in view.kind.axes]
            at = "loops::line{0, 1}"
            for d, value in line:
                index = unsigned_scalar(self.translator, value)
                at += f".and_then({index}, {extents[d]}, {view.kind.steps[d]})"
            if product.carried is not None:
                sign = "unsigned" if attribute(loop, "unsignedCmp", False) else "signed"
                bounds = ", ".join(names[value] for value in operands_of(loop)[:3])
                steps = f"tileir::rounds<tileir::as_{sign}>({bounds})"
            else:
                along = [d for d in range(len(extents)) if d not in dict(line)]
                steps = " * ".join(f"(({extents[d]} - 1) / {view.kind.steps[d]} + 1)" for d in along) or "1"
            name = self._names[id(product.op)]
            self.translator.line(
                f"{name}.share_{side}({self.take_shared()}, {at}, static_cast<long long>({steps}));"
            )

    def take_shared(self) -> int:
        """The next number of memory that blocks share."""
        self._shared += 1
        return self._shared - 1

    # --- one product ---

    def _declare(self, product: Product) -> str:
        """Declares what holds the packed factors of a product; returns its name."""
        lhs, rhs, sums = (value_shape(operand(product.op, name)) for name in ("lhs", "rhs", "acc"))
        kinds = [element(value_element(product.op.results[0]))]
        kinds += [_element(product, product.left, "lhs", True), _element(product, product.right, "rhs", True)]
        sizes = [math.prod(sums[:-2]), sums[-2], rhs[-1], lhs[-1]]
        together, zero = product.carried is not None, product.begins is not None
        given = ", ".join([*kinds, *map(str, sizes), str(together).lower()])
        name = self.translator.fresh("products")
        self.translator.line(f"loops::product_sums<{given}> {name}({str(zero).lower()});")
        return name

    def _alone(self, product: Product) -> None:
        names, addend, (result,) = self.translator.names, operand(product.op, "acc"), product.op.results
        held = product.replaces or id(addend) in self.variables
        if product.in_place and product.begins is None and held:
            names.alias(result, names[addend])
        else:
            kind = tile(value_element(result), value_shape(result))
            start = "" if product.begins is not None else f" = {names[addend]}"
            self.translator.line(f"{kind} {names.name(result, result.name or 'sum')}{start};")
        self.variables.add(id(result))
        with names.block(""):
            name = self._names.get(id(product.op)) or self._declare(product)
            self._add(product, name, names[result])

    def _add(self, product: Product, name: str, sums: str) -> None:
        """Adds a product to its sums. Factors whose addresses fail a test when it runs are made op by op."""
        factors = (product.left, product.right)
        places, tests = [], []
        for factor in factors:
            place, own = self._place(factor)
            places.append(place)
            tests += own
        if not tests:
            self._add_from(product, factors, name, sums, places)
            return
        with self.translator.names.block(f"if ({' && '.join(dict.fromkeys(tests))})"):
            self._add_from(product, factors, name, sums, places)
        with self.translator.names.block("else"):
            absorbed = self._contraction.absorbed
            made = [_unconverted(f, [op for op in f.chain if id(op) in absorbed]) for f in factors]
            self._by_operation([op for factor in made if factor.access is not None for op in factor.chain])
            self._add_from(product, made, name, sums, [None, None])

    def _add_from(
        self, product: Product, factors: Sequence[Factor], name: str, sums: str, places: list[Place | None]
    ) -> None:
        left = _matrices(self.translator, product, factors[0], "lhs", places[0])
        right = _matrices(self.translator, product, factors[1], "rhs", places[1])
        self.translator.line(f"{name}.add({left}, {right}, {self._place_of_sums(product, sums)});")

    def _place(self, factor: Factor) -> tuple[Place | None, list[str]]:
        """Where a factor lies in memory, and what must hold for that."""
        if factor.access is None:
            return None, []
        assert factor.axes is not None and factor.analysis is not None
        nest = Nest([], factor.chain, factor.axes, factor.analysis, Effects([factor.access]))
        places = Places(self.translator, nest)
        place = places.of(factor.access)
        assert place is not None
        return place, places.tests


def _unconverted(factor: Factor, chain: list[Operation]) -> Factor:
    """A factor that these operations load, with elements of the type that they have in memory."""
    if factor.access is None:
        return factor
    kind = Scalar(value_element(factor.access.value))
    instead: dict[int, Value] = {}  # of converted values, by identity
    ops = []
    for op in chain:
        values = [instead.get(id(value), value) for value in operands_of(op)]
        if values == operands_of(op) and op.name != "ftof":
            ops.append(op)
        elif op.name == "ftof":
            instead[id(op.results[0])] = values[0]
        else:
            result = instead[id(op.results[0])] = Value(Tile(kind, value_shape(op.results[0])))
            operands = {name: [instead.get(id(v), v) for v in group] for name, group in op.operands.items()}
            ops.append(Operation(op.name, operands, op.attributes, [result], [], op.line, op.location))
    return replace(factor, value=instead.get(id(factor.value), factor.value), chain=ops)


def _element(product: Product, factor: Factor, which: str, in_memory: object) -> str:
    """The type of a factor's elements, in memory or in its tile."""
    source = factor.access.value if factor.access is not None and in_memory else factor.value
    if attribute(product.op, f"signedness_{which}", "signed") == "unsigned":
        return "unsigned char"
    return element(value_element(source))


def _matrices(
    translator: Translation, product: Product, factor: Factor, which: str, place: Place | None
) -> str:
    """A factor that lies at a place in memory, or in its tile."""
    kind, extents = _element(product, factor, which, place), value_shape(factor.value)
    if place is None:
        source = factor.value if factor.access is not None else factor.tile
        origin, padding = f"{translator.names[source]}.slots", f"loops::any<{kind}>()"
        counts = [str(n) for n in extents]
        held = value_shape(source)
        order = range(len(held)) if source is factor.value else attribute(factor.chain[0], "permutation")
        steps = [str(math.prod(held[d + 1 :])) for d in order]
    else:
        assert factor.axes is not None
        origin, padding = place.origin, place.padding
        axes = [own[0] if own else None for own in factor.axes.of(factor.value)]
        steps = ["0" if axis is None else place.steps.get(axis, "0") for axis in axes]
        counts = _counts(place, axes, extents)
    if kind == "unsigned char":
        origin = f"reinterpret_cast<{kind} const*>({origin})"
        padding = f"static_cast<{kind}>({padding})"
    batch = ("0", "1")
    if len(extents) == 3:
        batches = value_shape(operand(product.op, "acc"))[0]
        batch = ("0", f"{batches} * ({counts[0]})") if extents[0] == 1 else (steps[0], counts[0])
    first = ", ".join([origin, *steps[-2:], *counts[-2:], padding])
    stay = ", true" if place is not None and product.steady else ""
    if which == "lhs" and product.same and len(extents) == 2:
        stay = ", false, true"
    return f"loops::matrices<{kind}>{{{{{first}}}, {', '.join(batch)}{stay}}}"


def _counts(place: Place, axes: list[int | None], extents: tuple[int, ...]) -> list[str]:
    """How many positions exist along each dimension."""
    found = [str(n) for n in extents]
    for factors, size, _ in place.bounds:
        for axis in factors:
            d = axes.index(axis)
            found[d] = size if found[d] == str(extents[d]) else f"({size} < {found[d]} ? {size} : {found[d]})"
    conditions = [f"{size} > 0" for factors, size, _ in place.bounds if not factors]
    if conditions:
        found[-1] = f"{' && '.join(conditions)} ? {found[-1]} : 0"
    return found
