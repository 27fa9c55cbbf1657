"""Copies of NumPy arrays on a GPU, for the targets that run there.

Programs that use CuPy or PyTorch do not need it: they pass their own arrays.
"""

from __future__ import annotations

import numpy as np
from cuda.bindings import driver


def _call(function, *arguments):
    """Call the CUDA driver; its results without the status."""
    status, *results = function(*arguments)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{function.__name__} failed: {status.name}")
    return results[0] if results else None


def _use_first_device() -> None:
    """Make the first GPU's primary context, which all CUDA libraries share, this thread's."""
    _call(driver.cuInit, 0)
    _call(driver.cuCtxSetCurrent, _call(driver.cuDevicePrimaryCtxRetain, _call(driver.cuDeviceGet, 0)))


class DeviceArray:
    """A copy of a NumPy array on the GPU, freed with this object."""

    def __init__(self, array: np.ndarray):
        _use_first_device()
        array = np.ascontiguousarray(array)
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.nbytes
        self.pointer = _call(driver.cuMemAlloc, self.size)
        _call(driver.cuMemcpyHtoD, self.pointer, array.ctypes.data, self.size)

    def __del__(self) -> None:
        if hasattr(self, "pointer"):
            driver.cuMemFree(self.pointer)

    @property
    def __cuda_array_interface__(self) -> dict:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (int(self.pointer), False),
            "version": 3,
        }

    def to_numpy(self) -> np.ndarray:
        """The array's content after all launches, on the host."""
        self.wait()
        array = np.empty(self.shape, self.dtype)
        _call(driver.cuMemcpyDtoH, array.ctypes.data, self.pointer, self.size)
        return array

    def wait(self) -> None:
        """Wait for all launches on the GPU."""
        _call(driver.cuCtxSynchronize)
