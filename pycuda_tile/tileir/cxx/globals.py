"""Global variables of a source: their bytes become globals of the module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from ..elements import DTYPES
from ..ir import Global as ModuleGlobal
from ..ir import Scalar, Tile
from .builder import Unsupported
from .llvm import (
    Aggregate,
    Array,
    Expression,
    Global,
    Number,
    Operand,
    Struct,
    Type,
    Undefined,
    Variable,
    alignment_of,
    offset_of,
    size_of,
)

_FLOATS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}


def global_of(variable: Variable, name: str) -> ModuleGlobal:
    """A global of the module; name: the variable's name for messages.

    An array has the type of its numbers, so that they need no conversion of pointers. A structure is bytes.
    Lengths are powers of two, as those of tiles.
    """
    if variable.value is None:
        raise Unsupported(f"the global variable {name}, which is defined in another file")
    data = bytearray(max(size_of(variable.type), 1))
    _fill(data, 0, variable.type, variable.value, name)
    kinds = set(_numbers(variable.type))
    element = Scalar(_element(kinds.pop()) if len(kinds) == 1 else "i8")
    dtype = np.dtype(DTYPES[element.name])
    count = len(data) // dtype.itemsize
    length = 1 << (count - 1).bit_length()
    data += bytes((length - count) * dtype.itemsize)
    value = np.frombuffer(bytes(data), dtype)
    alignment = variable.alignment or alignment_of(variable.type)
    symbol = re.sub(r"[^\w$]", "_$_", variable.name)  # as LLVM replaces dots for PTX
    is_private = symbol != variable.name  # LLVM made the name, which PTX would refuse
    return ModuleGlobal(symbol, Tile(element, (length,)), value, alignment, is_private, variable.constant)


def _element(type_: str) -> str:
    if type_ == "ptr":
        return "i64"
    return _FLOATS.get(type_) or ("i8" if type_ == "i1" else type_)


def _numbers(type_: Type) -> Iterator[str]:
    """The types of the numbers in a type, and "i8" where a structure leaves bytes unused."""
    if isinstance(type_, Array):
        yield from _numbers(type_.element)
    elif isinstance(type_, Struct):
        for element in type_.elements:
            yield from _numbers(element)
        if sum(map(size_of, type_.elements)) != size_of(type_):
            yield "i8"
    else:
        yield type_


def _fill(data: bytearray, at: int, type_: Type, value: Operand, name: str) -> None:
    """Writes a constant into its bytes."""
    if isinstance(value, Undefined):
        return
    if isinstance(value, Aggregate) and isinstance(type_, Struct):
        for index, element in enumerate(value.elements):
            _fill(data, at + offset_of(type_, index), type_.elements[index], element, name)
    elif isinstance(value, Aggregate) and isinstance(type_, Array):
        step = size_of(type_.element)
        for index, element in enumerate(value.elements):
            _fill(data, at + index * step, type_.element, element, name)
    elif isinstance(value, Number) and isinstance(type_, str):
        data[at : at + size_of(type_)] = _bytes(value, type_)
    else:
        raise Unsupported(f"the global variable {name}, which holds an address")


def _bytes(number: Number, type_: str) -> bytes:
    if type_ in _FLOATS:
        return np.array(number.value, np.float64).astype(DTYPES[_FLOATS[type_]]).tobytes()
    bits = 8 * size_of(type_)
    return (int(number.value) & ((1 << bits) - 1)).to_bytes(bits // 8, "little")


def text_at(variable: Callable[[str], Variable | None], operand: Operand) -> str | None:
    """The text of a string literal, or of its rest from a constant index on; None if it is not known."""
    at = 0
    if isinstance(operand, Expression) and operand.instruction.op == "getelementptr":
        base, *indices = operand.instruction.operands
        if len(indices) != 1 or operand.instruction.detail != "i8" or not isinstance(indices[0], Number):
            return None
        operand, at = base, int(indices[0].value)
    found = variable(operand.name) if isinstance(operand, Global) else None
    if found is None or not found.constant or not isinstance(found.value, Aggregate):
        return None
    numbers = [x.value for x in found.value.elements if isinstance(x, Number) and x.type == "i8"]
    if len(numbers) != len(found.value.elements):
        return None
    return bytes(int(x) & 255 for x in numbers[at:]).partition(b"\0")[0].decode("utf-8", "replace")
