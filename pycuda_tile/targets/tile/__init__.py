"""The target `tile`: NVIDIA's own header and tile compiler, where NVRTC 13.3 or newer is installed."""

from ..target import Target

TARGET = Target(
    "tile",
    module="pycuda_tile.targets.tile.compiling",
    on_gpu=True,
    own_header=False,
    checked=False,
    emits={"tileir": "tileir", "cubin": "binary"},
)
