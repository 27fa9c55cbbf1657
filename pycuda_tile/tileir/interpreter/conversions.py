"""Conversions of elements: integer widths, floating-point formats, bits and bytes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pycuda_tile import reference
from pycuda_tile.reference.rounding import round_to_format
from pycuda_tile.reference.scalars import format_of
from pycuda_tile.spec.element_types import TILEIR_TYPES

from ..elements import (
    DTYPES,
    bits_of,
    doubles,
    nearest,
    pairs,
    read,
    signed,
    unlimited,
    unsigned,
    width,
    wrap,
)
from ..modes import ROUNDING
from .report import Report

# The largest integer that rounds to a finite number, and the result for larger ones.
_BEYOND = {"f8E4M3FN": (464, np.nan), "f8E5M2": (61439, np.inf), "fnv8E5M3FNU": (118784, np.nan)}


def exti(source: np.ndarray, to: str, signedness: str) -> np.ndarray:
    """The integer extended to more bits."""
    return wrap(read(source, signedness), DTYPES[to])


def trunci(source: np.ndarray, to: str, overflow: str, report: Report) -> np.ndarray:
    """The low bits; reports elements whose dropped bits break the promise of `overflow`.

    For i1, 1 is true under either promise: NVIDIA's front end converts every bool from i8 with no_wrap.
    """
    result = wrap(source, DTYPES[to])
    fits = (signed(result) == signed(source)) | ((unsigned(source) == 1) & (to == "i1"))
    if overflow in ("no_signed_wrap", "no_wrap") and not fits.all():
        report("integer-overflow", f"a signed number does not fit in {to}, although it was promised to")
    if overflow in ("no_unsigned_wrap", "no_wrap") and (unsigned(result) != unsigned(source)).any():
        report("integer-overflow", f"an unsigned number does not fit in {to}, although it was promised to")
    return result


def itof(source: np.ndarray, to: str, signedness: str) -> np.ndarray:
    """The number rounded to nearest; out of range, infinity if the format has it, otherwise NaN."""
    value = read(source, signedness)
    result = nearest(_to_odd_doubles(value), to) if _has_no_cast(to) else _narrow(value, to)
    if to in _BEYOND:
        last, outside = _BEYOND[to]
        magnitude = unlimited(value)
        for beyond, sign in ((magnitude > last, 1), (magnitude < -last, -1)):
            number = np.float64(sign * outside if outside == np.inf else outside)
            result = np.where(np.asarray(beyond, bool), nearest(number, to), result)
    return result


def _to_odd_doubles(value: np.ndarray) -> np.ndarray:
    """Integers as doubles that round to fewer bits as the integers do."""

    def double(number: int) -> float:
        magnitude = abs(number)
        if magnitude >> 53:
            magnitude = (magnitude >> 11 | (magnitude & 2047 != 0)) << 11
        return math.copysign(magnitude, number)

    return np.array([double(int(n)) for n in value.flat], np.float64).reshape(value.shape)


def ftoi(source: np.ndarray, to: str, signedness: str, saturating: bool, report: Report) -> np.ndarray:
    """The number truncated toward zero and clamped to the range; 0 for NaN. Infinity is undefined
    (conversion-range) unless `saturating`, and is clamped too. For i1, whether the number is not zero, as in
    cuTile Python."""
    if to == "i1":
        return np.asarray(source != 0)
    wide = np.asarray(doubles(source))
    if np.isinf(wide).any() and not saturating:
        report("conversion-range", f"an infinity has no value in {to}")
    bits = width(DTYPES[to])
    low, high = (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signedness == "signed" else (0, (1 << bits) - 1)
    )
    below, above = wide <= low, wide >= high  # as doubles: high of 64 bits rounds up to 2^63, out of range
    usual = np.where(below | above | np.isnan(wide), 0.0, np.trunc(wide))
    whole = usual.astype(np.uint64 if signedness == "unsigned" and bits == 64 else np.int64)
    result = unlimited(whole) if bits == 64 else whole
    result = np.where(below, low, np.where(above, high, result))
    return wrap(np.asarray(result), DTYPES[to])


def ftof(source: np.ndarray, to: str, rounding: str) -> np.ndarray:
    """The number in another format. The formats of 8 and 4 bits saturate, as in the reference and the
    hardware. e8m0 rounds the magnitude up to a power of two, or down with `zero`."""
    if source.dtype == DTYPES["fnv8E5M3FNU"]:
        source = doubles(source)
    if to == "f8E8M0FNU":
        return _power_of_two_below(source) if rounding == "zero" else _narrow(source, to)
    result = _narrow(source, to)
    if rounding == "nearest_even":
        return result
    wide, format = doubles(source), format_of(TILEIR_TYPES[to])
    result = np.array(result)
    for place in np.argwhere(np.isfinite(wide) & (doubles(result) != wide)):
        at = tuple(place)
        result[at] = round_to_format(Fraction(float(wide[at])), format, ROUNDING[rounding])
    return result


def _power_of_two_below(source: np.ndarray) -> np.ndarray:
    """As e8m0, clamped to its range."""
    fraction, exponent = np.frexp(np.abs(doubles(source)))
    bits = np.where(fraction == 0, 0, np.where(np.isinf(fraction), 254, np.clip(exponent + 126, 0, 254)))
    return np.where(np.isnan(fraction), 255, bits).astype(np.uint8).view(DTYPES["f8E8M0FNU"])


def bitcast(source: np.ndarray, to: str) -> np.ndarray:
    """The bits of each element as an element of another type of the same width."""
    dtype = DTYPES[to]
    if source.dtype.itemsize == dtype.itemsize:
        return np.asarray(np.ascontiguousarray(source).view(dtype)).reshape(source.shape)
    raise TypeError(f"the bits of {source.dtype.name} cannot be those of {to}")


def pack(source: np.ndarray, element: str) -> np.ndarray:
    """The elements as bytes, lowest first; the first of two 4-bit elements is the low half of a byte."""
    flat = np.ascontiguousarray(source)
    if element == "i1":
        return np.packbits(flat, bitorder="little").view(np.int8)
    if bits_of(element) == 4:
        return pairs(flat).view(np.int8)
    return flat.view(np.int8)


def unpack(source: np.ndarray, to: str) -> np.ndarray:
    """The inverse of pack."""
    flat = np.ascontiguousarray(source)
    if to == "i1":
        return np.unpackbits(flat.view(np.uint8), bitorder="little").astype(bool)
    if bits_of(to) == 4:
        halves = np.stack([flat.view(np.uint8) & np.uint8(15), flat.view(np.uint8) >> np.uint8(4)], 1)
        values = halves.reshape(-1)
        return wrap(values, DTYPES["i4"]) if to == "i4" else values.view(DTYPES[to])
    if to == "tf32":
        return (flat.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return flat.view(DTYPES[to])


def _narrow(value: np.ndarray, to: str) -> np.ndarray:
    if _has_no_cast(to):
        return nearest(doubles(value), to)
    return np.asarray(reference.element_cast(value, DTYPES[to]))


def _has_no_cast(to: str) -> bool:
    """Whether the reference does not know a format."""
    return to in ("tf32", "fnv8E5M3FNU")
