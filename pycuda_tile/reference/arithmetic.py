"""[2.2] Arithmetic, element by element. Operands undergo arithmetic tile conversion, see conversions.py.

Unsigned integers wrap. Where the manual leaves a result undefined (a signed result that does not fit, a
division by zero), these functions raise UndefinedBehaviorError, whose `kind` is the one that checked builds
report. A bool has one bit and is not promoted: add and sub are exclusive or, mul is and.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import arithmetic_conversion, as_operand, convert, is_tile, same_kind
from .rounding import IMPRECISE_MODES, NEAREST, PRECISE_MODES, check_modes, exactly, subround
from .scalars import bitwidth, integer_range, is_basic_float, is_float, is_integral, is_narrowing, is_signed


def add(lhs: Any, rhs: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.1] lhs + rhs."""
    return _binary(operator.add, lhs, rhs, rounding, subnormals)


def sub(lhs: Any, rhs: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.3] lhs - rhs."""
    return _binary(operator.sub, lhs, rhs, rounding, subnormals)


def mul(lhs: Any, rhs: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.5] lhs * rhs."""
    return _binary(operator.mul, lhs, rhs, rounding, subnormals)


def div(lhs: Any, rhs: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.6] lhs / rhs; integer quotients are truncated toward zero.

    The manual leaves the result of the approximate and full rounding modes open; here it is correctly
    rounded.
    """
    return _binary(operator.truediv, lhs, rhs, rounding, subnormals, IMPRECISE_MODES, _truncated_quotient)


def ceildiv(lhs: Any, rhs: Any) -> Any:
    """[2.2.7] Integer division, rounded up."""
    return _integers(lambda a, b: -(-a // b), lhs, rhs)


def floordiv(lhs: Any, rhs: Any) -> Any:
    """[2.2.8] Integer division, rounded down."""
    return _integers(operator.floordiv, lhs, rhs)


def remainder(lhs: Any, rhs: Any) -> Any:
    """[2.2.9] The remainder of lhs after division by rhs, truncated toward zero; it has the sign of lhs.

    The remainder of two infinities, which the manual leaves open, is NaN.
    """
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    if is_float(a.dtype):
        with np.errstate(all="ignore"):
            result = np.fmod(a.astype(np.float64), b.astype(np.float64))  # exact in the type of a
        return same_kind(result, scalar, a.dtype)
    _wrap(_each(_truncated_quotient, a, b), a.dtype)  # undefined if the quotient does not fit
    return same_kind(
        _wrap(_each(lambda x, y: x - y * _truncated_quotient(x, y), a, b), a.dtype), scalar, a.dtype
    )


def negate(x: Any) -> Any:
    """[2.2.4] -x. For floating point, this inverts the sign, even of zero and NaN."""
    x = as_operand(x)
    if is_integral(x.dtype):
        return same_kind(_wrap(_each(operator.neg, np.asarray(x)), x.dtype), not is_tile(x), x.dtype)
    return same_kind(np.negative(_basic_float(x)), not is_tile(x), x.dtype)


def abs(x: Any) -> Any:
    """[2.2.22] The absolute value."""
    x = as_operand(x)
    if is_integral(x.dtype):
        result = _wrap(_each(operator.abs, np.asarray(x)), x.dtype, kind="abs-range")
        return same_kind(result, not is_tile(x), x.dtype)
    return same_kind(np.abs(_basic_float(x)), not is_tile(x), x.dtype)


def max(lhs: Any, rhs: Any, nan: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.20] IEEE 754 maximumNumber, or maximum with nan="propagate_nan"; +0 is greater than -0."""
    return _extremum(lhs, rhs, nan, subnormals, largest=True)


