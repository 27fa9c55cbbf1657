"""The device "cuda" of PyTorch and of cuda.tile as the CPU, for scripts that were written for a GPU."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any
from unittest import mock

from cuda.tile import _cext

from .streams import Event, Stream

_CAPABILITY = (10, 0)  # kernels may use all that cuda.tile has
_LEAST_PROCESSORS = 8  # kernels divide the number by that of a cluster


@contextlib.contextmanager
def cuda_is_cpu() -> Iterator[None]:
    """Within this context PyTorch's tensors for device "cuda" are made on the CPU and say that they are on a
    GPU (is_cuda), and streams and synchronisation of torch.cuda do nothing. With a GPU that PyTorch can use
    nothing changes, and without PyTorch only what cuda.tile says of the device."""
    with contextlib.ExitStack() as stack:
        torch = _torch_or_none()
        if torch is None or not torch.cuda.is_available():
            stack.enter_context(
                mock.patch.object(_cext, "get_compute_capability", lambda *device: _CAPABILITY)
            )
        if torch is None or torch.cuda.is_available():
            yield
            return
        for name, replacement in _replacements(torch).items():
            stack.enter_context(mock.patch.object(torch.cuda, name, replacement))
        stack.enter_context(mock.patch.object(torch.Tensor, "cuda", _to_cpu))
        stack.enter_context(mock.patch.object(torch.Tensor, "is_cuda", True))
        stack.enter_context(_mode(torch))
        yield


def _torch_or_none() -> Any:
    try:
        import torch
    except ImportError:
        return None
    return torch


def _to_cpu(tensor: Any, *arguments: object, **named: object) -> Any:
    return tensor


def _mode(torch: Any) -> Any:
    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, arguments: tuple = (), named: dict | None = None
        ) -> Any:
            arguments = tuple(map(_on_cpu, arguments))
            return function(*arguments, **{name: _on_cpu(value) for name, value in (named or {}).items()})

    def _on_cpu(value: Any) -> Any:
        if isinstance(value, str) and value.partition(":")[0] == "cuda":
            return "cpu"
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device("cpu")
        return value

    return Mode()


class Device(contextlib.nullcontext):
    """In the place of torch.cuda.device, which torch asks for as a type."""

    def __init__(self, *arguments: object):
        super().__init__()


def _replacements(torch: Any) -> dict[str, Any]:
    stream = Stream()

    def nothing(*arguments: object, **named: object) -> None:
        pass

    properties = types.SimpleNamespace(
        name="pycuda_tile CPU", major=_CAPABILITY[0], minor=_CAPABILITY[1],
        multi_processor_count=max(torch.get_num_threads(), _LEAST_PROCESSORS),
        total_memory=2**34, L2_cache_size=2**21, warp_size=32,
    )  # fmt: skip
    sizes = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    return {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": nothing,
        "synchronize": nothing,
        "empty_cache": nothing,
        "init": nothing,
        "reset_peak_memory_stats": nothing,
        **dict.fromkeys(sizes, lambda *arguments: 0),
        "device": Device,
        "stream": lambda *arguments: contextlib.nullcontext(),
        "Stream": Stream,
        "Event": Event,
        "current_stream": lambda *arguments: stream,
        "default_stream": lambda *arguments: stream,
        "get_device_properties": lambda *arguments: properties,
        "get_device_capability": lambda *arguments: _CAPABILITY,
        "get_device_name": lambda *arguments: properties.name,
    }
