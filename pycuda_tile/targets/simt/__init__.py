"""The target `simt`: our header, compiled by NVRTC for CUDA GPUs of compute capability 7.0 or higher."""

from __future__ import annotations

from ..target import Target
from .threads import THREADS


def _is_usable() -> bool:
    """Whether this machine has a GPU for which the installed NVRTC compiles."""
    from ...launching import gpu  # here, because descriptors are imported wherever targets are listed

    if not gpu.is_usable():
        return False
    from .compiling import compiles_for

    return compiles_for(gpu.default_arch())


TARGET = Target(
    "simt",
    module="pycuda_tile.targets.simt.compiling",
    on_gpu=True,
    threads=THREADS,
    emits={"ptx": "ptx", "cubin": "binary"},
    is_usable=_is_usable,
)
