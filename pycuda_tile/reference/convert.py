"""[2.3.5, 2.3.6] Classification of floating point elements, [2.3.19, 2.3.20] conversion by value or bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import as_operand, convert, is_tile, same_kind
from .scalars import require_basic_float


def isinf(x: Any) -> Any:
    """[2.3.5] Whether each element is an infinity."""
    x = require_basic_float(as_operand(x))
    return same_kind(np.isinf(x), not is_tile(x), np.dtype(bool))


def isnan(x: Any) -> Any:
    """[2.3.6] Whether each element is NaN."""
    x = require_basic_float(as_operand(x))
    return same_kind(np.isnan(x), not is_tile(x), np.dtype(bool))


def element_cast(x: Any, dtype: DTypeLike) -> Any:
    """[1.7.2] Each element converted by value; narrowing is allowed.

    To floating point: rounded to nearest, ties to even; fp8 and fp4 saturate, as their headers do (the manual
    leaves the result open); e8m0 gets the smallest power of two not below the magnitude. To integers:
    integers modulo 2^n, floating point truncated toward zero; raises UndefinedBehaviorError
    (conversion-range) if the result does not fit. To bool: whether the element is not zero.
    """
    return convert(x, dtype)


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
