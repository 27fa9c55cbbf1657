"""Where the accesses of a nest lie, in C++: the first address, the steps and what exists along each axis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..ir import Operation, Value
from ..lower.expressions import expression
from ..lower.memory import unsigned_scalar
from ..lower.translation import Translation
from ..lower.types import element
from ..modes import PADDINGS
from ..reading import (
    attribute,
    group,
    operand,
    operands_of,
    optional_operand,
    pointee,
    value_element,
    value_shape,
)
from . import vectors
from .affine import Limit, Range, Step
from .effects import Access
from .facts import LOADS, SHAPES
from .stages import Nest


@dataclass
class Place:
    """C++ expressions.

    origin:  a pointer to the first element
    steps:   elements from one position to the next, by axis
    counts:  how many positions exist, by axis
    padding: the value of others, of a load
    size:    how many elements the array has, or all blocks together store
    streams: a condition for storing past the caches
    """

    origin: str
    kind: str
    steps: dict[int, str] = field(default_factory=dict)
    counts: dict[int, str] = field(default_factory=dict)
    padding: str = ""
    size: str = ""
    streams: str = ""

    def at(self, positions: dict[int, str]) -> str:
        """The address of the element, or of a strip's first one, at these positions."""
        terms = [self.origin]
        for axis, step in self.steps.items():
            terms.append(positions[axis] if step == "1" else f"{positions[axis]} * {step}")
        return " + ".join(terms)

    def bytes(self) -> str:
        """The range of bytes, for the tests before the loops."""
        axes = list(self.steps)
        if not axes:
            return f"loops::range_of<1>({self.origin}, {{1}}, {{0}})"
        counts, steps = _array([self.counts[axis] for axis in axes]), _array([self.steps[a] for a in axes])
        return f"loops::range_of<{len(axes)}>({self.origin}, {counts}, {steps})"

    def injective(self) -> str:
        counts, steps = _array(list(self.counts.values())), _array([self.steps[a] for a in self.counts])
        return f"loops::is_injective<{len(self.counts)}>({counts}, {steps})"


def _array(values: list[str]) -> str:
    return f"{{{', '.join(values)}}}"


def _zero(kind: str) -> str:
    return f"tileir::padding<{kind}, ct::view_padding::zero>()"


def scalar_name(translator: Translation, value: Value) -> str:
    """The scalar of a value of one element, which may be held as a tile."""
    name = translator.names[value]
    return f"tileir::element_of({name})" if value_shape(value) else name


