"""[2.6] Scans, and reductions along a dimension, which keeps length 1.

The manual leaves order and grouping open. A floating point sum or product is computed in double precision or
better, so a target's result lies within an error bound of it. A signed integer sum or product that overflows
in any order is undefined: UndefinedBehaviorError (integer-overflow).
"""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from . import arithmetic
from .conversions import convert
from .scalars import bitwidth, integer_range, is_basic_float, is_integral, is_signed


def sum(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.7] The sum along dim."""
    _check(a, dim)
    if is_basic_float(a.dtype):
        with np.errstate(all="ignore"):
            return convert(np.apply_along_axis(_float_sum, dim, a.astype(np.float64)), a.dtype)
    return _integers(a, dim, builtins.sum, _sum_overflows)


def prod(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.8] The product along dim."""
    _check(a, dim)
    if is_basic_float(a.dtype):
        with np.errstate(all="ignore"):
            wide = a.astype(np.longdouble if a.dtype == np.float64 else np.float64)
            product = np.prod(wide, axis=dim, keepdims=True)
            return product.astype(a.dtype) if a.dtype == np.float64 else convert(product, a.dtype)
    return _integers(a, dim, math.prod, _prod_overflows)


def reduce_max(a: np.ndarray, dim: int, nan: str | None = None, subnormals: str | None = None) -> np.ndarray:
    """[2.6.3] The maximum along dim. NaN only if all elements are NaN, unless nan="propagate_nan"."""
    _check(a, dim)
    return functools.reduce(
        lambda x, y: arithmetic.max(x, y, nan, subnormals), np.split(a, a.shape[dim], dim)
    )


def reduce_min(a: np.ndarray, dim: int, nan: str | None = None, subnormals: str | None = None) -> np.ndarray:
    """[2.6.4] The minimum along dim. NaN only if all elements are NaN, unless nan="propagate_nan"."""
    _check(a, dim)
    return functools.reduce(
        lambda x, y: arithmetic.min(x, y, nan, subnormals), np.split(a, a.shape[dim], dim)
    )


def max_element(a: np.ndarray, dim: int) -> np.ndarray:
    """[13.4] The index along dim of the maximum, of equal ones the lowest. NaN is passed over; 0 if there is
    nothing else."""
    return _place(a, reduce_max(a, dim), dim)


def min_element(a: np.ndarray, dim: int) -> np.ndarray:
    """[13.4] The index along dim of the minimum, of equal ones the lowest. NaN is passed over; 0 if there is
    nothing else."""
    return _place(a, reduce_min(a, dim), dim)


def _place(a: np.ndarray, found: np.ndarray, dim: int) -> np.ndarray:
    return np.argmax(a == found, axis=dim, keepdims=True).astype(np.uint32)


def all_of(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.5] Whether all elements along dim are true, as bool."""
    _check(a, dim)
    return convert(a, bool).all(axis=dim, keepdims=True)


def any_of(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.6] Whether any element along dim is true, as bool."""
    _check(a, dim)
    return convert(a, bool).any(axis=dim, keepdims=True)


def reduce_bitand(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.9] Bitwise and of the integers along dim."""
    return _bitwise(np.bitwise_and, a, dim)


def reduce_bitor(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.10] Bitwise or of the integers along dim."""
    return _bitwise(np.bitwise_or, a, dim)


def reduce_bitxor(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.11] Bitwise exclusive or of the integers along dim."""
    return _bitwise(np.bitwise_xor, a, dim)


def partial_sum(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.12] Along dim, the sum of the elements up to each one."""
    return _scan(sum, a, dim)


def partial_prod(a: np.ndarray, dim: int) -> np.ndarray:
    """[2.6.13] Along dim, the product of the elements up to each one."""
    return _scan(prod, a, dim)


def _bitwise(function: np.ufunc, a: np.ndarray, dim: int) -> np.ndarray:
    _check(a, dim)
    if not is_integral(a.dtype):
        raise TypeError(f"expected integers, got {a.dtype.name}")
    return function.reduce(a, axis=dim, keepdims=True)


def _scan(reduction: Callable, a: np.ndarray, dim: int) -> np.ndarray:
    """The reductions of all prefixes of `a` along dim, concatenated."""
    _check(a, dim)
    beginnings = (np.take(a, range(k + 1), axis=dim) for k in range(a.shape[dim]))
    return np.concatenate([reduction(beginning, dim) for beginning in beginnings], axis=dim)


def _check(a: np.ndarray, dim: int) -> None:
    if not isinstance(a, np.ndarray) or not 0 <= dim < a.ndim:
        raise ValueError(f"dim: expected 0 to rank - 1 of the tile, got {dim}")


def _float_sum(values: np.ndarray) -> list[float]:
    """The sum without intermediate rounding errors. A sum outside the range of double is infinite."""
    if not np.isfinite(values).all():
        return [values.sum()]
    try:
        return [math.fsum(values)]
    except OverflowError:
        return [values.sum()]


def _integers(a: np.ndarray, dim: int, function: Callable, overflows: Callable) -> np.ndarray:
    """`function` of the lists of Python integers along dim, as elements of a's type."""
    vectors = np.moveaxis(a, dim, -1)
    result = np.empty(vectors.shape[:-1], a.dtype)
    for index in np.ndindex(result.shape):
        values = [int(v) for v in vectors[index]]
        if is_signed(a.dtype) and overflows(values, *integer_range(a.dtype)):
            raise UndefinedBehaviorError(
                f"an order of the elements overflows {a.dtype.name}", kind="integer-overflow"
            )
        exact = function(values)
        result[index] = exact if is_signed(a.dtype) else exact % 2 ** bitwidth(a.dtype)
    return np.expand_dims(result, dim)


def _sum_overflows(values: list[int], low: int, high: int) -> bool:
    """Whether the sum of any of the values overflows: all positive ones together, or all negative ones."""
    positive = [v for v in values if v > 0]
    negative = [v for v in values if v < 0]
    return builtins.sum(positive) > high or builtins.sum(negative) < low


def _prod_overflows(values: list[int], low: int, high: int) -> bool:
    """Whether the product of any of the values overflows."""
    factors = [v for v in values if v != 0]
    magnitude = math.prod(map(abs, factors))
    if magnitude <= high:
        return False
    if magnitude > -low:
        return True
    # The lowest value fits but its negation does not; leaving out a factor of -1 changes the sign.
    return math.prod(factors) > 0 or -1 in factors
