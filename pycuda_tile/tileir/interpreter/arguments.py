"""Arguments of an entry: arrays become addresses, and numbers become zero-dimensional tiles."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from pycuda_tile.errors import ArgumentRangeError, ArgumentTypeError, ArgumentValueError
from pycuda_tile.launching.arrays import ptr, strided, table

from ..elements import DTYPES, HALF_BYTE, bits_of, nearest
from .memory import Memory

#: What arrays are to hold whose elements NumPy does not have.
_WANTED = {"ptr": "addresses as int64", HALF_BYTE: "bytes, with two elements in each"}


class Parameter(NamedTuple):
    """One parameter of an entry: an element, or a pointer to elements ("ptr" if it points to addresses)."""

    entry: str
    position: int  # from 1
    name: str  # "" if there is none
    element: str
    pointer: bool

    def __str__(self) -> str:
        """The beginning of messages about this parameter."""
        name = f" '{self.name}'" if self.name else ""
        kind = f"ptr<{self.element}>" if self.pointer else self.element
        return f"{self.entry}: argument {self.position}{name} (tile<{kind}>)"


def bind(entry: str, parameters: list[Parameter], arguments: tuple, memory: Memory) -> list[np.ndarray]:
    """The values of an entry's parameters; arrays are added to `memory`. Raises ArgumentTypeError,
    ArgumentValueError or ArgumentRangeError, which name the argument."""
    if len(arguments) != len(parameters):
        names = ", ".join(
            f"{p.name or p.position}: tile<{'ptr' if p.pointer else p.element}>" for p in parameters
        )
        raise ArgumentTypeError(f"{entry} takes {len(parameters)} arguments ({names}), got {len(arguments)}")
    # One array passed twice is one allocation, so that its pointers compare equal.
    known: dict[tuple, int] = {}
    return [
        _address(p, a, memory, known) if p.pointer else _number(p, a)
        for p, a in zip(parameters, arguments, strict=True)
    ]


def _address(parameter: Parameter, value: Any, memory: Memory, known: dict[tuple, int]) -> np.ndarray:
    if value is None:
        return np.zeros((), np.int64)
    if isinstance(value, table):
        words = [[_word(parameter, word, memory, known) for word in row] for row in value.rows]
        return _address(parameter, ptr(np.array(words, np.int64)), memory, known)
    offset, any_type = (value.offset, True) if isinstance(value, ptr) else (0, False)
    any_strides = isinstance(value, strided)
    array = _array(parameter, value)
    if not any_type and not _fits(array.dtype, parameter.element):
        wanted = _WANTED.get(parameter.element) or DTYPES[parameter.element].name
        raise ArgumentTypeError(f"{parameter} expects an array of {wanted}, got one of {array.dtype.name}")
    if not any_strides and not any_type and not array.flags.c_contiguous:
        raise ArgumentValueError(
            f"{parameter} expects a C-contiguous array, got one that is not: pass "
            "numpy.ascontiguousarray(x), "
            "or pycuda_tile.strided(x) if the kernel handles the strides"
        )
    key = (array.__array_interface__["data"][0], array.nbytes, array.strides, array.flags.writeable)
    if key not in known:
        known[key] = memory.add(
            array, f"argument {parameter.position}" + (f" '{parameter.name}'" if parameter.name else "")
        )
    return np.asarray(known[key] + offset * array.itemsize, np.int64)


def _word(parameter: Parameter, word: Any, memory: Memory, known: dict[tuple, int]) -> int:
    return int(_address(parameter, ptr(word), memory, known)) if isinstance(word, np.ndarray) else word


def _array(parameter: Parameter, argument: Any) -> np.ndarray:
    """A NumPy view of an object that holds an array in host memory, or of that in a ptr or a strided."""
    is_inside = isinstance(argument, (ptr, strided))
    value = argument.array if is_inside else argument
    if isinstance(value, np.ndarray):
        return value
    if not isinstance(value, (np.generic, int, float, complex, str, list, tuple)):
        for view in (np.from_dlpack, lambda x: np.asarray(memoryview(x))):
            try:
                return view(value)
            except (AttributeError, TypeError, ValueError, RuntimeError, BufferError):
                pass
    where = f"within pycuda_tile.{type(argument).__name__}" if is_inside else "or None"
    raise ArgumentTypeError(
        f"{parameter} expects an array in host memory {where}, got {type(value).__name__} {value!r:.60}"
    )


def _fits(dtype: np.dtype, element: str) -> bool:
    """Whether an array's type fits. Tile IR's integers are signless, and a byte may hold a bool or a
    float of 4 bits."""
    if element == "ptr":
        return dtype in (np.dtype(np.int64), np.dtype(np.uint64))
    if element == HALF_BYTE:
        return dtype.kind in "iu" and dtype.itemsize == 1
    wanted = DTYPES[element]
    if element == "i8" and dtype == DTYPES[HALF_BYTE]:
        return True
    if wanted.kind in "bi" and wanted.name != "int4":
        return dtype.kind in "biu" and dtype.itemsize == wanted.itemsize and dtype.isnative
    return dtype == wanted


def _number(parameter: Parameter, value: Any) -> np.ndarray:
    dtype = DTYPES[parameter.element]
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if dtype.kind in "bi":
        return _integer(parameter, value, dtype)
    if isinstance(value, np.generic) and value.dtype == dtype:
        return np.asarray(value)
    if isinstance(value, (bool, int, float, np.floating, np.integer)):
        return nearest(np.asarray(value, np.float64), parameter.element)
    raise ArgumentTypeError(f"{parameter} expects a number, got {type(value).__name__} {value!r:.60}")


def _integer(parameter: Parameter, value: Any, dtype: np.dtype) -> np.ndarray:
    try:
        number = operator.index(value) if not isinstance(value, np.bool_) else int(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{parameter} expects an integer, got {type(value).__name__} {value!r:.60}"
        ) from None
    bits = bits_of(parameter.element)
    if not -(1 << (bits - 1)) <= number < 1 << bits:
        raise ArgumentRangeError(f"{parameter} expects an integer of {bits} bits, got {number}")
    if bits == 1:
        return np.asarray(bool(number))
    half = 1 << (bits - 1)
    return np.asarray((number + half) % (2 * half) - half, dtype)
