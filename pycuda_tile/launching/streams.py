"""CUDA streams for launches: given by the user, or the current one of the framework of its arrays."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArgumentRangeError, ArgumentTypeError
from .arrays import ptr, strided


def stream_handle(stream: object) -> int:
    """The cudaStream_t of an object with __cuda_stream__ or of a PyTorch, CuPy or Numba stream. An address is
    returned as it is."""
    handle = _stream_address(stream)
    if not 0 <= handle < 2**64:
        raise ArgumentRangeError(f"the address of a stream must be from 0 to 2**64 - 1, got {handle}")
    return handle


def _stream_address(stream: object) -> int:
    if protocol := getattr(stream, "__cuda_stream__", None):
        try:
            return operator.index(protocol()[1])
        except (TypeError, LookupError) as error:
            raise ArgumentTypeError(
                f"__cuda_stream__ of {type(stream).__name__} did not give a version and an address: {error}"
            ) from error
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    for attribute in ("cuda_stream", "ptr", "handle"):  # older PyTorch, CuPy and Numba
        handle = getattr(stream, attribute, None)
        handle = getattr(handle, "value", handle)  # Numba's is a ctypes pointer
        if isinstance(handle, int):
            return handle
    raise ArgumentTypeError(
        "a stream must be an object with __cuda_stream__ or the address of a cudaStream_t, "
        f"got {type(stream).__name__}"
    )


def current_stream(arguments: Sequence[object]) -> int:
    """The stream for a launch with these arguments: the current stream of the framework to which the first
    array belongs, else 0, CUDA's default stream."""
    value: Any
    for value in arguments:
        kind: Any = type(value)
        if kind is int or kind is float:
            continue
        if kind is ptr or kind is strided:
            value = value.array
            kind = type(value)
        framework = framework_of(kind)
        if framework == "torch":
            if getattr(value, "is_cuda", False):
                return _stream_of_torch(sys.modules["torch"])(value)
        elif framework == "cupy":
            return sys.modules["cupy"].cuda.get_current_stream().ptr
        elif interface := getattr(value, "__cuda_array_interface__", None):
            return interface.get("stream") or 0
    return 0


@functools.lru_cache(maxsize=256)
def framework_of(kind: type) -> str:
    """The package that defines a type."""
    return kind.__module__.partition(".")[0]


@functools.lru_cache(maxsize=1)
def _stream_of_torch(torch: Any) -> Callable[[Any], int]:
    """A function from a tensor to the current stream of its device."""
    if raw := getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None):
        return lambda tensor: raw(tensor.get_device())  # five times as fast; torch.compile uses it too
    return lambda tensor: torch.cuda.current_stream(tensor.device).cuda_stream
