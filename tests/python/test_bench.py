"""bench(): quartiles of the times of a launch."""

from __future__ import annotations

import math
import time

import pytest

import pycuda_tile as pct
from pycuda_tile.launching.bench import Timing


def test_a_launch_is_timed_after_one_that_warms_up() -> None:
    calls: list[tuple[object, ...]] = []

    def launch(*args: object) -> None:
        time.sleep(0.2 if not calls else 0.01)
        calls.append(args)

    timing = pct.bench(launch, 1, "two", bytes=2e6, flops=3e6)
    assert set(calls) == {(1, "two")}
    assert 0.01 <= timing.lower <= timing.median <= timing.upper
    assert timing.median < 0.2  # the first launch took as long
    assert timing.bytes_per_second == 2e6 / timing.median
    assert timing.flops_per_second == 3e6 / timing.median


@pytest.mark.parametrize(
    ("timing", "text"),
    [
        (Timing(2.0, 1.5, 30.0), "2.00 s (1.50 to 30.0)"),
        (Timing(0.0123, 0.01, 0.1, bytes=123e6), "12.3 ms (10.0 to 100), 10.0 GB/s"),
        (Timing(4.56e-7, 4e-7, 5e-7, flops=456), "0.456 µs (0.400 to 0.500), 1.00 GFLOP/s"),
    ],
)
def test_timings_print_with_three_digits(timing, text) -> None:
    assert str(timing) == text


def test_what_is_no_launch_is_refused() -> None:
    with pytest.raises(TypeError, match="expected kernel\\[grid\\], got int"):
        pct.bench(3)


@pytest.mark.parametrize("amount", ["4", -1, math.inf, math.nan])
def test_amounts_are_numbers(amount) -> None:
    with pytest.raises(TypeError, match="bench: flops must be a number, not negative and finite, got "):
        pct.bench(lambda: None, flops=amount)


def test_errors_of_a_launch_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        pct.bench(lambda: 1 // 0)
