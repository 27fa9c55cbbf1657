"""affine: tiles of integers and pointers whose values grow by the same step from element to element, and
masks that compare such tiles with a bound.

A load through `p + iota` with the mask `iota < n` is then what a load from a view is: a first address, a step
and the number of elements that exist along each axis. Other masks are computed in the loops: once a row, if
they are the same along rows, else for each strip.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..elements import bits_of
from ..ir import Operation, Value
from ..lower.tiles import shared_value
from ..reading import attribute, operands_of, pointee, value_element
from .axes import Axes
from .facts import SHAPES, is_scalar, is_tile

#: A sum of products: how often each product of values (by identity) is taken.
Step = dict[tuple[int, ...], int]
ONE: Step = {(): 1}
_SWAPPED = {"greater_than": "less_than", "greater_than_or_equal": "less_than_or_equal"}


@dataclass
class Affine:
    """The value at position i is the one at the origin plus the sum of steps[axis] * i[axis]."""

    value: Value
    steps: dict[int, Step]


@dataclass
class Limit:
    """Elements exist where `value` plus the sum of factors[axis] times the positions is below `bound` (or
    equal to it, if `inclusive`), or above it, if that is the least. Without factors, one comparison holds
    for all elements; without a bound, the value is a bool that does."""

    value: Value
    bound: Value | None
    inclusive: bool = False
    unsigned: bool = False
    is_least: bool = False
    factors: dict[int, int] = field(default_factory=dict)


@dataclass
class Range:
    """No element of `value`, read with this signedness, may wrap around. With a divisor, none may be
    negative, either, and all must have the same quotient by it."""

    form: Affine
    unsigned: bool
    divisor: Value | None = None


@dataclass
class Analysis:
    """The affine tiles among the results of a group, which `definitions` has by identity. `divides` says
    whether remainders are affine, too, which holds as long as the quotient is the same."""

    axes: Axes
    definitions: dict[int, Operation]
    divides: bool = False
    values: dict[int, Value] = field(default_factory=dict)  # those that steps consist of
    _forms: dict[int, tuple[Affine | None, list[Range]]] = field(default_factory=dict)
    _origins: dict[int, Step] = field(default_factory=dict)
    _structures: dict[Any, int] = field(default_factory=dict)  # by how values are computed, and by identity

    def pointers(self, value: Value) -> tuple[Affine, list[Range]] | None:
        ranges: list[Range] = []
        form = self._form(value, ranges)
        return None if form is None else (form, ranges)

    def limits(self, mask: Value) -> tuple[list[Limit], list[Range], list[Value]]:
        """The limits that a mask consists of, and other masks that must hold as well."""
        limits: list[Limit] = []
        ranges: list[Range] = []
        others: list[Value] = []
        masks = [mask]
        for each in masks:
            op = self.definitions.get(id(each))
            if op is not None and (op.name == "andi" or op.name in SHAPES):
                masks += [value for value in operands_of(op) if value not in masks]
            elif not self._limit(each, op, limits, ranges):
                others.append(each)
        return limits, ranges, others

    def distance(self, value: Value, other: Value) -> int | None:
        """How much two affine tiles differ at each position, if that is known."""
        differing = _sum({0: self._origin(value)}, {0: self._origin(other)}, -1).get(0, {})
        return differing.get((), 0) if differing.keys() <= {()} else None

    def _origin(self, value: Value) -> Step:
        """What the element at the origin consists of."""
        if id(value) not in self._origins:
            self._origins[id(value)] = self._new_origin(value)
        return self._origins[id(value)]

    def _new_origin(self, value: Value) -> Step:
        op = self.definitions.get(id(value))
        if op is not None and op.name in ("addi", "subi", "offset"):
            left, right = ({0: self._origin(operand)} for operand in operands_of(op))
            return _sum(left, right, -1 if op.name == "subi" else 1).get(0, {})
        if op is not None and op.name in (*SHAPES, "exti"):
            return self._origin(operands_of(op)[0])
        if op is not None and op.name == "constant":
            return {(): int(shared_value(op))}  # type: ignore[arg-type]
        return {} if op is not None and op.name == "iota" else {(self.structure(value),): 1}

    def is_uniform(self, value: Value) -> bool:
        """Whether all elements are the same, and known before the group runs."""
        form = self._form(value, [])
        return form is not None and not form.steps

    def structure(self, value: Value) -> int:
        """A number that values which are computed alike have in common."""
        if id(value) not in self._structures:
            number = self._structures.setdefault(self._made_of(value), len(self._structures))
            self._structures[id(value)] = number
        return self._structures[id(value)]

    def _made_of(self, value: Value) -> Any:
        op = self.definitions.get(id(value))
        if op is None:
            return ("given", id(value))
        if op.name == "iota":
            return "iota", value_element(value), self.axes.of(value)
        if op.name == "constant":
            return "constant", value_element(value), repr(shared_value(op))
        attributes = tuple(sorted((k, repr(v)) for k, v in op.attributes.items() if k != "overflow"))
        inputs = tuple(map(self.structure, operands_of(op)))
        return (op.name, attributes, inputs, value_element(value), self.axes.of(value))

    def _form(self, value: Value, ranges: list[Range]) -> Affine | None:
        if id(value) not in self._forms:
            own: list[Range] = []
            self._forms[id(value)] = self._new_form(value, own), own
        form, own = self._forms[id(value)]
        ranges += [each for each in own if each not in ranges]
        return form

    def _new_form(self, value: Value, ranges: list[Range]) -> Affine | None:
        op = self.definitions.get(id(value))
        if op is None:
            return None if is_tile(value) else Affine(value, {})
        if op.name == "iota":
            weights = self.axes.weights(self.axes.list_of(value))
            return Affine(value, {axis: {(): weight} for axis, weight in weights.items()})
        if op.name == "constant":
            return None if shared_value(op) is None else Affine(value, {})
        forms = [self._form(operand, ranges) for operand in operands_of(op)]
        known = [form for form in forms if form is not None]
        if len(known) < len(forms):
            return None
        if op.name in SHAPES:
            return Affine(value, known[0].steps)
        if op.name in ("addi", "subi"):
            return Affine(value, _sum(known[0].steps, known[1].steps, 1 if op.name == "addi" else -1))
        if op.name == "muli":
            return self._product(value, known)
        if op.name == "remi" and self.divides and not known[1].steps:
            ranges.append(Range(known[0], attribute(op, "signedness") == "unsigned", known[1].value))
            return Affine(value, known[0].steps)
        if op.name == "exti":
            ranges.append(Range(known[0], attribute(op, "signedness") == "unsigned"))
            return Affine(value, known[0].steps)
        if op.name == "offset":
            if value_element(operands_of(op)[1]) != "i64":
                ranges.append(Range(known[1], False))
            return Affine(value, _sum(known[0].steps, known[1].steps, 1))
        if op.name == "ptr_to_ptr":
            return self._counted(value, known[0])
        return None

    def _counted(self, value: Value, pointers: Affine) -> Affine | None:
        """Pointers to another type, whose steps are counted in elements of that."""
        old, new = bits_of_pointee(pointers.value), bits_of_pointee(value)
        counts = [count * old for step in pointers.steps.values() for count in step.values()]
        if min(old, new) < 8 or any(count % new for count in counts):
            return None
        steps = pointers.steps.items()
        return Affine(value, {a: {p: count * old // new for p, count in step.items()} for a, step in steps})

    def _product(self, value: Value, factors: list[Affine]) -> Affine | None:
        for varying, fixed in (factors, factors[::-1]):
            if not fixed.steps:
                if not varying.steps:
                    return Affine(value, {})
                by = self._scalar(fixed.value)
                if by is None:
                    return None
                return Affine(value, {axis: _times(step, by) for axis, step in varying.steps.items()})
        return None

    def _scalar(self, value: Value) -> tuple[tuple[int, ...], int] | None:
        """A value that is the same everywhere, as a product and a factor."""
        op = self.definitions.get(id(value))
        if op is None:
            self.values[id(value)] = value
            return (id(value),), 1
        if op.name == "constant":
            return (), int(shared_value(op))  # type: ignore[arg-type]
        return self._scalar(operands_of(op)[0]) if op.name in SHAPES else None

    def _limit(self, mask: Value, op: Operation | None, limits: list[Limit], ranges: list[Range]) -> bool:
        if op is None:
            if is_scalar(mask):
                limits.append(Limit(mask, None))
            return is_scalar(mask)
        if op.name == "constant":
            return bool(shared_value(op))
        if op.name != "cmpi":
            return False
        relation, (left, right) = attribute(op, "comparison_predicate"), operands_of(op)
        if relation in _SWAPPED:
            relation, left, right = _SWAPPED[relation], right, left
        if relation not in _SWAPPED.values():
            return False
        own: list[Range] = []
        value, bound = self._form(left, own), self._form(right, own)
        if value is None or bound is None or (value.steps and bound.steps):
            return False
        is_least = bool(bound.steps)
        if is_least:
            value, bound = bound, value
        if any(set(step) != {()} or step[()] < 1 for step in value.steps.values()):
            return False
        factors = {axis: step[()] for axis, step in value.steps.items()}
        unsigned = attribute(op, "signedness") == "unsigned"
        ranges += [*own, Range(value, unsigned)]
        inclusive = relation == "less_than_or_equal"
        limits.append(Limit(value.value, bound.value, inclusive, unsigned, is_least, factors))
        return True


def bits_of_pointee(pointers: Value) -> int:
    """Of what pointers point to."""
    kind = pointee(value_element(pointers))
    return 64 if kind.startswith("ptr<") else bits_of(kind)


def _sum(a: dict[int, Step], b: dict[int, Step], sign: int) -> dict[int, Step]:
    result = {axis: dict(step) for axis, step in a.items()}
    for axis, step in b.items():
        to = result.setdefault(axis, {})
        for product, count in step.items():
            to[product] = to.get(product, 0) + sign * count
    kept = {axis: {p: n for p, n in step.items() if n} for axis, step in result.items()}
    return {axis: step for axis, step in kept.items() if step}


def _times(step: Step, by: tuple[tuple[int, ...], int]) -> Step:
    values, factor = by
    return {tuple(sorted(product + values)): count * factor for product, count in step.items()}
