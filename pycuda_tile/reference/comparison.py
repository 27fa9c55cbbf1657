"""[2.2.10] Comparisons, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .conversions import arithmetic_conversion, same_kind

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


def _compare(op: Callable, lhs: Any, rhs: Any) -> Any:
    a, b, scalar = arithmetic_conversion(lhs, rhs, comparison=True)
    with np.errstate(invalid="ignore"):  # NaN compares quietly
        return same_kind(op(a, b), scalar, BOOL)
