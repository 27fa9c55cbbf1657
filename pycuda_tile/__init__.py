"""CUDA Tile C++ kernels, compiled and launched from Python.

    import pycuda_tile as pct

    module = pct.build(source)                # text, or the pathlib.Path of a .cu file
    kernel = module.kernel("vectorAdd")       # or "matmul<float, 64>"
    kernel[grid](a, b, out, n)                # NumPy arrays, numbers

The table below lists the public names and the modules that define them. Each module is imported on first
use, so importing the package costs nothing.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from . import version

if TYPE_CHECKING:
    from . import pictures, reference, tileir
    from .building.builder import build, nvrtc_build
    from .building.module import Module
    from .errors import (
        BuildValueError,
        CompileError,
        Diagnostic,
        Error,
        KernelNotFound,
        LaunchError,
        NotAvailableYet,
        TargetUnavailable,
        UndefinedBehaviorError,
    )
    from .frontend.kernel_info import KernelInfo
    from .launching.arrays import ptr, strided
    from .launching.autotuner import autotune
    from .launching.bench import bench
    from .launching.kernel import Kernel
    from .launching.launcher import set_num_workers
    from .launching.torch_operator import torch_op
    from .pictures import show
    from .programs.program import compile_program

__version__ = version.VERSION

_PUBLIC = {
    "build": "building.builder",
    "nvrtc_build": "building.builder",
    "Module": "building.module",
    "Kernel": "launching.kernel",
    "KernelInfo": "frontend.kernel_info",
    "strided": "launching.arrays",
    "ptr": "launching.arrays",
    "set_num_workers": "launching.launcher",
    "autotune": "launching.autotuner",
    "bench": "launching.bench",
    "torch_op": "launching.torch_operator",
    "compile_program": "programs.program",
    "Error": "errors",
    "BuildValueError": "errors",
    "CompileError": "errors",
    "Diagnostic": "errors",
    "KernelNotFound": "errors",
    "LaunchError": "errors",
    "NotAvailableYet": "errors",
    "TargetUnavailable": "errors",
    "UndefinedBehaviorError": "errors",
    "show": "pictures",
    "pictures": "pictures",
    "reference": "reference",
    "tileir": "tileir",
}
__all__ = [
    "BuildValueError",
    "CompileError",
    "Diagnostic",
    "Error",
    "Kernel",
    "KernelInfo",
    "KernelNotFound",
    "LaunchError",
    "Module",
    "NotAvailableYet",
    "TargetUnavailable",
    "UndefinedBehaviorError",
    "autotune",
    "bench",
    "build",
    "compile_program",
    "nvrtc_build",
    "pictures",
    "ptr",
    "reference",
    "set_num_workers",
    "show",
    "strided",
    "tileir",
    "torch_op",
]


if not TYPE_CHECKING:  # to type checkers, other names than those above are errors

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            what = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(what, name=name, obj=sys.modules[__name__])  # Python then suggests a name
        module = importlib.import_module(f".{_PUBLIC[name]}", __name__)
        value = module if name == _PUBLIC[name] else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
