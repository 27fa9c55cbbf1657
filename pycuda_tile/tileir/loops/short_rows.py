"""short rows: which rows are too short for loops of their own, so that what needs them runs on whole tiles.

To operations on whole tiles, all elements are one row, whose vectors are whole; those of strips are not if
rows are short. A tile that is one row has no longer ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..elements import bits_of
from ..ir import Operation, Value
from ..reading import is_pointer, operands_of, value_element
from .facts import CHEAP, FOLDS, SMALL, cost_of, is_tile
from .fallback import Fallback

if TYPE_CHECKING:
    from .stages import Nest

#: Rows with fewer elements have no loops; if something takes long, with fewer than `_SHORTEST_LONG`.
SHORTEST, _SHORTEST_LONG = 8, 16
#: What takes long in any vector.
_INSTRUCTIONS = {"divf", "sqrt", "rsqrt"}
#: Rows with fewer elements of less than 4 bytes are reduced faster together than one by one.
_SHORTEST_REDUCED = 64
#: Strips with fewer such elements are no whole vectors, or converted one by one.
_SHORTEST_OF_BYTES, _SHORTEST_OF = 32, {"f16": 16, "bf16": 32, "i16": 16}
#: Tiles with fewer elements do not make up for the tests before the loops, unless they are long rows.
_MANY = 128


def check_lengths(nest: Nest) -> None:
    """Raises Fallback for what needs longer rows."""
    length, elements = nest.axes.extents[nest.vector], nest.elements
    if length < SHORTEST:
        folds = (op for op in nest.ops if op.name in FOLDS)
        op = next(folds, None) or _last_reshape(nest) or nest.ops[0]
        raise Fallback(op, f"its rows have fewer than {SHORTEST} elements", on_tiles=True)
    for op in nest.ops if elements > length else ():
        least, reason = _least_length(nest, op)
        if length < least:
            raise Fallback(op, reason, on_tiles=True)
    if elements < _MANY and nest.effects.disjoint:
        _, later = nest.effects.disjoint[0]
        if length < _SHORTEST_LONG or (length <= SMALL and "mask" not in later.op.operands):
            raise Fallback(later.op, "the tests before its loops would take longer than these", on_tiles=True)


def _least_length(nest: Nest, op: Operation) -> tuple[int, str]:
    """How many elements rows need for an operation, and why."""
    if op.name == "reduce" and nest.inner == nest.vector:
        if any(bits_of(value_element(v)) < 32 for v in operands_of(op)):
            return (
                _SHORTEST_REDUCED,
                f"its rows have fewer than {_SHORTEST_REDUCED} elements of less than 4 bytes",
            )
    elif op.name == "reduce":
        return _SHORTEST_LONG, f"it reduces columns, and rows have fewer than {_SHORTEST_LONG} elements"
    elif cost_of(op) > CHEAP and op.name not in _INSTRUCTIONS:
        return _SHORTEST_LONG, f"it takes long, and its rows have fewer than {_SHORTEST_LONG} elements"
    return 0, ""


def check_elements(nest: Nest) -> None:
    """The same for elements of one or two bytes, when it is known which values are in strips."""
    length, elements = nest.axes.extents[nest.vector], nest.elements
    if elements == length:
        return
    computed = set().union(*nest.needed.values()) - (nest.masks - {id(value) for value in nest.outputs})
    for op in nest.ops:
        taken = [value for value in nest.inputs(op) if id(value) not in nest.analysis.definitions]
        for value in [*taken, *(v for v in op.results if id(v) in computed)]:
            if is_tile(value) and nest.has_lanes(value) and length < (least := _least_of(value)):
                reason = f"its rows have fewer than {least} elements of type {value_element(value)}"
                raise Fallback(op, reason, on_tiles=True)


def _least_of(value: Value) -> int:
    kind = value_element(value)
    if not is_pointer(value) and bits_of(kind) <= 8:
        return _SHORTEST_OF_BYTES
    return _SHORTEST_OF.get(kind, 0)


def _last_reshape(nest: Nest) -> Operation | None:
    """A reshape that others use: it may make rows short for all of the group."""
    used = {id(value) for op in nest.ops for value in nest.inputs(op)}
    last = [op for op in nest.ops if op.name == "reshape" and id(op.results[0]) not in used]
    return last[-1] if last else None
