"""Runs kernels built for GPUs on the PTX machine, launched on NumPy arrays like those of other targets."""

from __future__ import annotations

import ctypes
import functools
import types

import numpy as np
from numpy.lib.array_utils import byte_bounds
from ptx_machine import launch, parse
from ptx_machine.memory import Global
from ptx_machine.program import Program

import pycuda_tile as pct
from pycuda_tile.launching.grid import check_grid

parse = functools.lru_cache(maxsize=8)(parse)


class PtxModule:
    """A module of target simt whose kernels take arrays on the host."""

    target = "ptx"

    def __init__(self, module: pct.Module):
        self._module = module

    def kernel(self, name: str) -> PtxKernel:
        return PtxKernel(self._module.kernel(name))


class PtxKernel:
    """A kernel of target simt.

    ptx:           another program with the same kernel
    seed, notice, output:  see ptx_machine.launch
    """

    def __init__(self, kernel: pct.Kernel, ptx: str = "", seed: int | None = None, notice=None, output=None):
        self.name, self.ptx, self.request = kernel.name, ptx or kernel.ptx, kernel._request
        self._kernel, self._seed = kernel, seed
        self._notice, self._output = notice, output
        self.launcher = getattr(kernel._executable.launcher, "_clustered", kernel._executable.launcher)

    def __getitem__(self, grid: object):
        grid = check_grid(self.name, grid)
        if grid[0] % self._kernel.attributes.get("cluster", 1):
            return self._unclustered()[grid]
        packer = self.launcher._packer

        def run(*arguments: object) -> None:
            globe = Global()
            frame = packer.pack([_on_device(x, globe) for x in arguments])
            program = parse(self.ptx)
            self.execute(grid, argument_bytes(program, self.launcher._symbol, frame.address), globe)

        return run

    def _unclustered(self) -> PtxKernel:
        """What is launched where a grid is no multiple of the clusters."""
        request = self.request._replace(clusters=False)
        executable = request.target.compile(request, (self.name,), []).executables[self.name]
        return PtxKernel(
            pct.Kernel(self.name, request, executable), "", self._seed, self._notice, self._output
        )

    def execute(self, grid: tuple[int, ...], arguments: list[bytes], globe: Global) -> None:
        """Launches it with the bytes of its arguments, and the memory to which they point."""
        launch(
            parse(self.ptx),
            self.launcher._symbol,
            grid,
            self.launcher._threads,
            arguments,
            globe,
            self.launcher._shared,
            self._seed,
            self._notice,
            output=self._output,
        )


def argument_bytes(program: Program, name: str, address: int) -> list[bytes]:
    """The bytes of each argument of a kernel, from the address of pointers to them that a launch passes to
    the driver."""
    parameters = program.functions[name].parameters
    places = (ctypes.c_void_p * len(parameters)).from_address(address)
    return [ctypes.string_at(place, p.size) for place, p in zip(places, parameters, strict=True)]


def device_array(array: np.ndarray, globe: Global) -> types.SimpleNamespace:
    """An array that appears to be on a GPU, at its own address and in its own memory."""
    low, high = byte_bounds(array) if array.size else (array.ctypes.data,) * 2
    globe.add(low, high - low, array.flags.writeable)
    interface = dict(array.__array_interface__, version=3)
    interface = {name: interface[name] for name in ("shape", "typestr", "data", "strides", "version")}
    return types.SimpleNamespace(__cuda_array_interface__=interface, dtype=array.dtype)


def _on_device(value: object, globe: Global) -> object:
    """An argument whose array, if it has one, appears to be on a GPU."""
    array = getattr(value, "array", value)
    if not isinstance(array, np.ndarray):
        return value
    shown = device_array(array, globe)
    if isinstance(value, pct.strided):
        return pct.strided(shown)
    return pct.ptr(shown, value.offset) if isinstance(value, pct.ptr) else shown
