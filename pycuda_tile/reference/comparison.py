"""[2.2.10 to 2.2.19] Comparisons, bitwise and logical operators, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .conversions import arithmetic_conversion, as_operand, as_operands, is_tile, same_kind
from .convert import element_cast

BOOL = np.dtype(bool)


def equal(lhs: Any, rhs: Any) -> Any:
    """lhs == rhs, after arithmetic comparison conversion. False for NaN."""
    return _compare(operator.eq, lhs, rhs)


def not_equal(lhs: Any, rhs: Any) -> Any:
    """lhs != rhs, after arithmetic comparison conversion. True for NaN."""
    return _compare(operator.ne, lhs, rhs)


def less(lhs: Any, rhs: Any) -> Any:
    """lhs < rhs, after arithmetic comparison conversion. False for NaN."""
    return _compare(operator.lt, lhs, rhs)


def less_equal(lhs: Any, rhs: Any) -> Any:
    """lhs <= rhs, after arithmetic comparison conversion. False for NaN."""
    return _compare(operator.le, lhs, rhs)


def greater(lhs: Any, rhs: Any) -> Any:
    """lhs > rhs, after arithmetic comparison conversion. False for NaN."""
    return _compare(operator.gt, lhs, rhs)


def greater_equal(lhs: Any, rhs: Any) -> Any:
    """lhs >= rhs, after arithmetic comparison conversion. False for NaN."""
    return _compare(operator.ge, lhs, rhs)


def logical_and(lhs: Any, rhs: Any) -> Any:
    """lhs && rhs: both operands are converted to bool."""
    return _logical(np.logical_and, lhs, rhs)


def logical_or(lhs: Any, rhs: Any) -> Any:
    """lhs || rhs: both operands are converted to bool."""
    return _logical(np.logical_or, lhs, rhs)


def logical_not(x: Any) -> Any:
    """!x: the operand is converted to bool."""
    x = as_operand(x)
    return same_kind(~np.asarray(element_cast(x, BOOL)), not is_tile(x), BOOL)


def _compare(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs, comparison=True)
    with np.errstate(invalid="ignore"):  # NaN compares quietly
        return same_kind(op(a, b), scalar, BOOL)


def _logical(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b = as_operands(lhs, rhs)
    result = op(element_cast(a, BOOL), element_cast(b, BOOL))
    return same_kind(result, not is_tile(a) and not is_tile(b), BOOL)
