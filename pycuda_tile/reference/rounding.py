"""[1.9.1, 1.9.2] Rounding modes and subnormal modes, and the exact arithmetic that defines them.

Values are treated as fractions, so a result is rounded once, whatever the type and the mode. That is simple
but slow (some microseconds per element).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from .scalars import FLOAT_FORMATS, is_basic_float

NEAREST = "round_ties_to_even"
NEAREST_AWAY = "round_ties_to_away"  # not a mode of the API; Tile IR's conversions use it
PRECISE_MODES = (NEAREST, "round_toward_zero", "round_toward_negative", "round_toward_positive")
IMPRECISE_MODES = ("round_approximate", "round_full")
SUBNORMAL_MODES = ("preserve_subnormals", "round_subnormals_to_zero")


def check_modes(
    dtype: np.dtype, rounding: str | None, subnormals: str | None, imprecise: tuple[str, ...] = ()
) -> None:
    """Raise TypeError if the API call would be ill-formed. None stands for a mode that was not given."""
    if rounding not in (None, *PRECISE_MODES, *imprecise):
        raise TypeError(f"rounding: expected one of {', '.join(PRECISE_MODES + imprecise)}, got {rounding}")
    if subnormals not in (None, *SUBNORMAL_MODES):
        raise TypeError(f"subnormals: expected one of {', '.join(SUBNORMAL_MODES)}, got {subnormals}")
    if (rounding or subnormals) and not is_basic_float(dtype):
        raise TypeError(
            f"rounding and subnormals are for basic floating point, the operands are {dtype.name}"
        )
    for mode in (rounding, subnormals):
        if mode in (*IMPRECISE_MODES, "round_subnormals_to_zero") and dtype.name != "float32":
            raise TypeError(f"{mode} is for float32, the operands are {dtype.name}")


def subround(x: np.ndarray, subnormals: str | None) -> np.ndarray:
    """[1.9.2] x, or x with subnormals replaced by zeros of the same sign."""
    if subnormals != "round_subnormals_to_zero":
        return x
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


def exactly(
    function: Callable[..., Fraction], dtype: np.dtype, mode: str, ordinary: np.ndarray, *operands: np.ndarray
) -> np.ndarray:
    """`function` of the operands' elements as fractions, rounded to dtype.

    `ordinary` holds the results of ordinary arithmetic. They are kept where an operand is not finite, where
    `function` raises ZeroDivisionError or ValueError, and where the exact result is zero.
    """
    result = np.array(ordinary, dtype)
    for index in np.ndindex(result.shape):
        values = [float(operand[index]) for operand in operands]
        if not all(map(math.isfinite, values)):
            continue
        try:
            exact = function(*map(Fraction, values))
        except (ZeroDivisionError, ValueError):
            continue
        if exact != 0:
            result[index] = round_fraction(exact, dtype, mode)
    return result


def round_fraction(value: Fraction, dtype: np.dtype, mode: str) -> float:
    """`value`, which is not zero, rounded to a value of dtype, which a double can represent."""
    return round_to_format(value, FLOAT_FORMATS[dtype.name], mode)


def round_to_format(value: Fraction, format: tuple[int, int, int], mode: str) -> float:
    """The same for a format like those in FLOAT_FORMATS, for which there may be no dtype."""
    sign, magnitude = (-1.0, -value) if value < 0 else (1.0, value)
    away = "round_toward_positive" if sign > 0 else "round_toward_negative"
    mantissa, smallest, largest = format

    step = Fraction(2) ** (max(floor_log2(magnitude), smallest) - mantissa)  # spacing of values
    count, rest = divmod(magnitude, step)
    if mode == NEAREST:
        count += 2 * rest > step or (2 * rest == step and count % 2 == 1)
    elif mode == NEAREST_AWAY:
        count += 2 * rest >= step
    elif mode == away:
        count += rest != 0
    if count * step < Fraction(2) ** (largest + 1):
        return sign * float(count * step)
    if mode in (NEAREST, NEAREST_AWAY, away):
        return sign * math.inf
    return sign * float((2 - Fraction(1, 2**mantissa)) * Fraction(2) ** largest)


def floor_log2(value: Fraction) -> int:
    """The largest e with 2**e <= value, for a positive value."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def square_root(value: Fraction) -> Fraction:
    """The square root of a nonnegative value, precise enough for rounding to double or a narrower format.

    Raises ValueError for a negative value. An irrational root is truncated at 2^-1100, far below the last bit
    of any double that is a root, and half of that is added to represent the rest.
    """
    if value < 0:
        raise ValueError("square root of a negative number")
    shift = 1100
    scaled = value * 4**shift
    root = math.isqrt(math.floor(scaled))
    return Fraction(root, 2**shift) + (Fraction(1, 2 ** (shift + 1)) if root * root != scaled else 0)
