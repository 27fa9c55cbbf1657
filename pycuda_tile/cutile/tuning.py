"""exhaustive_search(): cuda.tile.tune's, timed on the CPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import cuda.tile as ct
from cuda.tile.tune import Measurement, TuningResult

from .launching import launch

_SECONDS, _LEAST, _MOST = 0.1, 3, 200  # how long, and how often at least and at most, a configuration runs


def exhaustive_search(
    search_space: Sequence[Any],
    stream: object,
    grid_fn: Callable[[Any], tuple[int, ...]],
    kernel: Any,
    args_fn: Callable[[Any], tuple[Any, ...]],
    hints_fn: Callable[[Any], dict[str, Any]] | None = None,
    *,
    quiet: bool = False,
    single_run_timeout_sec: float | None = None,
    flush_l2: bool = True,
) -> Any:
    """Runs every configuration on the CPU; returns a cuda.tile.tune.TuningResult with the fastest.

    Takes what cuda.tile.tune.exhaustive_search takes; stream, single_run_timeout_sec and flush_l2 do nothing.
    A configuration that raises an exception is a failure. Raises ValueError if the space is empty or no
    configuration runs.
    """
    if not search_space:
        raise ValueError("Search space is empty")
    successes, failures = [], []
    for config in search_space:
        try:
            chosen = kernel if isinstance(kernel, ct.kernel) else kernel(config)
            if hints_fn is not None:
                chosen = chosen.replace_hints(**hints_fn(config))
            successes.append(_measure(config, grid_fn(config), chosen, args_fn(config)))
        except Exception as error:
            failures.append((config, type(error), str(error)))
    if not quiet:
        print(f"{len(successes)} succeeded, {len(failures)} failed")
    if not successes:
        config, kind, message = failures[0]
        raise ValueError(f"No valid config. The first, {config!r}, failed with {kind.__name__}: {message}")
    best = min(successes, key=lambda measured: measured.mean_us)
    return TuningResult(best=best, successes=successes, failures=failures)


def _measure(config: Any, grid: tuple[int, ...], kernel: Any, arguments: tuple[Any, ...]) -> Any:
    launch(None, grid, kernel, arguments)  # builds it
    times: list[float] = []
    while len(times) < _LEAST or (sum(times) < _SECONDS * 1e6 and len(times) < _MOST):
        start = time.perf_counter()
        launch(None, grid, kernel, arguments)
        times.append(1e6 * (time.perf_counter() - start))
    error = statistics.stdev(times) / len(times) ** 0.5
    return Measurement(
        config=config, mean_us=statistics.fmean(times), num_samples=len(times), error_margin_us=error
    )
