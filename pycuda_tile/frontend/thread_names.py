"""What the threads of ordinary kernels have, and tile code does not."""

from __future__ import annotations

import re

PATTERN = re.compile(r"threadIdx|blockIdx|blockDim|gridDim|warpSize|__syncthreads|__syncwarp")
MESSAGE = "{} is unsupported in tile code"
_HINTS = {
    "blockIdx": "tile code asks ct::bid() for its block",
    "gridDim": "tile code asks ct::num_blocks() for the number of blocks",
    "__syncthreads": "tile code has no threads that could wait for each other: leave it out",
}


def hint(name: str) -> str:
    """What to write instead of one of them."""
    name = "__syncthreads" if name == "__syncwarp" else name
    return _HINTS.get(name, "tile code has no threads: ct::iota numbers the elements of a tile")
