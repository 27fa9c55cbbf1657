"""How times are measured: with events on the device, cycling through sets of arguments that are larger than
its cache, in alternating rounds of the compared functions."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import device
from cuda.bindings import driver

ROUNDS = 9
SECONDS = 0.015  # minimum of one timing
LONG = 0.25  # seconds of a call that is too slow to be repeated often
CACHE = 256 << 20  # bytes through which calls cycle: more than a GPU's cache holds

Call = Callable[[int], object]  # with the arguments of this number


class Timer:
    """Measures calls; `sets` is the number of sets of arguments. `once`: one call each, for dry runs."""

    def __init__(self, once: bool = False):
        self.once = once
        self._start, self._stop = device.Event(), device.Event()

    def seconds(self, call: Call, sets: int, repeats: int) -> float:
        """Seconds of one call: the mean of `repeats`."""
        self._start.record()
        for i in range(repeats):
            call(i % sets)
        self._stop.record()
        return self._stop.seconds_since(self._start) / repeats

    def roughly(self, call: Call, sets: int) -> float:
        """Seconds of a call, to choose among candidates."""
        once = self.seconds(call, sets, 1)
        if self.once:
            return once
        once = self.seconds(call, sets, 2)
        return once if once > LONG else min(self.seconds(call, sets, self._repeats(once)) for _ in range(2))

    def compare(self, calls: dict[str, Call], sets: int) -> dict[str, list[float]]:
        """Seconds of each call, a number a round. The rounds go in turn, so that a clock that changes its
        rate meets all alike."""
        if self.once:
            return {name: [self.seconds(call, sets, 1)] for name, call in calls.items()}
        repeats = {name: self._repeats(self.seconds(call, sets, 1)) for name, call in calls.items()}
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                if repeats[name] > 1 or len(times[name]) < 3:
                    times[name].append(self.seconds(call, sets, repeats[name]))
        return times

    def copy_bandwidth(self) -> float:
        """Bytes per second that a copy within the device reads and writes."""
        size = CACHE >> 10 if self.once else CACHE
        source, to = device.Memory(bytes(size)), device.Memory(bytes(size))

        def copy(_: int) -> None:
            device.call(driver.cuMemcpyDtoDAsync, to.address, source.address, size, 0)

        seconds = median(self.compare({"copy": copy}, 1)["copy"])
        source.free(), to.free()
        return 2 * size / seconds

    def _repeats(self, seconds: float) -> int:
        return max(1 if seconds > LONG else 3, min(1000, int(SECONDS / max(seconds, 1e-7))))
