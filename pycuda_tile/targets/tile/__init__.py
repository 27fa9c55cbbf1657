"""The target `tile`: NVIDIA's own header and tile compiler, where NVRTC 13.3 or newer is installed; or our
open front end, whose Tile IR NVIDIA's assembler takes as well."""

from ..target import Target

TARGET = Target(
    "tile",
    module="pycuda_tile.targets.tile.compiling",
    on_gpu=True,
    own_header=False,
    checked=False,
    front_ends=("nvidia", "open"),
    emits={"tileir": "tileir", "cubin": "binary"},
)
