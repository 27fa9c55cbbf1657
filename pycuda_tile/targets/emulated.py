"""The target `emulated`, for tests: runs the code of `simt` on the host, where the threads of a block take
turns."""

from .target import Target, Threads

TARGET = Target(
    "emulated", module="pycuda_tile.targets.host.compiling", threads=Threads(fewest=1, default=4), debug=True
)
