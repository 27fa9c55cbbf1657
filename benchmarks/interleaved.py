"""Times functions in turn, so that other work on the machine affects all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median, quantiles
from typing import NamedTuple

ROUNDS = 9
SPREAD = 0.15  # a result is inconclusive if its quartiles differ by more than this fraction of the median
ATTEMPTS = 3
_TIMING = 30e-3  # seconds of one timing at least: shorter calls are repeated within it
_SHORT, _SHORT_ROUNDS = 4e-3, 101  # seconds of a timing and the rounds that are, where nothing spins
_LONG = 1.0  # seconds of a round: three are enough; and one where a round takes ten times that
_REST = 120e-3  # seconds before each timing: threads of OpenMP and OpenBLAS spin after work, up to 110 ms


class Comparison(NamedTuple):
    """Times of one call in seconds, and statistics of peer time / our time over the rounds."""

    ours: float
    peers: float
    speed: float
    low: float  # first and third quartile of the speed
    high: float
    rounds: int

    @property
    def is_conclusive(self) -> bool:
        return self.high - self.low <= SPREAD * self.speed


def compare(ours: Callable[[], object], peer: Callable[[], object], attempts: int = ATTEMPTS) -> Comparison:
    """Repeated while it is inconclusive, at most `attempts` times; the last result counts."""
    for _ in range(attempts):
        result = _compare_once(ours, peer)
        if result.is_conclusive:
            break
    return result


def _compare_once(ours: Callable, peer: Callable) -> Comparison:
    functions = (ours, peer)
    first = [_second_call(function) for function in functions]
    if sum(first) >= 10 * _LONG:
        return Comparison(*first, *[first[1] / first[0]] * 3, rounds=1)
    rounds = rounds_of(functions, ROUNDS if sum(first) < _LONG else 3)
    ratios = [peers / mine for mine, peers in rounds]
    low, _, high = quantiles(ratios, n=4, method="inclusive")
    mine, peers = (median(column) for column in zip(*rounds, strict=True))
    return Comparison(mine, peers, median(ratios), low, high, len(rounds))


def rounds_of(functions: Sequence[Callable[[], object]], count: int) -> list[list[float]]:
    """For each round, the seconds of one call of each function; every other round goes backwards."""
    counts = [_count(_second_call(function)) for function in functions]
    rounds = []
    for number in range(count):
        taken = [0.0] * len(functions)
        for at in range(len(functions))[:: 1 if number % 2 else -1]:
            taken[at] = seconds(functions[at], counts[at])
        rounds.append(taken)
    return rounds


def processor_ratio(ours: Callable[[], object], peer: Callable[[], object]) -> float:
    """The median of the peer's processor time / ours, over rounds so short that other work on the machine
    slows down both alike. Nothing in the process may spin."""
    functions = (ours, peer)
    counts = [max(1, round(_SHORT / _second_call(function))) for function in functions]
    ratios = []
    for number in range(_SHORT_ROUNDS):
        taken = [0.0, 0.0]
        for at in (0, 1) if number % 2 else (1, 0):
            taken[at] = _total(functions[at], counts[at], time.process_time) / counts[at]
        ratios.append(taken[1] / taken[0])
    return median(ratios)


def timed(function: Callable[[], object]) -> float:
    """Seconds of one call, by as many as a timing takes."""
    return seconds(function, _count(_second_call(function)))


def seconds(function: Callable[[], object], count: int) -> float:
    """Of one call, as the mean of `count`. Short ones are called as often before, since threads that
    slept may be on one core at first.
    """
    time.sleep(_REST)
    if count > 1:
        _total(function, count)
    return _total(function, count) / count


def _count(taken: float) -> int:
    return max(1, round(_TIMING / taken))


def _second_call(function: Callable[[], object]) -> float:
    function()
    return _total(function, 1)


def _total(
    function: Callable[[], object], count: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    start = clock()
    for _ in range(count):
        function()
    return clock() - start
