"""Floating-point arithmetic, comparison and math functions of Tile IR, using the package's NumPy reference.

Differences from `pycuda_tile.reference`: names of modes, the canonical NaN of maxf and minf, and cases that
C specifies and Tile IR does not (remf, pow).
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from pycuda_tile import reference

from ..elements import signed
from ..modes import ROUNDING

_COMPARE = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}


def addf(lhs: np.ndarray, rhs: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """lhs + rhs."""
    return reference.add(lhs, rhs, ROUNDING[rounding], _subnormals(flush))


def subf(lhs: np.ndarray, rhs: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """lhs - rhs."""
    return reference.sub(lhs, rhs, ROUNDING[rounding], _subnormals(flush))


def mulf(lhs: np.ndarray, rhs: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """lhs * rhs."""
    return reference.mul(lhs, rhs, ROUNDING[rounding], _subnormals(flush))


def divf(lhs: np.ndarray, rhs: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """lhs / rhs; `approx` and `full` are correctly rounded."""
    return reference.div(lhs, rhs, ROUNDING[rounding], _subnormals(flush))


def fma(lhs: np.ndarray, rhs: np.ndarray, acc: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """lhs * rhs + acc, rounded once."""
    return reference.fma(lhs, rhs, acc, ROUNDING[rounding], _subnormals(flush))


def sqrt(source: np.ndarray, rounding: str, flush: bool) -> np.ndarray:
    """The square root; `approx` is correctly rounded."""
    return reference.sqrt(source, ROUNDING[rounding], _subnormals(flush))


def rsqrt(source: np.ndarray, flush: bool) -> np.ndarray:
    """1 / the square root."""
    return reference.rsqrt(source, _subnormals(flush))


def exp2(source: np.ndarray, flush: bool) -> np.ndarray:
    """2 to the power of source."""
    return reference.exp2(source, _subnormals(flush))


def maxf(lhs: np.ndarray, rhs: np.ndarray, propagate_nan: bool, flush: bool) -> np.ndarray:
    """maximumNumber of IEEE 754, or maximum with propagate_nan; a NaN result is the canonical one."""
    return _extremum(reference.max, lhs, rhs, propagate_nan, flush)


def minf(lhs: np.ndarray, rhs: np.ndarray, propagate_nan: bool, flush: bool) -> np.ndarray:
    """minimumNumber of IEEE 754, or minimum with propagate_nan; a NaN result is the canonical one."""
    return _extremum(reference.min, lhs, rhs, propagate_nan, flush)


def absf(source: np.ndarray) -> np.ndarray:
    """The sign bit cleared, also for a NaN."""
    return reference.abs(source)


def negf(source: np.ndarray) -> np.ndarray:
    """The sign bit flipped, also for a NaN."""
    return reference.negate(source)


def cmp(lhs: np.ndarray, rhs: np.ndarray, predicate: str) -> np.ndarray:
    """Elements compared as NumPy does; NaN equals nothing."""
    with np.errstate(invalid="ignore"):
        return np.asarray(_COMPARE[predicate](lhs, rhs))


def cmpf(lhs: np.ndarray, rhs: np.ndarray, predicate: str, ordering: str) -> np.ndarray:
    """lhs compared with rhs; if either is NaN, false if ordered and true if unordered."""
    nan = np.isnan(lhs) | np.isnan(rhs)
    result = cmp(lhs, rhs, predicate)
    return np.asarray(result & ~nan if ordering == "ordered" else result | nan)


def fpowi(source: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """source to the power of an integer of at most 32 bits, read as signed."""
    wide = source.astype(np.longdouble if source.dtype == np.float64 else np.float64)
    with np.errstate(all="ignore"):
        result = np.power(wide, signed(exponent).astype(wide.dtype))
    return np.asarray(result.astype(source.dtype))


#: Functions of one operand, without attributes that affect the value.
UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "absf": absf,
    "negf": negf,
    **{
        name: getattr(reference, name)
        for name in ("ceil", "floor", "cos", "cosh", "exp", "log", "log2", "sin", "sinh", "tan", "tanh")
    },
}

#: Functions of two operands, without attributes.
BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "atan2": reference.atan2,
    "fpowf": reference.pow,
    "fpowi": fpowi,
    "pow": reference.pow,
    "remf": reference.remainder,
}


def _subnormals(flush: bool) -> str | None:
    return "round_subnormals_to_zero" if flush else None


def _extremum(
    function: Callable, lhs: np.ndarray, rhs: np.ndarray, propagate_nan: bool, flush: bool
) -> np.ndarray:
    mode = "propagate_nan" if propagate_nan else None
    result = function(lhs, rhs, mode, _subnormals(flush))
    return np.where(np.isnan(result), result.dtype.type(np.nan), result)
