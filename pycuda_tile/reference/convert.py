"""[2.3.5, 2.3.6] Classification of floating point elements, [2.3.19, 2.3.20] conversion by value or bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand, convert, is_tile, same_kind
from .scalars import integer_range, require_basic_float


def isinf(x: Any) -> Any:
    """[2.3.5] Whether each element is an infinity."""
    x = require_basic_float(as_operand(x))
    return same_kind(np.isinf(x), not is_tile(x), np.dtype(bool))


def isnan(x: Any) -> Any:
    """[2.3.6] Whether each element is NaN."""
    x = require_basic_float(as_operand(x))
    return same_kind(np.isnan(x), not is_tile(x), np.dtype(bool))


def element_cast(x: Any, dtype: DTypeLike, rounding: str | None = None, saturation: str | None = None) -> Any:
    """[1.7.2] Each element converted by value; narrowing is allowed.

    To floating point: rounded to nearest, ties to even; fp8 and fp4 saturate, as their headers do (the manual
    leaves the result open); e8m0 gets the smallest power of two not below the magnitude. To integers:
    integers modulo 2^n, floating point truncated toward zero; raises UndefinedBehaviorError
    (conversion-range) if the result does not fit. To bool: whether the element is not zero.

    [13.5] Floating point to floating point also in other rounding modes: toward zero, in a direction where
    double becomes float. With saturation="saturate_finite", floating point numbers out of an integral type's
    range become its least or greatest value, and NaN 0.
    """
    target = np.dtype(dtype)
    if saturation == "saturate_finite":
        return _saturated(x, target)
    if rounding in (None, "round_ties_to_even"):
        return convert(x, dtype)
    if target.name == "float8_e8m0fnu":
        return _power_of_two(np.abs(np.asarray(x, np.float64)), target, rounding)
    return _stepped(np.asarray(x, np.float64), target, rounding)


def _power_of_two(x: np.ndarray, target: np.dtype, rounding: str) -> np.ndarray:
    """The least power of two not below x or, toward zero, the greatest not above it, if the target has it."""
    above = np.asarray(convert(x, target))
    bits = above.view(np.uint8)
    moves = (rounding == "round_toward_zero") & (above.astype(np.float64) > x) & (bits != 0)
    return (bits - moves).astype(np.uint8).view(target)


def _saturated(x: Any, target: np.dtype) -> np.ndarray:
    if target.kind == "b":
        return np.asarray(x) != 0
    low, high = integer_range(target)
    clamped = [
        0 if v != v else low if v <= low else high if v >= high else int(v) for v in np.ravel(x).tolist()
    ]
    return np.array(clamped, object).astype(target).reshape(np.shape(x))


def _stepped(x: np.ndarray, target: np.dtype, rounding: str) -> np.ndarray:
    """The value of the target on one side of x: the nearest one, or its neighbour."""
    nearest = np.asarray(convert(x, target))
    back = nearest.astype(np.float64)
    size = np.dtype(f"u{target.itemsize}")
    bits = nearest.view(size).astype(np.int64)
    toward = {"round_toward_zero": -np.sign(x), "round_toward_negative": -1.0, "round_toward_positive": 1.0}[
        rounding
    ]
    wrong = np.where(toward > 0, back < x, back > x) & (back == back) & (toward != 0)
    grows = (toward > 0) != np.signbit(back)
    moved = np.where(wrong, bits + np.where(grows, 1, -1), bits)
    return moved.astype(size).view(target)


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
