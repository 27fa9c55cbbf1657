"""Measures the times of launches on a GPU with driver events."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import LaunchError
from .arrays import ptr, strided
from .gpu_launcher import ensure_context
from .streams import current_stream, framework_of


class EventClock:
    """A clock on the stream of a launch's arguments."""

    def __init__(self, arguments: Sequence[object]):
        from cuda.bindings import driver

        ensure_context(driver)
        self._stream = current_stream(arguments)
        self._events = [self._checked(driver.cuEventCreate(0)) for _ in range(2)]

    def seconds(self, launch: Callable[..., object], arguments: Sequence[object], count: int) -> float:
        """The mean time of `count` launches. Raises LaunchError if one failed while it ran."""
        from cuda.bindings import driver

        begin, end = self._events
        self._checked(driver.cuEventRecord(begin, self._stream))
        for _ in range(count):
            launch(*arguments)
        self._checked(driver.cuEventRecord(end, self._stream))
        self._checked(driver.cuEventSynchronize(end))
        return self._checked(driver.cuEventElapsedTime(begin, end)) * 1e-3 / count

    def __del__(self) -> None:
        if driver := sys.modules.get("cuda.bindings.driver"):
            for event in getattr(self, "_events", ()):
                driver.cuEventDestroy(event)

    @staticmethod
    def _checked(result: tuple[Any, ...]) -> Any:
        status, *values = result
        if status:
            raise LaunchError(f"timing launches on a GPU failed: {status.name}")
        return values[0] if values else None


def is_on_device(value: Any) -> bool:
    """Whether an argument is an array on a GPU, as far as a quick look can tell."""
    value = value.array if isinstance(value, (ptr, strided)) else value
    kind: Any = type(value)
    if framework_of(kind) == "torch":
        return bool(getattr(value, "is_cuda", False))
    return hasattr(value, "__cuda_array_interface__")
