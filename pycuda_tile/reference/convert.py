"""[2.3.19, 2.3.20] Conversion of a tile's elements by value and by bits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.errors import UndefinedBehaviorError

from .rounding import round_fraction
from .scalars import LARGEST_RESTRICTED, bitwidth, integer_range, is_float, is_integral


def element_cast(x: Any, dtype: DTypeLike) -> Any:
    """[1.7.2] Each element converted by value; narrowing is allowed.

    To floating point: rounded to nearest, ties to even; fp8 and fp4 saturate, as their headers do (the manual
    leaves the result open); e8m0 takes the least power of two that is not below the magnitude. To integers:
    integers modulo 2^n, floating point cut off toward zero; raises UndefinedBehaviorError (conversion-range)
    where that does not fit. To bool: whether the element is not zero.
    """
    source, target = np.asarray(x), np.dtype(dtype)
    if target == source.dtype:
        result = source.copy()
    elif target.kind == "b":
        result = np.asarray(source != 0)
    elif target.name == "float8_e8m0fnu":
        result = _to_power_of_two(source, target)
    elif is_float(target):
        result = _to_float(source, target)
    elif is_integral(source.dtype):
        result = np.asarray(source.astype(target))
    else:
        result = _float_to_integer(source, target)
    return result if isinstance(x, np.ndarray) else result[()]


def element_bitcast(x: Any, dtype: DTypeLike) -> Any:
    """Each element's bits as a value of dtype, which has the same size.

    Raises UndefinedBehaviorError (bitcast-value) for a bool whose bits are neither 0 nor 1.
    """
    source, target = np.asarray(x), np.dtype(dtype)
    if source.dtype.itemsize != target.itemsize:
        raise TypeError(f"{source.dtype.name} and {target.name} differ in size")
    if target.kind == "b" and (source.view(np.uint8) > 1).any():
        raise UndefinedBehaviorError("bits other than 0 and 1 as bool", kind="bitcast-value")
    result = source.view(target).copy()
    return result if isinstance(x, np.ndarray) else result[()]


def _to_float(source: np.ndarray, target: np.dtype) -> np.ndarray:
    if target.name in LARGEST_RESTRICTED and not is_integral(source.dtype):
        limit = LARGEST_RESTRICTED[target.name]
        source = np.asarray(np.clip(source.astype(np.float64), -limit, limit))
    elif target.name in LARGEST_RESTRICTED:
        limit = int(LARGEST_RESTRICTED[target.name])
        source = np.array([max(-limit, min(limit, int(v))) for v in source.flat]).reshape(source.shape)
    with np.errstate(all="ignore"):
        result = np.asarray(source.astype(target))
    if target.name == "float4_e2m1fn" and not is_integral(source.dtype):
        result[np.isnan(source)] = 6.0  # it has no NaN
    if _rounds_once(source.dtype, target):
        return result
    for index in np.ndindex(source.shape):
        value = source[index]
        if np.isfinite(value) and value != 0:
            result[index] = round_fraction(_fraction(value), target, "round_ties_to_even")
    return result


def _to_power_of_two(source: np.ndarray, target: np.dtype) -> np.ndarray:
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(np.abs(source.astype(np.longdouble)))
    least = np.clip(exponent - (fraction == 0.5), -127, 127)
    bits = np.where(fraction == 0, 0, np.where(np.isinf(fraction), 254, least + 127))
    return np.where(np.isnan(fraction), 255, bits).astype(np.uint8).view(target)


def _rounds_once(source: np.dtype, target: np.dtype) -> bool:
    """Whether NumPy's conversion rounds once; those that go through float on the way round twice."""
    if is_integral(source):
        return target.itemsize >= 4 or bitwidth(source) <= 16
    return source.itemsize < 8 or target.name in ("float16", "float32", "float64")


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value)) if is_integral(value.dtype) else Fraction(float(value))


def _float_to_integer(source: np.ndarray, target: np.dtype) -> np.ndarray:
    low, high = integer_range(target)
    result = np.empty(source.shape, target)
    for index in np.ndindex(source.shape):
        value = float(source[index])
        if not (np.isfinite(value) and low <= int(value) <= high):
            raise UndefinedBehaviorError(f"{value} does not fit in {target.name}", kind="conversion-range")
        result[index] = int(value)
    return result
