"""The device "cuda" of PyTorch and of cuda.tile as the CPU, for scripts that were written for a GPU."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from cuda.tile import _cext

from .streams import Event, Stream

_CAPABILITY = (10, 0)  # kernels may use all that cuda.tile has
_LEAST_PROCESSORS = 8  # kernels divide the number by that of a cluster
_MEMORY = 2**34
_PLACE = "_pycuda_tile_place"  # where a tensor has been made or moved, by its name
_AFTER_DEVICE = ("dtype", "non_blocking", "copy")  # the parameters of torch.Tensor.to
_NVTX = ("range_push", "range_pop", "range_start", "range_end", "mark")


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
        for module, names in ((torch.cuda.nvtx, _NVTX), (torch.cuda.profiler, ("start", "stop"))):
            for name in names:
                stack.enter_context(mock.patch.object(module, name, _doing_nothing()))
        stack.enter_context(mock.patch.object(torch.Tensor, "cuda", _to_gpu))
        stack.enter_context(mock.patch.object(torch.Tensor, "pin_memory", lambda tensor, *device: tensor))
        stack.enter_context(mock.patch.object(torch.Tensor, "record_stream", _doing_nothing()))
        stack.enter_context(mock.patch.object(torch.Tensor, "is_cuda", property(lambda tensor: True)))
        stack.enter_context(mock.patch.object(torch, "Generator", _generator(torch)))
        stack.enter_context(_mode(torch))
        yield


def _torch_or_none() -> Any:
    try:
        import torch
    except ImportError:
        return None
    return torch


def _to_gpu(tensor: Any, *arguments: object, **named: object) -> Any:
    return _moved(tensor, tensor, "cuda")


def _moved(tensor: Any, result: Any, place: str) -> Any:
    """The result of moving a tensor: a copy, as between memories, unless it has been moved there before."""
    if result is tensor and getattr(tensor, _PLACE, None) != place:
        result = tensor.clone()
    setattr(result, _PLACE, place)
    return result


def _doing_nothing() -> Callable[..., None]:
    """A function of its own for each name, as torch.compile demands."""
    return lambda *arguments, **named: None


def _mode(torch: Any) -> Any:
    tensor_type = torch.Tensor

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, arguments: tuple = (), named: dict | None = None
        ) -> Any:
            named = named or {}
            if function is torch.device:
                name = (*arguments, *named.values())[0]
                return function("cpu") if _is_gpu(name) else function(*arguments, **named)
            if function is tensor_type.to and len(arguments) > 1 and _is_device(arguments[1]):
                named = {
                    "device": arguments[1],
                    **dict(zip(_AFTER_DEVICE, arguments[2:], strict=False)),
                    **named,
                }
                arguments = arguments[:1]
            device = "cpu" if function is tensor_type.cpu else named.get("device")
            arguments = tuple(map(_on_cpu, arguments))
            named = {name: _on_cpu(value) for name, value in named.items()}
            if _is_number(device):
                named["device"] = "cpu"
            if named.get("pin_memory"):
                named["pin_memory"] = False
            result = function(*arguments, **named)
            if device is None or not isinstance(result, tensor_type):
                return result
            source = arguments[0] if arguments else None
            if function in (torch.as_tensor, torch.asarray) and not isinstance(source, tensor_type):
                source = result  # which may be the memory of an array of NumPy
            # The device of a GPU is the CPU's here, so that an object may be either: the GPU's is likelier.
            return _moved(source, result, "cpu" if device == "cpu" else "cuda")

    def _is_device(value: Any) -> bool:
        return isinstance(value, (str, torch.device)) or _is_number(value)

    def _on_cpu(value: Any) -> Any:
        if isinstance(value, str) and _is_gpu(value):
            return "cpu"
        if isinstance(value, torch.device) and value.type == "cuda":
            return torch.device("cpu")
        return value

    return Mode()


def _is_gpu(device: object) -> bool:
    return _is_number(device) or str(device).partition(":")[0] == "cuda"


def _is_number(device: object) -> bool:
    return isinstance(device, int) and not isinstance(device, bool)


def _generator(torch: Any) -> type:
    class Generator(torch.Generator):
        """One for the CPU, whatever device it is made for."""

        def __new__(cls, device: object = "cpu") -> Any:
            return super().__new__(cls, "cpu")

    return Generator


class Device(contextlib.nullcontext):
    """In the place of torch.cuda.device, which torch asks for as a type."""

    def __init__(self, *arguments: object):
        super().__init__()


def _replacements(torch: Any) -> dict[str, Any]:
    stream, random = Stream(), torch.default_generator
    properties = types.SimpleNamespace(
        name="pycuda_tile CPU", gcnArchName="", major=_CAPABILITY[0], minor=_CAPABILITY[1],
        multi_processor_count=max(torch.get_num_threads(), _LEAST_PROCESSORS),
        total_memory=_MEMORY, L2_cache_size=2**21, warp_size=32,
        shared_memory_per_block=48 << 10, shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        regs_per_multiprocessor=2**16, max_threads_per_multi_processor=2048,
    )  # fmt: skip
    without_effect = (
        "set_device", "synchronize", "empty_cache", "ipc_collect", "init",
        "reset_peak_memory_stats", "reset_max_memory_allocated",
    )  # fmt: skip
    sizes = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    return {
        "is_available": lambda: True,
        "is_current_stream_capturing": lambda: False,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        **{name: _doing_nothing() for name in without_effect},
        **{name: lambda *arguments: 0 for name in sizes},
        "mem_get_info": lambda *arguments: (_MEMORY, _MEMORY),
        "manual_seed": lambda seed: _ignored(random.manual_seed(seed)),
        "manual_seed_all": lambda seed: _ignored(random.manual_seed(seed)),
        "initial_seed": lambda: random.initial_seed(),
        "get_rng_state": lambda *device: random.get_state(),
        "set_rng_state": lambda state, *device: _ignored(random.set_state(state)),
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


def _ignored(result: object) -> None:
    """Some functions have no result where those that stand in for them have one."""
