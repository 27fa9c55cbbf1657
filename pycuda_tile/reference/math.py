"""[2.4] Math functions.

The manual asks for approximations and gives no error bounds. These functions compute in double, or for
doubles in NumPy's longest type, and round the result once more. `ceil`, `floor` and `sqrt` are exact or
correctly rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import ordinary
from .conversions import arithmetic_conversion, as_operand, as_operands, convert, is_tile, same_kind
from .rounding import NEAREST, PRECISE_MODES, check_modes, exactly, square_root, subround
from .scalars import require_basic_float


def ceil(x: Any) -> Any:
    """[2.4.1] The smallest integer not less than x."""
    return _elementwise(np.ceil, x)


def floor(x: Any) -> Any:
    """[2.4.2] The largest integer not greater than x."""
    return _elementwise(np.floor, x)


def pow(base: Any, exponent: Any) -> Any:
    """[2.4.3] base to the power of exponent, after arithmetic tile conversion of both."""
    for operand in as_operands(base, exponent):
        require_basic_float(operand)
    return _two_operands(np.power, base, exponent)


def powi(base: Any, exponent: Any) -> Any:
    """[13.5] base to the power of an integer, computed in double and rounded to the type of the base."""
    base, exponent = as_operand(base), as_operand(exponent)
    require_basic_float(base)
    with np.errstate(all="ignore"):
        power = np.power(np.asarray(base, np.float64), np.asarray(exponent, np.float64))
    return same_kind(convert(power, base.dtype), not is_tile(base) and not is_tile(exponent), base.dtype)


def exp2(x: Any, subnormals: str | None = None) -> Any:
    """[2.4.4] 2 to the power of x."""
    return _elementwise(np.exp2, x, subnormals)


def exp(x: Any) -> Any:
    """[2.4.5] e to the power of x."""
    return _elementwise(np.exp, x)


def log2(x: Any) -> Any:
    """[2.4.6] The logarithm to base 2."""
    return _elementwise(np.log2, x)


def log(x: Any) -> Any:
    """[2.4.7] The natural logarithm."""
    return _elementwise(np.log, x)


def sqrt(x: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.4.8] The square root; "round_approximate" gives the correctly rounded one."""
    x = require_basic_float(as_operand(x))
    check_modes(x.dtype, rounding, subnormals, ("round_approximate",))
    a = subround(np.asarray(x), subnormals)
    mode = rounding if rounding in PRECISE_MODES else NEAREST
    with np.errstate(all="ignore"):
        result = exactly(square_root, x.dtype, mode, ordinary(np.sqrt, a), a)
    return same_kind(subround(result, subnormals), not is_tile(x), x.dtype)


def rsqrt(x: Any, subnormals: str | None = None) -> Any:
    """[2.4.9] 1 / the square root."""
    return _elementwise(lambda a: 1 / np.sqrt(a), x, subnormals)


def cosh(x: Any) -> Any:
    """[2.4.10] The hyperbolic cosine."""
    return _elementwise(np.cosh, x)


def cos(x: Any) -> Any:
    """[2.4.11] The cosine of an angle in radians."""
    return _elementwise(np.cos, x)


def sinh(x: Any) -> Any:
    """[2.4.12] The hyperbolic sine."""
    return _elementwise(np.sinh, x)


def sin(x: Any) -> Any:
    """[2.4.13] The sine of an angle in radians."""
    return _elementwise(np.sin, x)


def tanh(x: Any) -> Any:
    """[2.4.14] The hyperbolic tangent."""
    return _elementwise(np.tanh, x)


def tan(x: Any) -> Any:
    """[2.4.15] The tangent of an angle in radians."""
    return _elementwise(np.tan, x)


def atan2(y: Any, x: Any) -> Any:
    """[2.4.16] The angle, in radians from -pi to pi, from the positive x axis to the point (x, y)."""
    return _two_operands(np.arctan2, y, x)


def _elementwise(function: Callable, x: Any, subnormals: str | None = None) -> Any:
    x = require_basic_float(as_operand(x))
    check_modes(x.dtype, None, subnormals)
    a = subround(np.asarray(x), subnormals)
    with np.errstate(all="ignore"):
        result = _narrow(function(_wide(a)), x.dtype)
    return same_kind(subround(result, subnormals), not is_tile(x), x.dtype)


def _two_operands(function: Callable, lhs: Any, rhs: Any) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    require_basic_float(a)
    with np.errstate(all="ignore"):
        return same_kind(_narrow(function(_wide(a), _wide(b)), a.dtype), scalar, a.dtype)


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.longdouble if x.dtype == np.float64 else np.float64)


def _narrow(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Rounds a result from the type of `_wide` to dtype."""
    return np.asarray(x).astype(dtype) if dtype == np.float64 else convert(np.asarray(x), dtype)
