"""Element types of Tile IR as NumPy types, their bits, and integers read as signed or unsigned.

A tile is a NumPy array, even if it has no dimensions. Tile IR's integers are signless: they are stored in
NumPy's signed types, and i1 as bool. tf32 is stored as float32 whose 13 low bits are zero, and pointers as
int64 addresses.
"""

from __future__ import annotations

import numpy as np

from pycuda_tile.errors import NotAvailableYet
from pycuda_tile.spec.element_types import TILEIR_TYPES

from .ir import Constant


class _Types(dict[str, np.dtype]):
    def __missing__(self, name: str) -> np.dtype:
        raise NotAvailableYet(
            f"elements of type {name} are not supported by NumPy or the installed ml_dtypes"
        )


DTYPES = _Types({name: e.dtype for name, e in TILEIR_TYPES.items() if e.dtype is not None})


def bits_of(element: str) -> int:
    """The width of an element in bits."""
    return TILEIR_TYPES[element].bits


def width(dtype: np.dtype) -> int:
    """The bits of an integer of this NumPy type."""
    return {np.dtype(bool): 1, DTYPES["i4"]: 4}.get(dtype) or 8 * dtype.itemsize


def signed(x: np.ndarray) -> np.ndarray:
    """Integers read as signed; an i1 is 0 or -1."""
    if x.dtype == bool:
        return np.negative(x.astype(np.int8))
    return x if x.dtype.kind == "i" else x.astype(np.int8)


def unsigned(x: np.ndarray) -> np.ndarray:
    """Integers read as unsigned; an i1 is 0 or 1."""
    if x.dtype == bool:
        return x.astype(np.uint8)
    if x.dtype == DTYPES["i4"]:
        return x.astype(np.uint8) & np.uint8(15)
    return np.asarray(x).view(np.dtype(f"u{x.dtype.itemsize}"))


def read(x: np.ndarray, signedness: str) -> np.ndarray:
    """Integers read as `signed` or `unsigned`."""
    return signed(x) if signedness == "signed" else unsigned(x)


def unlimited(x: np.ndarray) -> np.ndarray:
    """Integers as Python's, which are unbounded."""
    return np.asarray(x.astype(object), object)


def wrap(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The low bits of Python or NumPy integers, as elements of the integer type `dtype`."""
    bits = width(dtype)
    if bits == 1:
        return np.asarray(np.asarray(x & 1) != 0)
    if x.dtype == object:
        half = 1 << (bits - 1)
        return np.asarray(((x + half) % (2 * half)) - half).astype(np.int64).astype(dtype)
    if bits == 4:
        return (((x & 15) ^ 8).astype(np.int8) - 8).astype(dtype)
    return np.asarray(x).astype(dtype)


def to_tf32(x: np.ndarray) -> np.ndarray:
    """float32 values rounded to tf32, to nearest, ties to even; a NaN stays a NaN."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    rounded &= np.uint32(0xFFFFE000)
    nan = np.uint32(0x7FC00000)
    return np.asarray(np.where(np.isnan(x), nan, rounded).astype(np.uint32)).view(np.float32)


def to_bits(array: np.ndarray, element: str) -> np.ndarray:
    """Elements as unsigned integers that hold their bits."""
    if element == "i1":
        return array.astype(np.uint8)
    raw = np.ascontiguousarray(array).view(f"u{DTYPES[element].itemsize}")
    if element == "tf32":
        return raw >> 13
    return raw & ((1 << bits_of(element)) - 1) if bits_of(element) < 8 else raw


def from_bits(bits: list[int] | np.ndarray, element: str) -> np.ndarray:
    """The inverse of to_bits."""
    if element == "i1":
        return np.asarray(bits, np.uint8).astype(bool)
    raw = np.asarray(bits, f"u{DTYPES[element].itemsize}")
    if element == "i4":
        return raw.astype(np.int8).astype(DTYPES["i4"])
    return (raw << 13 if element == "tf32" else raw).view(DTYPES[element])


def constant(found: Constant) -> np.ndarray:
    """A typed number as a zero-dimensional tile."""
    element = found.type.name
    return from_bits([found.bits % (1 << bits_of(element))], element).reshape(())
