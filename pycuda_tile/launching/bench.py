"""bench(): how long a launch takes."""

from __future__ import annotations

import math
import numbers
import statistics
from collections.abc import Callable
from typing import NamedTuple

from ..errors import BuildTypeError
from .clock import clock_for

_SAMPLE = 200e-6  # seconds of one timing: shorter launches are repeated within it
_SECONDS, _LEAST, _MOST = 0.5, 5, 1000  # how long, and how often at least and at most, timings go on


class Timing(NamedTuple):
    """Times of one launch, in seconds.

    median, lower, upper:  the median and the quartiles
    bytes, flops:          what a launch moves and computes, if it was told
    """

    median: float
    lower: float
    upper: float
    bytes: float | None = None
    flops: float | None = None

    @property
    def bytes_per_second(self) -> float | None:
        return None if self.bytes is None else self.bytes / self.median

    @property
    def flops_per_second(self) -> float | None:
        return None if self.flops is None else self.flops / self.median

    def __str__(self) -> str:
        unit, scale = next(
            (unit, scale)
            for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6))
            if self.median * scale >= 1 or unit == "µs"
        )
        text = f"{_digits(scale * self.median)} {unit} "
        text += f"({_digits(scale * self.lower)} to {_digits(scale * self.upper)})"
        if self.bytes_per_second is not None:
            text += f", {_digits(self.bytes_per_second / 1e9)} GB/s"
        if self.flops_per_second is not None:
            text += f", {_digits(self.flops_per_second / 1e9)} GFLOP/s"
        return text


def _digits(value: float) -> str:
    """Three significant digits."""
    if not value:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def bench(
    launch: Callable[..., object], *args: object, bytes: float | None = None, flops: float | None = None
) -> Timing:
    """Times a launch: `print(pct.bench(kernel[grid], a, b, out, n, bytes=3 * a.nbytes))`.

    launch:  kernel[grid], or any function that launches
    args:    the arguments of the launch, which runs on them many times
    bytes:   how many bytes a launch reads and writes, for GB/s
    flops:   how many operations it computes, for FLOP/s

    The first launch, which may build the kernel, is not counted. Timings go on for about half a second, by
    events on the arguments' stream if one of them is an array on a GPU, else by this process's clock. Returns
    a Timing, which prints as the median, the quartiles and the rates. Errors of the launch are raised.
    """
    if not callable(launch):
        raise BuildTypeError(f"bench: expected kernel[grid], got {type(launch).__name__}")
    for name, amount in (("bytes", bytes), ("flops", flops)):
        if amount is not None and not (isinstance(amount, numbers.Real) and 0 <= amount < math.inf):
            raise BuildTypeError(f"bench: {name} must be a number, not negative and finite, got {amount!r}")
    seconds = clock_for(args)
    seconds(launch, args, 1)
    once = seconds(launch, args, 1)
    count = max(1, round(_SAMPLE / max(once, 1e-9)))
    rounds = min(_MOST, max(_LEAST, round(_SECONDS / max(once * count, _SAMPLE))))
    taken = [seconds(launch, args, count) for _ in range(rounds)]
    lower, median, upper = statistics.quantiles(taken, n=4)
    return Timing(median, lower, upper, bytes, flops)
