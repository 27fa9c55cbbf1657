"""NumPy in the place of CuPy, for scripts that were written for a GPU and run where CuPy is not installed."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .streams import Event, Stream

#: Functions of CuPy's random with a parameter dtype, which NumPy's do not have.
_RANDOM = ("normal", "rand", "randn", "random", "random_sample", "standard_normal", "uniform")


@contextlib.contextmanager
def cupy_is_numpy() -> Iterator[None]:
    """Within this context `import cupy` gives NumPy with CuPy's streams, events, random numbers of a type and
    copies to the host. If CuPy is installed, nothing changes."""
    if importlib.util.find_spec("cupy") is not None:
        yield
        return
    cupy = _cupy()
    modules = {"cupy": cupy, "cupy.cuda": cupy.cuda, "cupy.random": cupy.random}
    sys.modules |= modules
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]


class ndarray(np.ndarray):
    """An array of NumPy that is copied to the host as CuPy's are."""

    def get(self, *arguments: object, **named: object) -> np.ndarray:
        return np.array(self)


def _cupy() -> Any:
    cupy: Any = types.ModuleType("cupy", "NumPy, with what CuPy has beside it.")
    cupy.cuda, cupy.random, cupy.ndarray = _cuda(), _random(), ndarray
    cupy.asnumpy = lambda array, *arguments, **named: np.array(array)
    cupy.asarray = lambda array, *arguments, **named: _of_cupy(
        (np.asanyarray if isinstance(array, ndarray) else np.array)(array, *arguments, **named)
    )
    cupy.get_array_module = lambda *arrays: cupy if any(isinstance(each, ndarray) for each in arrays) else np
    cupy.__getattr__ = lambda name: _function_of_cupy(getattr(np, name))
    return cupy


def _cuda() -> Any:
    stream = Stream()
    cuda: Any = types.ModuleType("cupy.cuda", "Streams and events that do nothing but tell the time.")
    cuda.Stream = type("Stream", (Stream,), {"null": stream})
    cuda.Event, cuda.get_current_stream = Event, lambda *device: stream
    cuda.get_elapsed_time = Event.elapsed_time
    cuda.Device = Device
    cuda.runtime = types.SimpleNamespace(deviceSynchronize=stream.synchronize)
    return cuda


class Device(contextlib.nullcontext):
    def __init__(self, device: int = 0):
        super().__init__()

    def synchronize(self) -> None:
        pass

    use = synchronize


def _random() -> Any:
    random: Any = types.ModuleType("cupy.random", "NumPy's, with the types of CuPy's.")
    for name in _RANDOM:
        setattr(random, name, _of_a_type(getattr(np.random, name)))
    random.__getattr__ = lambda name: _function_of_cupy(getattr(np.random, name))
    return random


def _of_a_type(function: Callable[..., Any]) -> Callable[..., Any]:
    def with_type(*arguments: object, dtype: Any = float, **named: object) -> Any:
        return _of_cupy(np.asarray(function(*arguments, **named), dtype))

    return with_type


def _function_of_cupy(value: Any) -> Any:
    """What NumPy has under a name of CuPy's: arrays that functions make are CuPy's."""
    if not callable(value) or isinstance(value, type):
        return value

    @functools.wraps(value)
    def function(*arguments: object, **named: object) -> Any:
        return _of_cupy(value(*arguments, **named))

    return function


def _of_cupy(result: Any) -> Any:
    if isinstance(result, (np.ndarray, np.generic)) and not isinstance(result, ndarray):
        return np.asarray(result).view(ndarray)
    if type(result) in (tuple, list):
        return type(result)(map(_of_cupy, result))
    return result
