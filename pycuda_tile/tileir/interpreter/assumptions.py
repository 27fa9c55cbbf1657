"""Checks the promises of `assume`, using the checks of the reference's assumptions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pycuda_tile.errors import UndefinedBehaviorError
from pycuda_tile.reference import assume as reference

from ..elements import signed
from .report import Report


def bounded(value: np.ndarray, lower: int | None, upper: int | None, report: Report) -> None:
    """Every element, read as signed, lies within the inclusive bounds; None leaves a side unbounded."""
    numbers = signed(value)
    if lower is not None:
        _check(lambda: reference.assume_bounded_below(numbers, lower), report)
    if upper is not None:
        _check(lambda: reference.assume_bounded_above(numbers, upper), report)


def divisible(
    value: np.ndarray, divisor: int, every: int | None, along: int | None, step: int, report: Report
) -> None:
    """Every element is a multiple of divisor. With `every`, only the first of each run of that length along
    an axis is, and the rest of the run increase by `step`: 1, or the size of the pointee for pointers."""
    numbers = signed(value)
    if every is None or along is None:
        _check(lambda: reference.assume_divisible(numbers, divisor), report)
        return
    expected, starts = reference._runs(numbers.astype(np.int64), every, along, step)
    holds = (numbers == expected) & (starts % divisor == 0)
    what = f"runs of {every} from a multiple of {divisor} along {along}"
    _check(lambda: reference._assumed(numbers, holds, what), report)


def same_elements(value: np.ndarray, groups: tuple[int, ...], report: Report) -> None:
    """Elements are equal within each block of extents `groups`; blocks at the far edges may be smaller."""
    _check(lambda: reference.assume_blocked(value, groups), report)


def _check(assumption: Callable[[], object], report: Report) -> None:
    try:
        assumption()
    except UndefinedBehaviorError as error:
        report(error.kind, error.message)