class Places:
    """Writes what the accesses of a nest need before its loops. `tests` are conditions of the nest."""

    def __init__(self, translator: Translation, nest: Nest):
        self.translator, self.nest = translator, nest
        self.tests: list[str] = []
        self._origins: dict[Any, str] = {}  # by how they are computed

    def of(self, access: Access) -> Place | None:
        """None if nothing is known of the pointers."""
        if access.place is None:
            return None
        place = self._view(access) if "view" in access.op.operands else self._pointers(access)
        for axis in self.nest.axes.list_of(access.value):
            place.steps.setdefault(axis, "0")
        return place

    def add_tests(self, places: dict[int, Place | None]) -> None:
        """What must hold for the loops to keep the order of accesses."""
        for first, second in self.nest.effects.disjoint:
            one, other = places[id(first.op)], places[id(second.op)]
            assert one is not None and other is not None
            self.tests.append(f"loops::disjoint({one.bytes()}, {other.bytes()})")
        for access in self.nest.effects.in_place.values():
            place = places[id(access.op)]
            assert place is not None
            order = [*self.nest.axes.list_of(access.value)]
            place.counts = {axis: place.counts[axis] for axis in order}
            self.tests.append(place.injective())
        self.tests[:] = dict.fromkeys(self.tests)

    def add_streams(self, places: dict[int, Place | None]) -> None:
        """Which stores of rows may go past the caches: not those to what the nest has just loaded."""
        for access in self.nest.effects.accesses:
            place, vector = places[id(access.op)], self.nest.vector
            if place is None or not access.stores or place.steps.get(vector) != "1":
                continue
            if access in self.nest.effects.in_place.values():
                continue
            steps = [step for axis, step in place.steps.items() if axis != vector]
            size = f"1ull * {place.size} * sizeof({place.kind})"
            given = ", ".join([place.origin, size, *(f"1ll * {step}" for step in steps)])
            place.streams = self._let("streams", f"loops::is_worth_streaming({given})", "bool")

    def _let(self, wish: str, text: str, kind: str = "long long") -> str:
        name = self.translator.fresh(wish)
        self.translator.line(f"{kind} const {name} = {text};")
        return name

    # --- views ---

    def _view(self, access: Access) -> Place:
        op, axes = access.op, self.nest.axes.of(access.value)
        view = self.translator.views[id(operand(op, "view"))]
        promised = list(attribute(op, "inbounds", None) or ())
        origin, steps, counts, inside = view.tensor.base, {}, {}, []
        for d, (axis, n, dimension) in enumerate(zip(axes, view.kind.tile, view.kind.axes, strict=True)):
            index = unsigned_scalar(self.translator, group(op, "index")[d])
            step, extent = view.tensor.strides[dimension], view.tensor.extents[dimension]
            origin += f" + static_cast<long long>({index}) * {n} * {step}"
            count = str(n)
            if not (promised and all(promised)):
                count = self._let("inside", f"loops::inside({extent}, {index}, {n})")
            if axis is None:
                inside += [f"{count} > 0"] if count != str(n) else []
            else:
                steps[axis], counts[axis] = step, count
        if inside and counts:
            first = next(iter(counts))
            counts[first] = self._let("inside", f"{' && '.join(inside)} ? {counts[first]} : 0")
        kind = view.tensor.element
        padding = ""
        if op.name in LOADS:
            mode = PADDINGS[operand(op, "view").type.padding or "zero"].name
            padding = f"tileir::padding<{kind}, ct::view_padding::{mode}>()"
        pointer = self._let("at", origin, f"{kind}*")
        size = " * ".join(view.tensor.extents)
        return Place(pointer, kind, steps, counts, padding, size)

    # --- pointers ---

    def _pointers(self, access: Access) -> Place:
        form, op = access.pointers, access.op
        assert form is not None
        kind = element(pointee(value_element(form.value)))
        origin = self._let("at", self._origin(form.value), f"{kind}*")
        steps = {axis: self._step(step) for axis, step in form.steps.items()}
        counts = {axis: str(self.nest.axes.extents[axis]) for axis in self.nest.axes.list_of(access.value)}
        for found in access.ranges:
            self._test_range(found)
        for limit in access.limits:
            axis = limit.axis if limit.axis is not None else next(iter(counts))
            counts[axis] = self._let("inside", self._count(limit, counts[axis]))
        padding = ""
        if op.name in LOADS:
            given = optional_operand(op, "paddingValue")
            padding = _zero(kind) if given is None else self._origin(given)
        blocks = "ct::num_blocks()"
        size = " * ".join(
            [f"1ll * {blocks}.x * {blocks}.y * {blocks}.z", *map(str, value_shape(access.value))]
        )
        return Place(origin, kind, steps, counts, padding, size)

    def _count(self, limit: Limit, most: str) -> str:
        sign = "unsigned" if limit.unsigned else "signed"
        value, bound = (
            f"tileir::read<tileir::as_{sign}>({self._origin(each)})" for each in (limit.value, limit.bound)
        )
        if limit.axis is None:
            relation = "<=" if limit.inclusive else "<"
            return f"{value} {relation} {bound} ? {most} : 0"
        inclusive = "true" if limit.inclusive else "false"
        return f"loops::below<{inclusive}>({value}, {bound}, {limit.factor}, {most})"

    def _test_range(self, found: Range) -> None:
        sign = "unsigned" if found.unsigned else "signed"
        axes = list(found.form.steps)
        if not axes:
            return
        counts = _array([str(self.nest.axes.extents[axis]) for axis in axes])
        steps = _array([self._step(found.form.steps[axis]) for axis in axes])
        first = f"tileir::read<tileir::as_{sign}>({self._origin(found.form.value)})"
        self.tests.append(f"loops::fits<{len(axes)}>({first}, {counts}, {steps})")

    def _step(self, step: Step) -> str:
        texts = []
        for product, count in step.items():
            names = [scalar_name(self.translator, self.nest.analysis.values[each]) for each in product]
            factors = [f"static_cast<long long>({name})" for name in names]
            if count != 1 or not factors:
                factors.insert(0, str(count))
            texts.append(" * ".join(factors))
        text = " + ".join(texts)
        return text if text.lstrip("-").isdigit() else self._let("step", text)

    def _origin(self, value: Value) -> str:
        """The element of a tile at position 0 along all axes."""
        op = self.nest.analysis.definitions.get(id(value))
        if op is None:
            return scalar_name(self.translator, value)
        key = self.nest.analysis.structure(value)
        if key not in self._origins:
            self._origins[key] = self._element(op)
        return self._origins[key]

    def _element(self, op: Operation) -> str:
        if op.name in SHAPES:
            return self._origin(operands_of(op)[0])
        kind = element(value_element(op.results[0]))
        if op.name == "iota":
            return _zero(kind)
        names = [self._origin(each) for each in operands_of(op)]
        return self._let("origin", expression(vectors.scalar(op), names), kind)
