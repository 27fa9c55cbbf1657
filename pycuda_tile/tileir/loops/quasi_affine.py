"""quasi_affine: pointers that loops compute, such as `p + i / n` and `p + i % n`, and rows that begin
anywhere.

Along a row they are affine from one change of a quotient to the next (`loops::progression`): there, a strip's
elements are neighbours, or one element. Those at quotients by a constant power of two, such as `p + i / 8`,
are neighbours as well, of which each is there so many times. How far places reach follows from the bounds of
the positions, so that loops need not know them all before they begin. `cuda_tile/loops/progressions.h`
computes both, and `runs.h` goes from one part of a row to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..elements import bits_of
from ..ir import Operation, Value
from ..lower.tiles import shared_value
from ..lower.types import element
from ..reading import attribute, is_pointer, operand, operands_of, value_element
from .affine import Analysis
from .axes import Axes
from .facts import LOADS, SHAPES, behind, is_tile

_FUNCTIONS = {
    **{"addi": "sum", "subi": "difference", "muli": "product", "divi": "quotient", "remi": "remainder"},
    **{"mini": "minimum", "maxi": "maximum"},
}
#: Operations whose results are quotients and remainders; shifts and masks are, by powers of two.
_DIVIDES, _LEAVES = ("divi", "shri"), ("remi", "andi")
_ADDS = SHAPES | {"addi", "exti", "offset"}
#: How divisions may round: numbers that are not negative are rounded alike.
_ROUNDINGS = ("zero", "negative_inf")
#: Of several rows, shorter ones do not make up for finding their places one by one; of rows of neighbours,
#: which are found at once, only the shortest do not.
_SHORTEST_ROW, _SHORTEST_OF_REPEATED, _SHORTEST_OF_NEIGHBOURS = 128, 16, 8
#: Powers of two whose quotients are each loaded once: as many elements are one number.
_FEWEST_REPEATED, _MOST_REPEATED = 2, 256
#: What stands for the base of an index in C++.
BASE = "0"


@dataclass(eq=False)
class Index:
    """How far the pointers of an access are from one pointer.

    base:           that pointer
    value:          the pointers
    ops:            what computes them in the group, in order, where it varies
    given:          tiles of integers that they are computed from, which are the same along rows
    is_neighbours:  whether all elements of a row are neighbours, unless numbers wrap around
    repeats:        how often each of a row's neighbours is there, a power of two
    """

    base: Value
    value: Value
    ops: list[Operation]
    given: list[Value]
    is_neighbours: bool
    repeats: int


def pointers_of(access: Operation) -> Value:
    return operand(access, "source" if access.name in LOADS else "destination")


def index_of(access: Operation, analysis: Analysis) -> Index | None:
    """The index of an access's pointers; None if it is not one of those that loops compute."""
    pointers, axes = pointers_of(access), analysis.axes
    *outer, row = axes.list_of(pointers)
    if outer and axes.extents[row] < _SHORTEST_OF_NEIGHBOURS:
        return None
    found = _Search(analysis, row)
    if not found.add(pointers) or found.base is None:
        return None
    is_neighbours, repeats = _step(found.ops, axes, row) == 1, _repeats(found.ops, analysis, row)
    shortest = _SHORTEST_OF_REPEATED if repeats > 1 else _SHORTEST_ROW
    if outer and not is_neighbours and axes.extents[row] < shortest:
        return None
    return Index(found.base, pointers, found.ops, found.given, is_neighbours, repeats)


def _step(ops: list[Operation], axes: Axes, row: int) -> int | None:
    """From element to element of a row, of the last result; None if it may change."""
    steps: dict[int, int | None] = {}
    for op in ops:
        given = [steps.get(id(value), 0) for value in operands_of(op)]
        known, (result,) = [step for step in given if step is not None], op.results
        if op.name == "iota":
            steps[id(result)] = axes.weights(axes.list_of(result)).get(row, 0)
        elif len(known) < len(given) or (any(known) and op.name not in _ADDS):
            steps[id(result)] = None
        else:
            steps[id(result)] = sum(known)
    return steps[id(ops[-1].results[0])] if ops else 0


