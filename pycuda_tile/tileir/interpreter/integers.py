"""Integer operations of Tile IR on NumPy arrays: they wrap, and report a broken promise of `overflow`.

Each function takes tiles of one shape and element type, then its attributes, and finally the function to call
for undefined behaviour. If that function returns, the result is the documented value or a simple one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ..elements import read, signed, unlimited, unsigned, width, wrap
from .report import Report


def addi(lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    """lhs + rhs, modulo 2^n."""
    return _wrapping(operator.add, lhs, rhs, overflow, report)


def subi(lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    """lhs - rhs, modulo 2^n."""
    return _wrapping(operator.sub, lhs, rhs, overflow, report)


def muli(lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    """lhs * rhs, modulo 2^n."""
    return _wrapping(operator.mul, lhs, rhs, overflow, report)


def negi(source: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    """-source, modulo 2^n."""
    return _wrapping(operator.sub, np.zeros_like(source), source, overflow, report)


def absi(source: np.ndarray) -> np.ndarray:
    """|source|, to be read as unsigned: the lowest number is unchanged."""
    value = signed(source)
    with np.errstate(over="ignore"):
        return wrap(np.where(value < 0, np.negative(value), value), source.dtype)


def shli(lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    """lhs << rhs. A shift by the width or more is undefined (shift-range) and yields zero."""
    amount = _shift_amount(lhs, rhs, report)
    if overflow != "none":
        _check_overflow(operator.lshift, lhs, np.minimum(amount, 127).astype(lhs.dtype), overflow, report)
    shifted = np.left_shift(_as_uint64(lhs), np.minimum(amount, 63).astype(np.uint64))
    return wrap(np.where(amount < width(lhs.dtype), shifted, np.uint64(0)), lhs.dtype)


def shri(lhs: np.ndarray, rhs: np.ndarray, signedness: str, report: Report) -> np.ndarray:
    """lhs >> rhs. A shift by the width or more is undefined (shift-range) and yields copies of the sign
    bit."""
    amount = _shift_amount(lhs, rhs, report)
    if signedness == "signed":
        return wrap(signed(lhs).astype(np.int64) >> np.minimum(amount, 63).astype(np.int64), lhs.dtype)
    shifted = _as_uint64(lhs) >> np.minimum(amount, 63).astype(np.uint64)
    return wrap(np.where(amount < width(lhs.dtype), shifted, np.uint64(0)), lhs.dtype)


def divi(lhs: np.ndarray, rhs: np.ndarray, signedness: str, rounding: str, report: Report) -> np.ndarray:
    """lhs / rhs, truncated or rounded down or up. A division by zero yields zero."""
    a, b = read(lhs, signedness), read(rhs, signedness)
    _check_divisor(a, b, signedness, width(lhs.dtype), report)
    quotient = np.where(b == 0, 0, _quotient(a, b))
    rest = np.where(b == 0, 0, a - quotient * b)
    if rounding == "negative_inf":
        quotient = quotient - ((rest != 0) & ((rest < 0) != (b < 0)))
    elif rounding == "positive_inf":
        quotient = quotient + ((rest != 0) & ((rest < 0) == (b < 0)))
    return wrap(quotient, lhs.dtype)


def remi(lhs: np.ndarray, rhs: np.ndarray, signedness: str, report: Report) -> np.ndarray:
    """The remainder of the truncated division of lhs by rhs; for a division by zero, lhs."""
    a, b = read(lhs, signedness), read(rhs, signedness)
    _check_divisor(a, b, signedness, width(lhs.dtype), report)
    return wrap(np.where(b == 0, a, a - _quotient(a, b) * b), lhs.dtype)


def maxi(lhs: np.ndarray, rhs: np.ndarray, signedness: str) -> np.ndarray:
    """The greater of both, read according to `signedness`."""
    return np.where(read(lhs, signedness) > read(rhs, signedness), lhs, rhs)


def mini(lhs: np.ndarray, rhs: np.ndarray, signedness: str) -> np.ndarray:
    """The smaller of both, read according to `signedness`."""
    return np.where(read(lhs, signedness) < read(rhs, signedness), lhs, rhs)


def mulhii(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The upper half of the product of both, which are read as unsigned."""
    bits = width(x.dtype)
    if bits <= 32:
        return wrap(_as_uint64(x) * _as_uint64(y) >> np.uint64(bits), x.dtype)
    return wrap(np.asarray(unlimited(unsigned(x)) * unlimited(unsigned(y)) >> bits, object), x.dtype)


def andi(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Bitwise and."""
    return np.asarray(lhs & rhs)


def ori(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Bitwise or."""
    return np.asarray(lhs | rhs)


def xori(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Bitwise exclusive or."""
    return np.asarray(lhs ^ rhs)


def _wrapping(op: Callable, lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> np.ndarray:
    if overflow != "none":
        _check_overflow(op, lhs, rhs, overflow, report)
    with np.errstate(over="ignore"):
        return wrap(op(_as_uint64(lhs), _as_uint64(rhs)), lhs.dtype)


def _check_overflow(op: Callable, lhs: np.ndarray, rhs: np.ndarray, overflow: str, report: Report) -> None:
    """Report the first element whose exact result breaks the promise of `overflow`."""
    bits = width(lhs.dtype)
    if overflow in ("no_signed_wrap", "no_wrap"):
        second = unsigned(rhs) if op is operator.lshift else signed(rhs)
        exact = np.asarray(op(unlimited(signed(lhs)), unlimited(second)), object)
        _report_outside(exact, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, "signed", bits, report)
    if overflow in ("no_unsigned_wrap", "no_wrap"):
        exact = np.asarray(op(unlimited(unsigned(lhs)), unlimited(unsigned(rhs))), object)
        _report_outside(exact, 0, (1 << bits) - 1, "unsigned", bits, report)


def _report_outside(exact: np.ndarray, low: int, high: int, sign: str, bits: int, report: Report) -> None:
    outside = np.asarray((exact < low) | (exact > high), bool)
    if outside.any():
        value = exact[outside].flat[0] if exact.ndim else exact[()]
        report(
            "integer-overflow", f"{value} does not fit in {bits} bits as {sign}, although it was promised to"
        )


def _shift_amount(lhs: np.ndarray, rhs: np.ndarray, report: Report) -> np.ndarray:
    amount, bits = unsigned(rhs), width(lhs.dtype)
    if (amount >= bits).any():
        report("shift-range", f"a shift of {bits} bits by {int(amount.max())}")
    return amount


def _check_divisor(a: np.ndarray, b: np.ndarray, signedness: str, bits: int, report: Report) -> None:
    if (b == 0).any():
        report("division-by-zero", "division by zero")
    if signedness == "signed" and ((b == -1) & (a == -(1 << (bits - 1)))).any():
        report("integer-overflow", "the least signed number divided by -1")


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b truncated, as wrapping integers of the same signedness; arbitrary where b is zero."""
    safe = np.where(b == 0, np.ones_like(b), b)
    if a.dtype.kind == "u":
        return a // safe
    with np.errstate(all="ignore"):  # the lowest number divided by -1 wraps
        down = a // safe
        return down + ((down * safe != a) & ((a < 0) != (safe < 0)))


def _as_uint64(x: np.ndarray) -> np.ndarray:
    return unsigned(x).astype(np.uint64)
