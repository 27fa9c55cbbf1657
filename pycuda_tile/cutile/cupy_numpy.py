"""NumPy in the place of CuPy, for scripts that were written for a GPU and run where CuPy is not installed."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from .streams import Event, Stream


@contextlib.contextmanager
def cupy_is_numpy() -> Iterator[None]:
    """Within this context `import cupy` gives NumPy with CuPy's streams, events and copies to the host. If
    CuPy is installed, nothing changes."""
    if importlib.util.find_spec("cupy") is not None:
        yield
        return
    cupy = _cupy()
    sys.modules |= {"cupy": cupy, "cupy.cuda": cupy.cuda}
    try:
        yield
    finally:
        del sys.modules["cupy"], sys.modules["cupy.cuda"]


def _cupy() -> Any:
    stream = Stream()
    cuda: Any = types.ModuleType("cupy.cuda", "Streams and events that do nothing but tell the time.")
    cuda.Stream, cuda.Event, cuda.get_current_stream = Stream, Event, lambda *device: stream
    cuda.get_elapsed_time = Event.elapsed_time
    cuda.Device = lambda *device: contextlib.nullcontext()
    cupy: Any = types.ModuleType("cupy", "NumPy, with what CuPy has beside it.")
    cupy.cuda, cupy.asnumpy = cuda, np.asarray
    cupy.__getattr__ = lambda name: getattr(np, name)
    return cupy
