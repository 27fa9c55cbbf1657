"""rows: pointers to consecutive elements, where operations belong to no nest.

Compilers make vectors of tiles of pointers and do not see that they follow each other. So loads and stores
through such pointers name the first one alone, and other pointers are moved on by integers as the source has
them, not by wider ones.
"""

from __future__ import annotations

import math

from ..ir import Operation, Value
from ..lower.tiles import POSITIONS
from ..lower.translation import Translation
from ..lower.types import tile
from ..reading import attribute, operand, operands_of, optional_operand, value_element, value_shape
from .facts import SHAPES, Definitions, behind, is_scalar, is_tile, is_weak
from .places import scalar_name

_ACCESSES = {"load_ptr_tko": "source", "store_ptr_tko": "destination"}


def first_of_row(pointers: Value, made: Definitions) -> Value | None:
    """The pointer to the first of consecutive elements, of pointers to all of them in the order of a tile."""
    moved = made.get(id(pointers))
    if moved is None or moved.name != "offset":
        return None
    first, count = operands_of(moved)
    first, _ = behind(first, SHAPES, made)
    return first if is_scalar(first) and _counts(count, {"exti", "reshape"}, made) else None


def write(translator: Translation, op: Operation, made: Definitions) -> bool:
    """Writes an operation if it belongs to those that this file is about."""
    if not any(map(is_tile, [*operands_of(op), *op.results])):
        return False
    if op.name == "offset":
        _offset(translator, op, made)
    elif op.name == "broadcast" and is_scalar(operands_of(op)[0]):
        one = scalar_name(translator, operands_of(op)[0])
        translator.define(op.results[0], f"tileir::splat<{_type(op.results[0])}>({one})")
    elif op.name in _ACCESSES and is_weak(op) and not optional_operand(op, "mask"):
        return _access(translator, op, made)
    else:
        return False
    return True


def _access(translator: Translation, op: Operation, made: Definitions) -> bool:
    first = first_of_row(operand(op, _ACCESSES[op.name]), made)
    if first is None:
        return False
    pointer = scalar_name(translator, first)
    if op.name == "load_ptr_tko":
        translator.define(op.results[0], f"loops::load_row<{_type(op.results[0])}>({pointer})")
    else:
        translator.line(f"loops::store_row({pointer}, {translator.names[operand(op, 'value')]});")
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
