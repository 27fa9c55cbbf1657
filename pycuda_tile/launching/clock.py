"""Measures the seconds of a launch on the device of its arguments."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from . import gpu
from .event_clock import EventClock, is_on_device

Clock = Callable[[Callable[..., object], Sequence[object], int], float]


def clock_for(args: Sequence[object]) -> Clock:
    """A function of a launch, its arguments and a number: the mean time of so many launches."""
    if gpu.is_usable() and any(map(is_on_device, args)):
        return EventClock(args).seconds
    return _seconds


def _seconds(launch: Callable[..., object], args: Sequence[object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        launch(*args)
    _wait_for_gpu()  # in case none of the arguments is an array on the GPU
    return (time.perf_counter() - start) / count


def _wait_for_gpu() -> None:
    if gpu.is_usable():
        from cuda.bindings import driver

        driver.cuCtxSynchronize()
