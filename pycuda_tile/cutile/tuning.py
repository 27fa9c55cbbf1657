"""Times launches for cuda.tile.tune.exhaustive_search, whose search is cuda.tile's own."""

from __future__ import annotations

import time
from typing import Any

from .launching import launch

# A configuration is measured for so long at most; cuda.tile's own 5 s are for a GPU, where times vary less.
MOST_MICROSECONDS = 300_000


def benchmark(
    stream: object, grid: tuple[int, ...], kernel: Any, arguments: tuple[Any, ...], flush_l2: bool = True
) -> float:
    """The microseconds of a launch. A kernel's first launch with such arguments builds it: it warms up."""
    start = time.perf_counter()
    launch(stream, grid, kernel, arguments)
    return 1e6 * (time.perf_counter() - start)


def no_payload(*arguments: object) -> None:
    """What is sent to another process that can be stopped: none, so that launches happen in this one."""
