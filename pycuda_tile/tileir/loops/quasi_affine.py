"""quasi_affine: pointers that loops compute, such as `p + i / n` and `p + i % n`, and rows that begin anywhere.

Along a row they are affine from one change of a quotient to the next (`loops::progression`): there, a strip's
elements are neighbours, or one element. How far they reach follows from the bounds of the positions, so that
loops need not know them all before they begin. `cuda_tile/loops/progressions.h` computes both.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..elements import bits_of
from ..ir import Operation, Value
from ..lower.types import element
from ..reading import attribute, operands_of, value_element
from .affine import Analysis
from .facts import SHAPES, behind, is_tile

_FUNCTIONS = {"addi": "sum", "subi": "difference", "muli": "product", "divi": "quotient", "remi": "remainder"}
#: How divisions may round: numbers that are not negative are rounded alike.
_ROUNDINGS = ("zero", "negative_inf")


@dataclass(eq=False)
class Index:
    """What is added to one pointer to get those of an access.

    base:   the pointer
    value:  how many elements each is from it
    ops:    what computes that in the group, in order; of values that vary
    given:  tiles of others that it is computed from
    """

    base: Value
    value: Value
    ops: list[Operation]
    given: list[Value]


def index_of(pointers: Value, analysis: Analysis) -> Index | None:
    """The index of pointers; None if it is not one of those that loops compute."""
    made = analysis.definitions
    _, op = behind(pointers, SHAPES, made)
    if op is None or op.name != "offset":
        return None
    base, value = operands_of(op)
    if not analysis.is_uniform(base):
        return None
    found = Index(base, value, [], [])
    return found if _collect(value, analysis, found, set()) else None


def _collect(value: Value, analysis: Analysis, found: Index, seen: set[int]) -> bool:
    """Notes what computes a value; returns whether that is an index."""
    if id(value) in seen or analysis.is_uniform(value):
        return True
    seen.add(id(value))
    op = analysis.definitions.get(id(value))
    if op is None:
        found.given.append(value)
        return is_tile(value)
    if op.name == "iota":
        found.ops.append(op)
        return bits_of(value_element(value)) >= 32  # else numbers may wrap around
    if not (op.name in SHAPES or op.name == "exti" or op.name in _FUNCTIONS) or not _is_even(op, analysis):
        return False
    if all(_collect(each, analysis, found, seen) for each in operands_of(op)):
        found.ops.append(op)
        return True
    return False


def _is_even(op: Operation, analysis: Analysis) -> bool:
    """Whether steps along an axis stay the same, or do so up to a change of a quotient."""
    if op.name in ("divi", "remi"):
        rounds = attribute(op, "rounding", "zero") in _ROUNDINGS
        return rounds and analysis.is_uniform(operands_of(op)[1])
    if op.name == "muli":
        one, other = operands_of(op)
        varies = not (analysis.is_uniform(one) or analysis.is_uniform(other))
        return not (varies and {*analysis.axes.list_of(one)} & {*analysis.axes.list_of(other)})
    return True


def function_of(op: Operation, names: list[str]) -> str:
    """What an operation of an index makes of progressions, or of bounds, in C++."""
    kind = element(value_element(op.results[0]))
    if op.name in _FUNCTIONS:
        return f"loops::{_FUNCTIONS[op.name]}<{kind}>({', '.join(names)})"
    if op.name == "exti" and attribute(op, "signedness") == "unsigned":
        return f"loops::not_negative({names[0]})"
    return names[0]
