"""A CUDA driver that runs PTX programs on the PTX machine, with only the functions that launches need."""

from __future__ import annotations

import ctypes
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest
from ptx_machine import launch, parse, place
from ptx_machine.memory import Global
from ptx_machine.program import Program
from run_ptx import argument_bytes, device_array

from pycuda_tile.launching import gpu


class Result(int):
    name = "CUDA_ERROR_OF_THE_TEST"


SUCCESS = Result(0)


class Library(NamedTuple):
    program: Program
    addresses: dict[str, int]  # of its variables


class PtxDriver(types.ModuleType):
    """Replaces cuda.bindings.driver. Kernels may access the arrays passed to device_array()."""

    class CUresult:
        CUDA_SUCCESS = SUCCESS
        CUDA_ERROR_INVALID_CONTEXT = Result(201)
        CUDA_ERROR_NOT_FOUND = Result(500)

    class CUstreamCaptureMode:
        CU_STREAM_CAPTURE_MODE_RELAXED = 2

    def __init__(self):
        super().__init__("cuda.bindings.driver")
        self.globe = Global()
        self.kernels: list[tuple[Library, str]] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Installs it as the machine's driver, for a GPU of compute capability 8.0."""
        monkeypatch.setitem(sys.modules, "cuda.bindings.driver", self)
        monkeypatch.setattr(sys.modules["cuda.bindings"], "driver", self, raising=False)
        monkeypatch.setattr(gpu, "compute_capability", lambda: (8, 0))

    def device_array(self, array: np.ndarray) -> types.SimpleNamespace:
        """An array that appears to be on the GPU, at its own address."""
        return device_array(array, self.globe)

    def cuInit(self, flags):
        return (SUCCESS,)

    def cuCtxGetCurrent(self):
        return SUCCESS, 1

    def cuThreadExchangeStreamCaptureMode(self, mode):
        return SUCCESS, 0

    def cuLibraryLoadData(self, code, *options):
        program = parse(code.rstrip(b"\0").decode())
        return SUCCESS, Library(program, place(program.variables.values(), self.globe))

    def cuLibraryGetKernel(self, library, name):
        self.kernels.append((library, name.decode()))
        return SUCCESS, len(self.kernels) - 1

    def cuKernelGetFunction(self, kernel):
        return SUCCESS, kernel

    def cuLibraryGetGlobal(self, library, name):
        if (address := library.addresses.get(name.decode())) is None:
            return self.CUresult.CUDA_ERROR_NOT_FOUND, 0, 0
        return SUCCESS, address, library.program.variables[name.decode()].size

    def cuMemcpyHtoDAsync(self, to, source, size, stream):
        ctypes.memmove(to, source, size)
        return (SUCCESS,)

    cuMemcpyDtoHAsync = cuMemcpyHtoDAsync

    def cuStreamSynchronize(self, stream):
        return (SUCCESS,)

    def cuLaunchKernel(self, kernel, x, y, z, threads, _y, _z, shared, stream, arguments, extra):
        library, name = self.kernels[kernel]
        launch(
            library.program,
            name,
            (x, y, z),
            threads,
            argument_bytes(library.program, name, arguments),
            self.globe,
            shared,
            addresses=library.addresses,
        )
        return (SUCCESS,)
