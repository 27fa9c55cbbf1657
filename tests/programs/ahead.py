"""Starts compilers before the tests that need them, since tests run one by one but compilers can overlap.

A test declares work that is worth starting early: `begins(work)` names a function of the test's parameters,
and the test calls `result(work, ...)` with them. The fixture in conftest.py starts the work of all selected
tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

_futures: dict[tuple, Future] = {}


def begins(work: Callable) -> Callable:
    def mark(test: Callable) -> Callable:
        test.work = work
        return test

    return mark


def start(items: Iterable) -> ThreadPoolExecutor:
    """Starts the work of the given tests, in their order."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pool = ThreadPoolExecutor(cores)
    for item in items:
        if work := getattr(getattr(item, "function", None), "work", None):
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            _futures[_key(work, parameters)] = pool.submit(work, **parameters)
    return pool


def result(work: Callable, **parameters):
    """The result of `work` for a test's parameters; raises what it raised, including pytest's skip."""
    return _futures[_key(work, parameters)].result()


def _key(work: Callable, parameters: dict) -> tuple:
    return (work, *sorted(parameters.items()))
