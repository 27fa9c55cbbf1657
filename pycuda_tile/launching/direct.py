"""Launch functions that run no Python code.

A small library (lib/python/call.h) takes the usual arguments (NumPy arrays, PyTorch tensors and plain
numbers) and starts the kernel. Any other argument, and any that does not fit, is passed to Python.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compilers import native
from ..errors import Error
from ..system import resources
from . import dlpack
from .grid import MOST_BLOCKS
from .kernel_output import KernelOutput
from .parameters import BOOL, FLOAT, SIGNED, UNSIGNED, VOID, Parameter

_ABI_VERSION = 3
_MOST_PARAMETERS = 32
_INTEGER, _BOOLEAN, _FLOAT, _DOUBLE, _ARRAY = range(5)
_SCALARS = {BOOL: (1,), SIGNED: (1, 2, 4, 8), UNSIGNED: (1, 2, 4, 8), FLOAT: (4, 8)}  # sizes in bytes


# --- the structures of lib/python/call.h --------------------------------------------------------------------


class _Parameter(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint) for name in ("kind", "writable", "code", "bits", "misaligned")),
        ("dtype", ctypes.py_object),
        ("lowest", ctypes.c_longlong),
        ("highest", ctypes.c_longlong),
    ]


class _Objects(ctypes.Structure):
    _fields_ = [
        *(
            (name, ctypes.py_object)
            for name in ("none", "true", "false", "int", "float", "tuple", "exception")
        ),
        *((name, ctypes.py_object) for name in ("ndarray", "float32", "float64")),
        *((name, ctypes.py_object) for name in ("dtype", "stream", "cuda_stream")),
        *((name, ctypes.py_object) for name in ("tensor", "parameter", "is_neg")),
        ("torch", ctypes.c_void_p),
        ("main_thread", ctypes.c_ulong),
    ]


class _Kernel(ctypes.Structure):
    _fields_ = [
        ("parameters", ctypes.POINTER(_Parameter)),
        ("count", ctypes.c_uint),
        ("on_device", ctypes.c_uint),
        ("start", ctypes.c_void_p),
        ("function", ctypes.c_void_p),
        ("threads", ctypes.c_uint),
        ("shared_bytes", ctypes.c_uint),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        ("kernel", ctypes.POINTER(_Kernel)),
        ("grid", ctypes.c_uint * 3),
        ("has_stream", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("printed", ctypes.POINTER(ctypes.c_ulong)),
    ]


# --- kernels and their launch functions ---------------------------------------------------------------------


class DirectKernel:
    """A kernel that can be launched without Python code, once load() has set its address."""

    def __init__(self, kernel: _Kernel):
        self._kernel = kernel

    def load(self, function: int) -> None:
        """function: the address of its CUfunction, or of its cuda_tile_kernel on the host"""
        self._kernel.function = function

    def bind(
        self,
        grid: Sequence[int],
        by_python: Callable[..., None],
        stream: int | None = None,
        fail: Callable[[int, bytes], None] | None = None,
        output: KernelOutput | None = None,
    ) -> Callable[..., None]:
        """A function that launches the kernel on `grid`.

        by_python:  does the same in Python, and rejects arguments given by name
        stream:     None means the current stream of the first array's framework
        fail:       on the host, raises an error for the result of cuda_tile_launch
        output:     on the host, the output of the kernel
        """
        call = _Call(ctypes.pointer(self._kernel), tuple(grid), stream is not None, stream)
        return _make_function(library().cuda_tile_python_function, call, by_python, fail, output)

    def bind_any_grid(
        self,
        by_python: Callable[..., None],
        fail: Callable[[int, bytes], None] | None = None,
        output: KernelOutput | None = None,
    ) -> Callable[..., None]:
        """A function like Kernel.launch: its first argument is the grid, and it takes a stream by name."""
        call = _Call(ctypes.pointer(self._kernel), MOST_BLOCKS)
        return _make_function(library().cuda_tile_python_function_of_grid, call, by_python, fail, output)


def make_kernel(
    parameters: Sequence[Parameter], on_device: bool, start: int, threads: int = 0, shared_bytes: int = 0
) -> DirectKernel | None:
    """The DirectKernel; None if a launch with such parameters needs Python or the library is unavailable.

    start:                  the address of cuLaunchKernel, or of cuda_tile_launch
    threads, shared_bytes:  of a block, on a GPU
    """
    if len(parameters) > _MOST_PARAMETERS or not all(map(_is_known, parameters)) or library() is None:
        return None
    described = (_Parameter * len(parameters))(*map(_describe, parameters))
    return DirectKernel(_Kernel(described, len(parameters), on_device, start, None, threads, shared_bytes))


def _make_function(
    make: Callable[[tuple[object, ...]], Callable[..., None]],
    call: _Call,
    by_python: Callable[..., None],
    fail: Callable[[int, bytes], None] | None,
    output: KernelOutput | None,
) -> Callable[..., None]:
    if output is not None:
        call.printed = ctypes.pointer(output.size)

    def launch(*arguments: object, **named: object) -> None:
        _meet_torch()
        by_python(*arguments, **named)

    return make((ctypes.addressof(call), launch, fail, output and output.show, call))


def _is_known(parameter: Parameter) -> bool:
    if parameter.pointer:
        return parameter.kind == VOID or _dlpack_code(parameter) is not None
    return parameter.size in _SCALARS.get(parameter.kind, ())


def _dlpack_code(parameter: Parameter) -> int | None:
    return parameter.element.dlpack if parameter.element else None


def _describe(parameter: Parameter) -> _Parameter:
    if parameter.pointer:
        return _describe_array(parameter)
    if parameter.kind == BOOL:
        return _Parameter(_BOOLEAN)
    if parameter.kind == FLOAT:
        return _Parameter(_FLOAT if parameter.size == 4 else _DOUBLE)
    bits = 8 * parameter.size
    if parameter.kind == SIGNED:
        return _Parameter(_INTEGER, lowest=-(2 ** (bits - 1)), highest=2 ** (bits - 1) - 1)
    return _Parameter(
        _INTEGER, lowest=0, highest=min(2**bits - 1, 2**63 - 1)
    )  # Python takes the greater ones


def _describe_array(parameter: Parameter) -> _Parameter:
    described = _Parameter(_ARRAY, writable=not parameter.const)
    if parameter.kind != VOID:
        if parameter.element and parameter.element.has_own_code:
            import ml_dtypes  # noqa: F401  NumPy knows these types from then on
        described.dtype = np.dtype(parameter.dtype)
        described.code, described.bits = _dlpack_code(parameter), 8 * parameter.size
        described.misaligned = parameter.size - 1
    return described


# --- the library --------------------------------------------------------------------------------------------

_objects = _Objects(
    *(None, True, False, int, float, tuple, Exception),
    *(np.ndarray, np.float32, np.float64),
    *("dtype", "stream", "__cuda_stream__"),
)


@functools.cache
def library() -> Any:
    """The library (a ctypes.PyDLL); None if it is unavailable: all launches then go through Python."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None  # its table of objects would need a lock
    try:
        abi = ("cuda_tile_python_abi_version", _ABI_VERSION)
        library = native.load("cuda_tile_python", resources.direct_source_dir(), abi, ctypes.PyDLL)
    except (Error, OSError):
        return None
    for function in (library.cuda_tile_python_function, library.cuda_tile_python_function_of_grid):
        function.restype, function.argtypes = ctypes.py_object, [ctypes.py_object]
    _objects.main_thread = threading.main_thread().ident
    library.cuda_tile_python_set_objects(ctypes.byref(_objects))
    os.register_at_fork(after_in_child=_follow_fork)
    return library


def _follow_fork() -> None:
    _objects.main_thread = threading.get_ident()
    _publish()


def _meet_torch() -> None:
    """Tells the library about PyTorch once the program has imported it, if its tensors are supported."""
    if _objects.torch or (torch := sys.modules.get("torch")) is None:
        return
    tensor: Any = getattr(torch, "Tensor", None)
    nn = getattr(torch, "nn", None)
    parameter, api = getattr(nn, "Parameter", None), dlpack.exchange_api(tensor)
    if parameter is None or api is None:
        return
    _objects.tensor, _objects.parameter, _objects.is_neg = tensor, parameter, tensor.is_neg
    _objects.torch = api
    _publish()


def _publish() -> None:
    library().cuda_tile_python_set_objects(ctypes.byref(_objects))
