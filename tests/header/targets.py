"""Builds test sources on each target. Without a GPU, NVRTC's code runs on the PTX machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import pycuda_tile as pct
from pycuda_tile.launching import gpu

TARGETS = {
    "cpu": {"target": "cpu"},
    "emulated-4": {"target": "emulated", "num_threads": 4},
    "emulated-32": {"target": "emulated", "num_threads": 32},
}
if gpu.is_usable():
    TARGETS["simt"] = {"target": "simt"}
elif importlib.util.find_spec("cuda") is not None:
    TARGETS["ptx"] = {"target": "simt", "arch": "sm_80"}

# Where the semantics are tested: also operation by operation, without the open front end, and as the Tile IR
# that this makes, interpreted.
ALL = {**TARGETS, "by operation": {"target": "cpu", "optimize": False}, "open": {"target": "open"}}

_DEVICE = Path(__file__).parents[2] / "examples" / "_device.py"


def build(source: str, target: dict, **options) -> OnArrays:
    """The module of `source`, which can be launched on NumPy arrays on any target."""
    if target["target"] == "open":
        from open_front_end import Kernels

        return Kernels(source)
    if target["target"] == "simt":
        options.pop("options", None)  # a host compiler's
    return OnArrays(pct.build(source, **target, **options))


class OnArrays:
    """A module whose kernels take NumPy arrays, which are copied there and back on GPU targets."""

    def __init__(self, module: pct.Module):
        self.module = module

    def __getitem__(self, name: str):
        kernel = self.module.kernel(name)
        if self.module.target != "simt":
            return kernel
        if gpu.is_usable():
            return _OnDevice(kernel)
        from run_ptx import PtxKernel

        return PtxKernel(kernel)


class _OnDevice:
    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, grid):
        def launch(*arguments):
            spec = importlib.util.spec_from_file_location("_device", _DEVICE)
            device = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(device)
            copies = [device.DeviceArray(x) if isinstance(x, np.ndarray) else x for x in arguments]
            self.kernel[grid](*copies)
            for array, copy in zip(arguments, copies, strict=True):
                if isinstance(array, np.ndarray) and array.flags.writeable:
                    array[...] = copy.to_numpy()

        return launch
