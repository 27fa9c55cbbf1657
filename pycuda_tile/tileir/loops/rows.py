"""rows: pointers to consecutive elements, where operations belong to no nest.

Compilers make vectors of tiles of pointers and do not see that they follow each other. So loads and stores
through such pointers, masked ones, too, name the first one alone, and other pointers are moved on by integers
as the source has them, not by wider ones.
"""

from __future__ import annotations

import math

from ..ir import Operation, Value
from ..lower.tiles import POSITIONS
from ..lower.translation import Translation
from ..lower.types import element, tile
from ..reading import attribute, operand, operands_of, optional_operand, value_element, value_shape
from .facts import SHAPES, Definitions, behind, is_scalar, is_tile, is_weak
from .places import scalar_name

_ACCESSES = {"load_ptr_tko": "source", "store_ptr_tko": "destination"}
#: What leaves numbers in their order.
_ORDERED = {"exti", "reshape"}


def first_of_row(pointers: Value, made: Definitions) -> Value | None:
    """The pointer to the first of consecutive elements, of pointers to all of them in the order of a tile."""
    first, start = _row(pointers, made)
    return first if start is None else None


def _row(pointers: Value, made: Definitions) -> tuple[Value | None, Value | None]:
    """The same, or a pointer and the number of elements from there to the first one."""
    moved = made.get(id(pointers))
    if moved is None or moved.name != "offset":
        return None, None
    first, count = operands_of(moved)
    first, _ = behind(first, SHAPES, made)
    if not is_scalar(first):
        return None, None
    if _counts(count, _ORDERED, made):
        return first, None
    start = _start(count, made)
    return (None, None) if start is None else (first, start)


def _start(numbers: Value, made: Definitions) -> Value | None:
    """The first of consecutive signed integers, a sum that does not wrap around."""
    _, op = behind(numbers, _ORDERED, made)
    if op is None or op.name != "addi":
        return None
    if value_element(op.results[0]) != "i64" and attribute(op, "overflow", "none") != "no_signed_wrap":
        return None
    for one, other in (operands_of(op), operands_of(op)[::-1]):
        start, _ = behind(one, SHAPES, made)
        if is_scalar(start) and _counts(other, _ORDERED, made):
            return start
    return None


def write(translator: Translation, op: Operation, made: Definitions) -> bool:
    """Writes an operation if it belongs to those that this file is about."""
    if not any(map(is_tile, [*operands_of(op), *op.results])):
        return False
    if op.name == "offset":
        _offset(translator, op, made)
    elif op.name == "broadcast" and is_scalar(operands_of(op)[0]):
        one = scalar_name(translator, operands_of(op)[0])
        translator.define(op.results[0], f"tileir::splat<{_type(op.results[0])}>({one})")
    elif op.name in _ACCESSES and is_weak(op):
        return _access(translator, op, made)
    else:
        return False
    return True


def _access(translator: Translation, op: Operation, made: Definitions) -> bool:
    first, start = _row(operand(op, _ACCESSES[op.name]), made)
    if first is None:
        return False
    pointer, names = scalar_name(translator, first), translator.names
    if start is not None:
        pointer = (
            f"tileir::offset<{element(value_element(first))}>({pointer}, {scalar_name(translator, start)})"
        )
    value, mask, padding = (optional_operand(op, name) for name in ("value", "mask", "paddingValue"))
    given = [value, mask, None if mask is None else padding]  # without a mask nothing is padded
    text = ", ".join([pointer, *(names[value] for value in given if value is not None)])
    if op.name == "load_ptr_tko":
        translator.define(op.results[0], f"loops::load_row<{_type(op.results[0])}>({text})")
    else:
        translator.line(f"loops::store_row({text});")
    return True


def _offset(translator: Translation, op: Operation, made: Definitions) -> None:
    pointers, count = operands_of(op)
    first, _ = behind(pointers, SHAPES, made)
    name = scalar_name(translator, first) if is_scalar(first) else translator.names[pointers]
    extended = made.get(id(count))
    if extended is not None and extended.name == "exti" and _keeps_sign(extended, made):
        (count,) = operands_of(extended)
    translator.define(
        op.results[0], f"tileir::offset<{_type(op.results[0])}>({name}, {translator.names[count]})"
    )


def _keeps_sign(extended: Operation, made: Definitions) -> bool:
    """Whether a wider integer is what the narrow one is, read as a signed one."""
    (narrow,) = operands_of(extended)
    is_signed = attribute(extended, "signedness") == "signed" and value_element(narrow) != "i1"
    return is_signed or _counts(narrow, SHAPES, made)


def _counts(value: Value, shapes: set[str] | frozenset[str], made: Definitions) -> bool:
    """Whether a tile has the numbers from 0 on, as signed integers."""
    numbers, op = behind(value, shapes, made)
    if op is None or op.name != "iota":
        return False
    return value_element(numbers) in ("i32", "i64") or math.prod(value_shape(numbers)) <= POSITIONS


def _type(value: Value) -> str:
    return tile(value_element(value), value_shape(value))