def _repeats(ops: list[Operation], analysis: Analysis, row: int) -> int:
    """How often each number of the last result is there along a row, where quotients by other numbers than
    constant powers of two stay the same."""
    found: dict[int, int] = {}  # of what varies
    for op in ops:
        given = [found[id(value)] for value in operands_of(op) if id(value) in found]
        divisor, (result,) = _divisor(op, analysis), op.results
        if op.name == "iota" and row in analysis.axes.list_of(result):
            found[id(result)] = 1
        elif given and (op.name not in _DIVIDES or _is_short(divisor)):
            times = divisor if op.name in _DIVIDES and divisor is not None else 1
            found[id(result)] = min(given) * times
    times = found.get(id(ops[-1].results[0]), 1) if ops else 1
    return times if times <= _MOST_REPEATED else 1


def _divisor(op: Operation, analysis: Analysis) -> int | None:
    """The constant power of two by which an operation divides numbers that are not negative, or of which it
    leaves remainders."""
    if op.name not in (*_DIVIDES, *_LEAVES):
        return None
    _, made = behind(operands_of(op)[1], SHAPES, analysis.definitions)
    shared = shared_value(made) if made is not None and made.name == "constant" else None
    value = -1 if shared is None else int(shared)
    if value < 0:
        return None
    divisor = 1 << value if op.name == "shri" and value < 63 else value + 1 if op.name == "andi" else value
    return divisor if divisor > 0 and divisor & (divisor - 1) == 0 else None


def _is_short(divisor: int | None) -> bool:
    return divisor is not None and _FEWEST_REPEATED <= divisor <= _MOST_REPEATED


class _Search:
    """What an index is computed from, where rows are along an axis."""

    def __init__(self, analysis: Analysis, row: int):
        self._analysis, self._row = analysis, row
        self.base: Value | None = None
        self.ops: list[Operation] = []
        self.given: list[Value] = []
        self._seen: set[int] = set()

    def add(self, value: Value) -> bool:
        """Notes what computes a value; returns whether that can be."""
        if id(value) in self._seen:
            return True
        if self._analysis.is_uniform(value):
            self.base = value if is_pointer(value) else self.base
            return True
        self._seen.add(id(value))
        op = self._analysis.definitions.get(id(value))
        if op is not None and _is_even(op, self._analysis):
            known = len(self.ops), len(self.given), set(self._seen)
            if all(self.add(each) for each in operands_of(op)):
                self.ops.append(op)
                return True
            del self.ops[known[0] :], self.given[known[1] :]
            self._seen = known[2]
        if self._row in self._analysis.axes.list_of(value) or not is_tile(value) or is_pointer(value):
            return False
        self.given.append(value)
        return True


def _is_even(op: Operation, analysis: Analysis) -> bool:
    """Whether steps along an axis stay the same, or do so up to a change of a quotient."""
    if op.name == "iota":
        return bits_of(value_element(op.results[0])) >= 32  # else numbers may wrap around
    if op.name in ("divi", "remi"):
        rounds = attribute(op, "rounding", "zero") in _ROUNDINGS
        return rounds and analysis.is_uniform(operands_of(op)[1])
    if op.name in ("shri", "andi"):
        return _divisor(op, analysis) is not None
    if op.name in ("muli", "mini", "maxi"):
        one, other = operands_of(op)
        varies = not (analysis.is_uniform(one) or analysis.is_uniform(other))
        return not (varies and {*analysis.axes.list_of(one)} & {*analysis.axes.list_of(other)})
    return op.name in SHAPES or op.name in ("exti", "offset") or op.name in _FUNCTIONS


def function_of(op: Operation, names: list[str], analysis: Analysis) -> str:
    """What an operation of an index makes of progressions, or of bounds, in C++; of the base it makes 0."""
    kind, divisor = element(value_element(op.results[0])), _divisor(op, analysis)
    if op.name in _DIVIDES and _is_short(divisor):
        return f"loops::quotient_by<{kind}, {divisor}>({names[0]})"
    if op.name in ("shri", "andi"):
        return f"loops::{'quotient' if op.name == 'shri' else 'remainder'}<{kind}>({names[0]}, {divisor})"
    if op.name == "offset":
        return names[1] if names[0] == BASE else f"loops::sum<long long>({', '.join(names)})"
    unsigned = attribute(op, "signedness") == "unsigned"
    if unsigned and op.name in ("exti", "mini", "maxi"):
        names = [f"loops::not_negative({name})" for name in names]
    if op.name not in _FUNCTIONS:
        return names[0]
    return f"loops::{_FUNCTIONS[op.name]}<{kind}>({', '.join(names)})"
