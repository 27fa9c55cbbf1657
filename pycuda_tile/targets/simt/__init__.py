"""The target `simt`: our header through NVRTC, for CUDA GPUs from compute capability 7.0 on."""

from __future__ import annotations

from ..target import Target
from .threads import THREADS


def _is_usable() -> bool:
    """Whether this machine has a GPU for which the NVRTC that is installed compiles."""
    from ...launching import gpu  # here, since a descriptor is imported wherever targets are listed

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
