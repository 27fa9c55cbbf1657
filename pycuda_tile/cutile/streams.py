"""Streams and events as PyTorch and CuPy have them, where a launch has ended when it returns."""

from __future__ import annotations

import time
from typing import Any


class Stream:
    """A stream that is always idle."""

    cuda_stream = ptr = 0  # as PyTorch and CuPy call its address

    def __init__(self, *arguments: object, **named: object):
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def query(self) -> bool:
        return True

    def synchronize(self, *arguments: object) -> None:
        pass

    wait_stream = wait_event = synchronize

    def record_event(self, event: Any = None) -> Any:
        event = event or Event()
        event.record()
        return event


class Event:
    """An event that takes the time when it is recorded."""

    def __init__(self, *arguments: object, **named: object):
        self.time = 0.0

    def record(self, stream: object = None) -> None:
        self.time = time.perf_counter()

    def query(self) -> bool:
        return True

    def synchronize(self, *arguments: object) -> None:
        pass

    wait = synchronize

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds."""
        return 1e3 * (end.time - self.time)
