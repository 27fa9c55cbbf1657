"""Where the accesses of a nest lie, in C++: the first address, the steps and what exists along each axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..ir import Operation, Value
from ..lower.expressions import expression
from ..lower.memory import unsigned_scalar
from ..lower.places import padding
from ..lower.translation import Translation
from ..lower.types import Tensor, Tiles, element
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
from .affine import Affine, Limit, Range, Step
from .effects import Access
from .facts import LOADS, SHAPES
from .indices import Indices
from .stages import Nest


class Bound(NamedTuple):
    """Elements exist where the sum of factors[axis] times the positions is below `size`, in C++, or not below
    it, if that is the `least`."""

    factors: dict[int, int]
    size: str
    is_least: bool = False


class Span(NamedTuple):
    """So many elements, in C++, each so many elements from the one before it, but for the first ones."""

    size: str
    step: str
    first: str = "0"


#: The spans of axes, or of several as one, from the outermost to the innermost.
_Spans = dict[tuple[int, ...], Span]


@dataclass
class Place:
    """C++ expressions.

    origin:  a pointer to the first element
    steps:   elements from one position to the next, by axis
    bounds:  which elements exist; all of them if there are none
    conditions: bools that must hold for them
    spans:   where these lie
    padding: the value of others, of a load
    size:    how many elements the array has, or all blocks together store
    streams: a condition for storing past the caches
    view:    that of the access, and its indices
    index:   if places are computed, the function of positions that says how far they are from the origin
    reach:   the range of bytes of such places
    """

    origin: str
    kind: str
    steps: dict[int, str] = field(default_factory=dict)
    bounds: list[Bound] = field(default_factory=list)
    conditions: list[Value] = field(default_factory=list)
    spans: _Spans = field(default_factory=dict)
    padding: str = ""
    size: str = ""
    streams: str = ""
    view: Tiles | None = None
    indices: list[str] = field(default_factory=list)
    index: str = ""
    reach: str = ""

    def at(self, positions: dict[int, str]) -> str:
        """The address of the element, or of a strip's first one, at these positions."""
        terms = [self.origin]
        for axis, step in self.steps.items():
            terms.append(positions[axis] if step == "1" else f"{positions[axis]} * {step}")
        return " + ".join(terms)

    def bytes(self) -> str:
        """The range of bytes, for the tests before the loops."""
        return self.reach or f"loops::range_of<{len(self.spans)}>({self.span()})"

    def span(self) -> str:
        spans, moves = list(self.spans.values()), [self.origin]
        for i, (size, step, first) in enumerate(spans):
            if first != "0":
                moves.append(f"{first} * {step}")
                spans[i] = Span(f"{size} - {first}", step)
        return f"{' + '.join(moves)}, {_arrays(spans)}"

    def injective(self, other: Place, extents: dict[int, int]) -> str:
        """Whether no two positions of this and another place with the same steps are at one address."""
        spans = [Span(str(extent), self.steps[axis]) for axis, extent in extents.items()]
        if self.spans.keys() == other.spans.keys():
            sizes = [(span.size, other.spans[key].size) for key, span in self.spans.items()]
            greatest = [a if a == b else f"loops::greatest({a}, {b})" for a, b in sizes]
            steps = [span.step for span in self.spans.values()]
            spans = [Span(*each) for each in zip(greatest, steps, strict=True)]
        return f"loops::is_injective<{len(spans)}>({_arrays(spans)})"

    def coincides(self, other: Place, extents: dict[int, int]) -> str:
        """Whether each position is the same place in both, and no other one; "" if it cannot be."""
        axes = [axis for axis in self.steps if self.steps[axis] != other.steps[axis]]
        pairs = [(self.origin, other.origin), *((self.steps[axis], other.steps[axis]) for axis in axes)]
        if (
            self.kind != other.kind
            or self.index
            or other.index
            or any(a.isdigit() and b.isdigit() for a, b in pairs)
        ):
            return ""
        return f"({' && '.join(f'{a} == {b}' for a, b in pairs)} && {self.injective(other, extents)})"


def _arrays(spans: Iterable[Span]) -> str:
    sizes, steps, _ = zip(*spans, strict=True)
    return f"{_array(sizes)}, {_array(steps)}"