def min(lhs: Any, rhs: Any, nan: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.21] IEEE 754 minimumNumber, or minimum with nan="propagate_nan"; -0 is less than +0."""
    return _extremum(lhs, rhs, nan, subnormals, largest=False)


def fma(lhs: Any, rhs: Any, acc: Any, rounding: str | None = None, subnormals: str | None = None) -> Any:
    """[2.2.23] lhs * rhs + acc, rounded once, in the type and shape of acc."""
    acc = as_operand(acc)
    operands = [as_operand(x, acc.dtype) for x in (lhs, rhs)]
    check_modes(acc.dtype, rounding or NEAREST, subnormals)
    for operand in operands:
        if is_narrowing(operand.dtype, acc.dtype):
            raise TypeError(f"the conversion of {operand.dtype.name} to {acc.dtype.name} would narrow")
    a, b = (np.broadcast_to(convert(x, acc.dtype), acc.shape) for x in operands)
    a, b, c = (subround(np.asarray(x), subnormals) for x in (a, b, acc))

    mode = rounding or NEAREST
    with np.errstate(all="ignore"):
        ordinary = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
        # A product of finite numbers is finite, even where it overflows here.
        ordinary = np.where(np.isfinite(a) & np.isfinite(b) & np.isinf(c), c.astype(np.float64), ordinary)
        ordinary = _zero_sign(ordinary, np.signbit(a) ^ np.signbit(b), np.signbit(c), mode)
        result = exactly(lambda x, y, z: x * y + z, acc.dtype, mode, ordinary.astype(acc.dtype), a, b, c)
    return same_kind(subround(result, subnormals), not is_tile(acc), acc.dtype)


def mulhi(lhs: Any, rhs: Any) -> Any:
    """[2.2.24] The upper half of the product of the operands, both taken as unsigned."""
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    _require_integers(a.dtype)
    bits = bitwidth(a.dtype)
    high = _each(lambda x, y: (x % 2**bits) * (y % 2**bits) >> bits, a, b)
    if is_signed(a.dtype):
        high = _each(lambda x: x - 2**bits if x >= 2 ** (bits - 1) else x, high)
    return same_kind(high, scalar, a.dtype)


def _binary(
    op: Callable,
    lhs: Any,
    rhs: Any,
    rounding: str | None,
    subnormals: str | None,
    imprecise: tuple[str, ...] = (),
    integer_op: Callable | None = None,
) -> Any:
    """One of the four operations on converted operands."""
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    check_modes(a.dtype, rounding, subnormals, imprecise)
    if is_integral(a.dtype):
        return same_kind(_wrap(_each(integer_op or op, a, b), a.dtype), scalar, a.dtype)
    a, b = subround(a, subnormals), subround(b, subnormals)
    mode = rounding if rounding in PRECISE_MODES else NEAREST
    with np.errstate(all="ignore"):
        result = ordinary(op, a, b)
        if mode != NEAREST:
            if op in (operator.add, operator.sub):
                result = _zero_sign(result, np.signbit(a), np.signbit(b) ^ (op is operator.sub), mode)
            result = exactly(op, a.dtype, mode, result, a, b)
    return same_kind(subround(result, subnormals), scalar, a.dtype)


def ordinary(op: Callable, *operands: np.ndarray) -> np.ndarray:
    """The operation rounded to nearest. Rounding from double to a 16 bit type a second time is harmless."""
    dtype = operands[0].dtype
    if dtype.itemsize >= 4:
        return np.asarray(op(*operands))
    return convert(np.asarray(op(*(x.astype(np.float64) for x in operands))), dtype)


def _zero_sign(result: np.ndarray, first: np.ndarray, second: np.ndarray, mode: str) -> np.ndarray:
    """A sum with correctly signed zeros: toward negative, terms of opposite sign cancel to -0."""
    if mode != "round_toward_negative":
        return result
    return np.where((result == 0) & (first != second), -np.zeros_like(result), result)


def _extremum(lhs: Any, rhs: Any, nan: str | None, subnormals: str | None, largest: bool) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    if nan not in (None, "suppress_nan", "propagate_nan"):
        raise TypeError(f"nan: expected suppress_nan or propagate_nan, got {nan}")
    check_modes(a.dtype, None, subnormals)
    if is_integral(a.dtype):
        if nan is not None:
            raise TypeError(f"nan is for basic floating point, the operands are {a.dtype.name}")
        return same_kind(np.where((a > b) == largest, a, b), scalar, a.dtype)
    with np.errstate(invalid="ignore"):
        a_first = (a > b) | ((a == b) & np.signbit(b)) if largest else (a < b) | ((a == b) & np.signbit(a))
    # A NaN compares false, so b has been selected wherever an operand is NaN.
    a_first |= np.isnan(a) if nan == "propagate_nan" else np.isnan(b)
    result = np.where(a_first, a, b)
    return same_kind(subround(result, subnormals), scalar, a.dtype)


def _integers(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    _require_integers(a.dtype)
    return same_kind(_wrap(_each(op, a, b), a.dtype), scalar, a.dtype)


def _require_integers(dtype: np.dtype) -> None:
    if not is_integral(dtype):
        raise TypeError(f"operands must be integral, they are {dtype.name}")


def _basic_float(x: Any) -> Any:
    if not is_basic_float(x.dtype):
        raise TypeError(f"{x.dtype.name} is not an arithmetic scalar type")
    return x


def _truncated_quotient(a: int, b: int) -> int:
    quotient = operator.abs(a) // operator.abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _each(op: Callable, *operands: np.ndarray) -> np.ndarray:
    """`op` on the elements as Python integers, which have no limit."""
    result = np.empty(operands[0].shape, object)
    for index in np.ndindex(result.shape):
        try:
            result[index] = op(*(int(operand[index]) for operand in operands))
        except ZeroDivisionError:
            raise UndefinedBehaviorError("division by zero", kind="division-by-zero") from None
    return result


def _wrap(exact: np.ndarray, dtype: np.dtype, kind: str = "integer-overflow") -> np.ndarray:
    """Integers without limit as dtype: modulo 2^n if unsigned, undefined if signed and out of range."""
    low, high = integer_range(dtype)
    if not is_signed(dtype):
        return np.asarray(exact % (high + 1), dtype)
    for value in exact.flat:
        if not low <= value <= high:
            raise UndefinedBehaviorError(f"{value} does not fit in {dtype.name}", kind=kind)
    return exact.astype(dtype)
