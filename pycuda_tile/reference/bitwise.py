"""[2.2.11 to 2.2.19] Bitwise operations, shifts and logic, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError

from .conversions import arithmetic_conversion, as_operand, as_operands, convert, is_tile, same_kind
from .scalars import bitwidth, is_integral

BOOL = np.dtype(bool)


def bit_and(lhs: Any, rhs: Any) -> Any:
    """[2.2.11] lhs & rhs, after arithmetic tile conversion."""
    return _bits(np.bitwise_and, lhs, rhs)


def bit_or(lhs: Any, rhs: Any) -> Any:
    """[2.2.12] lhs | rhs, after arithmetic tile conversion."""
    return _bits(np.bitwise_or, lhs, rhs)


def bit_xor(lhs: Any, rhs: Any) -> Any:
    """[2.2.13] lhs ^ rhs, after arithmetic tile conversion."""
    return _bits(np.bitwise_xor, lhs, rhs)


def bit_not(x: Any) -> Any:
    """[2.2.14] ~x; for a bool, which has one bit, the same as !x."""
    x = _integral(as_operand(x))
    return same_kind(np.invert(x), not is_tile(x), x.dtype)


def shift_left(lhs: Any, rhs: Any) -> Any:
    """[2.2.15] lhs << rhs in the type of lhs; bits shifted out are dropped."""
    return _shift(np.left_shift, lhs, rhs)


def shift_right(lhs: Any, rhs: Any) -> Any:
    """[2.2.16] lhs >> rhs in the type of lhs; copies of the sign bit are shifted in."""
    return _shift(np.right_shift, lhs, rhs)


def logical_and(lhs: Any, rhs: Any) -> Any:
    """lhs && rhs: both operands are converted to bool."""
    return _logical(np.logical_and, lhs, rhs)


def logical_or(lhs: Any, rhs: Any) -> Any:
    """lhs || rhs: both operands are converted to bool."""
    return _logical(np.logical_or, lhs, rhs)


def logical_not(x: Any) -> Any:
    """!x: the operand is converted to bool."""
    x = as_operand(x)
    return same_kind(~np.asarray(convert(x, BOOL)), not is_tile(x), BOOL)


def _bits(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs)
    return same_kind(op(_integral(a), b), scalar, a.dtype)


def _shift(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b = map(_integral, as_operands(lhs, rhs))
    bits, counts = bitwidth(a.dtype), np.asarray(b).astype(object)
    if ((counts < 0) | (counts >= bits)).any():
        raise UndefinedBehaviorError(f"{a.dtype.name} is shifted by 0 to {bits - 1} bits", kind="shift-range")
    wide = np.int64 if a.dtype.kind == "i" else np.uint64
    result = op(np.asarray(a, wide), np.asarray(counts, wide)).astype(a.dtype)
    return same_kind(result, not is_tile(a) and not is_tile(b), a.dtype)


def _integral(x: Any) -> Any:
    if not is_integral(x.dtype):
        raise TypeError(f"the operand must be integral, it is {x.dtype.name}")
    return x


def _logical(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b = as_operands(lhs, rhs)
    result = op(convert(a, BOOL), convert(b, BOOL))
    return same_kind(result, not is_tile(a) and not is_tile(b), BOOL)