def _whole(tensor: Tensor) -> str:
    given = f"{tensor.base}, {_array(tensor.extents)}, {_array(tensor.strides)}"
    return f"loops::whole<{len(tensor.extents)}>({given})"


def _array(values: Iterable[str]) -> str:
    return f"{{{', '.join(values)}}}"


def _times(step: str, weight: int) -> str:
    if weight == 1:
        return step
    return str(int(step) * weight) if step.isdigit() else f"{weight} * {step}"


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
        self.indices = Indices(translator, nest, self._origin)
        self._origins: dict[Any, str] = {}  # by how they are computed
        self._known: dict[str, str] = {}  # variables by their values

    def of(self, access: Access) -> Place:
        place = self._view(access) if "view" in access.op.operands else self._pointers(access)
        for axis in self.nest.axes.list_of(access.value):
            place.steps.setdefault(axis, "0")
        return place

    def window(self, op: Operation) -> Place:
        """Where the part of a tile lies that an operation takes."""
        source, (result,) = operand(op, "source"), op.results
        shape = value_shape(source)
        views = {id(view.results[0]): operands_of(view)[0] for view in self.nest.views}
        while id(source) in views:
            source = views[id(source)]
        origin = f"{self.translator.names[source]}.slots"
        steps: dict[int, str] = {}
        for d, own in enumerate(self.nest.axes.of(result)):
            step = math.prod(shape[d + 1 :])
            index = unsigned_scalar(self.translator, group(op, "indices")[d])
            origin += f" + static_cast<long long>({index}) * {value_shape(result)[d] * step}"
            steps |= {axis: str(n * step) for axis, n in self.nest.axes.weights(own).items()}
        kind = element(value_element(result))
        return Place(self._let("part", origin, f"{kind} const*"), kind, steps)

    def add_tests(self, places: dict[int, Place]) -> None:
        """What must hold for the loops to keep the order of accesses."""
        for first, second in self.nest.effects.disjoint:
            one, other = places[id(first.op)], places[id(second.op)]
            for place in (one, other):
                place.reach = place.reach and self._once("reach", place.reach, "auto")
            soon = self._known_soon(one, other)
            test = f"loops::disjoint({one.bytes()}, {other.bytes()})"
            late = f"loops::disjoint_tiles({one.span()}, {other.span()})"
            in_place = (
                one.coincides(other, self._extents(first)) if self.nest.may_be_one(first, second) else ""
            )
            ways = [soon, in_place, late if soon or in_place else test]
            self.tests.append(f"({' || '.join(filter(None, ways))})")
        for load, store in self.nest.effects.in_place.items():
            self.tests.append(places[id(store.op)].injective(places[load], self._extents(store)))
        self.tests[:] = dict.fromkeys(self.tests)

    def _extents(self, access: Access) -> dict[int, int]:
        axes = self.nest.axes
        return {axis: axes.extents[axis] for axis in axes.list_of(access.value)}

    def apart_from(self, place: Place, views: Iterable[Tiles]) -> list[str]:
        """Tests whether the whole array of a view's place is apart from those of other views."""
        assert place.view is not None
        one = _whole(place.view.tensor)
        return [f"loops::apart({one}, {_whole(view.tensor)})" for view in views]

    def _known_soon(self, one: Place, other: Place) -> str:
        """A quick test that suffices: that whole arrays are apart, or that tiles are two of one partition; ""
        if there is none."""
        if one.view is None or other.view is None:
            return ""
        if one.view.tensor != other.view.tensor:
            arrays = [_whole(one.view.tensor), _whole(other.view.tensor)]
            wholes = ", ".join(self._once("whole", array, "auto") for array in arrays)
            return self._once("apart", f"loops::apart({wholes})", "bool")
        kind, tensor = one.view.kind, one.view.tensor
        differ = [f"{a} != {b}" for a, b in zip(one.indices, other.indices, strict=True) if a != b]
        if not differ or kind != other.view.kind or kind.sparse is not None or kind.steps != kind.tile:
            return ""
        counts, steps = _array(tensor.extents), _array(tensor.strides)
        injective = f"loops::is_injective<{len(tensor.extents)}>({counts}, {steps})"
        return f"(({' || '.join(differ)}) && {self._once('injective', injective, 'bool')})"

    def _once(self, wish: str, text: str, kind: str) -> str:
        """The name of a variable for what the nest may need more than once."""
        if text not in self._known:
            name = self._let(wish, text, kind)
            self._known |= {text: name, name: name}
        return self._known[text]

    def add_streams(self, places: dict[int, Place]) -> None:
        """Which stores of rows may go past the caches: not those to what the nest has just loaded."""
        for access in self.nest.effects.accesses:
            place, vector = places[id(access.op)], self.nest.vector
            if not access.stores or place.steps.get(vector) != "1":
                continue
            if access in self.nest.effects.in_place.values() or access.mask is not None or access.conditions:
                continue
            steps = [step for axis, step in place.steps.items() if axis != vector]
            if place.view is not None:  # between blocks, too
                steps = [step for step in place.view.tensor.strides if step != "1"]
            extent = self.nest.axes.extents[vector]
            sizes = (bound.size for bound in place.bounds if list(bound.factors) == [vector])
            row = next(sizes, str(extent))
            size = f"1ull * {place.size} * sizeof({place.kind})"
            given = ", ".join([place.origin, size, row, *(f"1ll * {step}" for step in steps)])
            place.streams = self._let("streams", f"loops::is_worth_streaming<{extent}>({given})", "bool")

    def _let(self, wish: str, text: str, kind: str = "long long") -> str:
        name = self.translator.fresh(wish)
        self.translator.line(f"{kind} const {name} = {text};")
        return name

    # --- views ---

    def _view(self, access: Access) -> Place:
        op, axes = access.op, self.nest.axes.of(access.value)
        view = self.translator.views[id(operand(op, "view"))]
        promised = list(attribute(op, "inbounds", None) or ())
        place = Place(view.tensor.base, view.tensor.element, size=" * ".join(view.tensor.extents))
        kind, place.view = view.kind, view
        for d, (own, n, apart) in enumerate(zip(axes, kind.tile, kind.steps, strict=True)):
            index = unsigned_scalar(self.translator, group(op, "index")[d])
            place.indices.append(index)
            step, extent = view.tensor.strides[kind.axes[d]], view.tensor.extents[kind.axes[d]]
            # Unsigned, as products of the indices of tiles far outside may wrap around.
            place.origin += f" + static_cast<long long>({apart}ull * {index} * {step})"
            weights, count = self.nest.axes.weights(own), str(n)
            if not (promised and all(promised)):
                count = self._let("inside", f"loops::inside({extent}, {index}, {n}, {apart})")
                place.bounds.append(Bound(weights, count))
            place.steps |= {axis: _times(step, weight) for axis, weight in weights.items()}
            place.spans[own or (-1 - d,)] = Span(count, step)
        place.origin = self._let("at", place.origin, f"{place.kind}*")
        if op.name in LOADS:
            place.padding = padding(op)
        return place

    # --- pointers ---

    def _pointers(self, access: Access) -> Place:
        op, index = access.op, access.index
        form = access.pointers if index is None else Affine(index.base, {})
        assert form is not None
        kind = element(pointee(value_element(form.value)))
        origin = self._let("at", self._origin(form.value), f"{kind}*")
        place = Place(origin, kind, {axis: self._step(step) for axis, step in form.steps.items()})
        for found in [*access.ranges, *access.limited]:
            self._test_range(found)
        spans: _Spans = {
            (axis,): Span(str(self.nest.axes.extents[axis]), place.steps.get(axis, "0"))
            for axis in self.nest.axes.list_of(access.value)
        }
        for limit in access.limits:
            spans = self._limit(place, limit, form, spans)
        place.spans, place.conditions = spans, access.conditions
        if index is not None:
            place.index = self.indices.function(index)
            bounds = self.indices.call(index, self._bounds(place))
            place.reach = f"loops::reach({origin}, {bounds})"
        if op.name in LOADS:
            given = optional_operand(op, "paddingValue")
            place.padding = _zero(kind) if given is None else self._origin(given)
        blocks = "ct::num_blocks()"
        place.size = " * ".join(
            [f"1ll * {blocks}.x * {blocks}.y * {blocks}.z", *map(str, value_shape(access.value))]
        )
        return place

    def _bounds(self, place: Place) -> dict[int, str]:
        """The positions along each axis of which elements may exist."""
        counts = {axis: str(extent) for axis, extent in enumerate(self.nest.axes.extents)}
        for factors, size, _ in place.bounds:
            if list(factors.values()) == [1]:
                (axis,) = factors
                counts[axis] = f"loops::least({counts[axis]}, {size})"
        return {
            axis: f"loops::bounds{{0, loops::greatest({count}, 1) - 1}}" for axis, count in counts.items()
        }

    def _limit(self, place: Place, limit: Limit, form: Affine, spans: _Spans) -> _Spans:
        """Adds what a limit leaves; returns what is left of the spans."""
        value, bound, relation = self._origin(limit.value), "", ""
        if limit.bound is not None:
            value, bound = (self._read(each, limit.unsigned) for each in (limit.value, limit.bound))
            relation = " <= " if limit.inclusive else " < "
        if not limit.factors:
            first = next(iter(spans))
            size = spans[first].size
            inside = self._once("inside", f"{value}{relation}{bound} ? {size} : 0", "long long")
            place.bounds.append(Bound({}, inside))
            return {**spans, first: spans[first]._replace(size=inside)}
        axes, unit = tuple(limit.factors), math.gcd(*limit.factors.values())
        factors = {axis: factor // unit for axis, factor in limit.factors.items()}
        known = spans.get(axes) if self._is_one(form, factors) else None
        most = str(1 + sum(n * (self.nest.axes.extents[axis] - 1) for axis, n in factors.items()))
        if limit.is_least:
            return self._least(place, factors, self._below(limit, value, bound, unit, most), spans)
        size = self._below(limit, value, bound, unit, known.size if known else most)
        place.bounds.append(Bound(factors, size))
        if known:
            return {**spans, axes: known._replace(size=size)}
        if any((axis,) not in spans for axis in axes) or not self._is_one(form, factors):
            return spans
        alone: list[tuple[int, ...]] = [(axis,) for axis in axes]
        *others, innermost = alone
        joined = {innermost: (axes, Span(size, spans[innermost].step))}
        return dict(joined.get(key, (key, span)) for key, span in spans.items() if key not in others)

    def _below(self, limit: Limit, value: str, bound: str, unit: int, most: str) -> str:
        """How many elements are below the bound."""
        inclusive = "true" if limit.inclusive != limit.is_least else "false"
        test = f"loops::below<{inclusive}>({value}, {bound}, {unit}, {most})"
        return self._once("outside" if limit.is_least else "inside", test, "long long")

    def _least(self, place: Place, factors: dict[int, int], first: str, spans: _Spans) -> _Spans:
        """Adds that elements before the first do not exist."""
        place.bounds.append(Bound(factors, first, True))
        known = spans.get(axes := tuple(factors))
        if known is None or list(factors.values()) != [1]:
            return spans
        if known.first != "0":
            first = f"loops::greatest({known.first}, {first})"
        return {**spans, axes: known._replace(first=first)}

    def _is_one(self, form: Affine, factors: dict[int, int]) -> bool:
        """Whether pointers move along several axes as along one, with these factors between positions."""
        axes = list(factors)
        unit = form.steps.get(axes[-1], {})
        return factors == self.nest.axes.weights(axes) and all(
            form.steps.get(axis, {}) == {product: n * factor for product, n in unit.items()}
            for axis, factor in factors.items()
        )

    def _read(self, value: Value, unsigned: bool) -> str:
        return f"tileir::read<tileir::as_{'unsigned' if unsigned else 'signed'}>({self._origin(value)})"

    def _test_range(self, found: Range) -> None:
        axes = list(found.form.steps)
        if not axes:
            return
        counts = _array([str(self.nest.axes.extents[axis]) for axis in axes])
        steps = _array([self._step(found.form.steps[axis]) for axis in axes])
        given = [self._read(found.form.value, found.unsigned), counts, steps]
        if found.divisor is not None:
            given.append(self._read(found.divisor, found.unsigned))
        function = "fits" if found.divisor is None else "have_one_quotient"
        self.tests.append(f"loops::{function}<{len(axes)}>({', '.join(given)})")

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
