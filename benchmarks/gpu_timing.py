"""How gpu.py measures times: with events on the device, cycling through sets of arguments that are larger
than its cache, in alternating rounds of the compared functions."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import torch

ROUNDS = 9
SECONDS = 0.015  # minimum of one timing
LONG = 0.25  # seconds of a call that is too slow to be repeated often
CACHE = 256 << 20  # bytes through which calls cycle: more than a GPU's cache holds

Call = Callable[[tuple], object]


class Device:
    """Where the work is done: a GPU; "cpu" shows that the benchmark works where there is none."""

    def __init__(self, name: str):
        self.name = name

    def synchronize(self) -> None:
        if self.name == "cuda":
            torch.cuda.synchronize()

    def seconds(self, call: Call, sets: list[tuple], repeats: int) -> float:
        """Seconds of one call: the mean of `repeats`."""
        if self.name != "cuda":
            begin = time.perf_counter()
            for i in range(repeats):
                call(sets[i % len(sets)])
            return (time.perf_counter() - begin) / repeats
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for i in range(repeats):
            call(sets[i % len(sets)])
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / repeats

    def roughly(self, call: Call, sets: list[tuple]) -> float:
        """Seconds of a call, to choose among candidates."""
        self.seconds(call, sets, 1)
        once = self.seconds(call, sets, 2)
        return once if once > LONG else min(self.seconds(call, sets, self._repeats(once)) for _ in range(2))

    def compare(self, calls: dict[str, Call], sets: list[tuple]) -> dict[str, list[float]]:
        """Seconds of each call, a number a round. The rounds go in turn, so that a clock that changes its
        rate meets all alike."""
        repeats = {name: self._repeats(self.seconds(call, sets, 1)) for name, call in calls.items()}
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                if repeats[name] > 1 or len(times[name]) < 3:
                    times[name].append(self.seconds(call, sets, repeats[name]))
        return times

    def _repeats(self, seconds: float) -> int:
        return max(1 if seconds > LONG else 3, min(1000, int(SECONDS / max(seconds, 1e-7))))

    def copy_bandwidth(self, size: int = CACHE) -> float:
        """Bytes per second that a copy within the device reads and writes."""
        sets = [tuple(torch.empty(size, dtype=torch.uint8, device=self.name) for _ in range(2))]
        return 2 * size / median(self.compare({"copy": lambda pair: pair[1].copy_(pair[0])}, sets)["copy"])
