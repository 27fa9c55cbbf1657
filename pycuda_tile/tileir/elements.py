"""Element types of Tile IR as NumPy types, their bits, and integers read as signed or unsigned.

A tile is a NumPy array, even if it has no dimensions. Tile IR's integers are signless: they are stored in
NumPy's signed types, and i1 as bool. tf32 is stored as float32 whose 13 low bits are zero, fnv8E5M3FNU, which
NumPy does not have, as its bits in uint8, and pointers as int64 addresses.
"""

from __future__ import annotations

import functools

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
#: Two elements of this type share a byte of memory, the first in its low half.
HALF_BYTE = "f4E2M1FN"
#: Its bits are the only unsigned elements of tiles.
_BITS_ALONE = "fnv8E5M3FNU"


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


@functools.cache
def _numbers_of_bits() -> np.ndarray:
    """What each byte means as fnv8E5M3FNU."""
    e, bits = TILEIR_TYPES[_BITS_ALONE], np.arange(256)
    exponent, mantissa = bits >> e.mantissa, bits & ((1 << e.mantissa) - 1)
    whole = mantissa + np.where(exponent > 0, 1 << e.mantissa, 0)
    numbers = np.ldexp(whole, np.maximum(exponent, 1) - e.bias - e.mantissa)
    return np.where(bits == 255, np.nan, numbers)


def doubles(x: np.ndarray) -> np.ndarray:
    """The numbers in a tile of any float format, all of which a double can hold."""
    if x.dtype == DTYPES[_BITS_ALONE]:
        return _numbers_of_bits()[x]
    with np.errstate(invalid="ignore"):  # signaling NaN
        return x.astype(np.float64)


def nearest(numbers: np.ndarray, element: str) -> np.ndarray:
    """Doubles rounded to nearest, ties to even; NaN or infinity where the format is too small and has them.
    fnv8E5M3FNU saturates and drops the sign, as NVIDIA's type does."""
    if element == "tf32":
        return to_tf32(_to_odd(numbers))
    if element == _BITS_ALONE:
        return _nearest_bits(np.asarray(numbers, np.float64))
    with np.errstate(over="ignore"):
        return np.asarray(numbers.astype(DTYPES[element]))


def _nearest_bits(numbers: np.ndarray) -> np.ndarray:
    known, nan = _numbers_of_bits()[:-1], np.isnan(numbers)
    limited = np.minimum(np.where(nan, 0, np.abs(numbers)), known[-1])
    above = np.searchsorted(known, limited)
    below = np.maximum(above - 1, 0)
    middle = (known[above] + known[below]) / 2
    up = (limited > middle) | ((limited == middle) & (above % 2 == 0))
    return np.where(nan, 255, np.where(up, above, below)).astype(np.uint8)


def _to_odd(numbers: np.ndarray) -> np.ndarray:
    """float32 rounded to odd, so that rounding once more to fewer bits gives the correct result."""
    wide = np.asarray(numbers, np.float64)
    with np.errstate(all="ignore"):
        single = wide.astype(np.float32)
        above = np.abs(single.astype(np.float64)) > np.abs(wide)
        toward_zero = np.asarray(np.where(above, np.nextafter(single, 0), single), np.float32)
    inexact = (toward_zero.astype(np.float64) != wide) & np.isfinite(wide)
    return np.asarray(toward_zero.view(np.uint32) | inexact.astype(np.uint32)).view(np.float32)


def pairs(x: np.ndarray) -> np.ndarray:
    """The bytes that hold elements of four bits, two in each; an odd last one has a byte for itself."""
    halves = np.append(
        np.ascontiguousarray(x).reshape(-1).view(np.uint8) & 15, np.zeros(x.size % 2, np.uint8)
    )
    return np.asarray(halves[0::2] | halves[1::2] << 4)


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
