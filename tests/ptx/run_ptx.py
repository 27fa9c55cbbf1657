"""Kernels built for GPUs, run on the PTX machine: launched on NumPy arrays as other targets are."""

from __future__ import annotations

import ctypes
import functools
import types

import numpy as np
from numpy.lib.array_utils import byte_bounds
from ptx_machine import launch, parse
from ptx_machine.memory import Global

import pycuda_tile as pct
from pycuda_tile.arguments import Packer
from pycuda_tile.launch import check_grid

parse = functools.lru_cache(maxsize=8)(parse)


class PtxModule:
    """A module of target simt, whose kernels take arrays of the host."""

    target = "ptx"

    def __init__(self, module: pct.Module):
        self._module = module

    def kernel(self, name: str) -> PtxKernel:
        return PtxKernel(self._module.kernel(name))


class PtxKernel:
    """A kernel of target simt.

    ptx:           another program with the same kernel
    seed, notice:  see ptx_machine.launch
    """

    def __init__(self, kernel: pct.Kernel, ptx: str = "", seed: int | None = None, notice=None):
        self._name, self._ptx = kernel.name, ptx or kernel.ptx
        self._seed = seed
        self._notice = notice
        self._launcher = getattr(kernel._executable.launcher, "_clustered", kernel._executable.launcher)

    def __getitem__(self, grid: object):
        grid = check_grid(self._name, grid)
        launcher = self._launcher

        def run(*arguments: object) -> None:
            globe = Global()
            content = _packed(launcher._packer, [_on_device(x, globe) for x in arguments])
            launch(
                parse(self._ptx),
                launcher._symbol,
                grid,
                launcher._threads,
                content,
                globe,
                launcher._shared,
                self._seed,
                self._notice,
            )

        return run


def _packed(packer: Packer, arguments: list[object]) -> list[bytes]:
    """The bytes of each argument, as a launch gives them to the driver."""
    frame = packer.pack(arguments)
    addresses = (ctypes.c_void_p * len(packer.parameters)).from_address(frame.address)
    sizes = (8 if parameter.pointer else parameter.size for parameter in packer.parameters)
    return [ctypes.string_at(address, size) for address, size in zip(addresses, sizes, strict=True)]


def device_array(array: np.ndarray, globe: Global) -> types.SimpleNamespace:
    """An array as if it were on a GPU, at its own address, and in its memory."""
    low, high = byte_bounds(array) if array.size else (array.ctypes.data,) * 2
    globe.add(low, high - low, array.flags.writeable)
    interface = dict(array.__array_interface__, version=3)
    interface = {name: interface[name] for name in ("shape", "typestr", "data", "strides", "version")}
    return types.SimpleNamespace(__cuda_array_interface__=interface, dtype=array.dtype)


def _on_device(value: object, globe: Global) -> object:
    """An argument with its array, if it has one, as if that were on a GPU."""
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray):
        return value
    shown = device_array(array, globe)
    if isinstance(value, pct.strided):
        return pct.strided(shown)
    return pct.ptr(shown, value.offset) if isinstance(value, pct.ptr) else shown
