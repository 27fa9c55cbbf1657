"""cuTile Python without a GPU: `import pycuda_tile.cutile` makes cuda.tile.launch run on the CPU.

    import cuda.tile as ct
    import pycuda_tile.cutile

    ct.launch(None, grid, kernel, (a, b, out, 64))     # NumPy arrays, or PyTorch tensors on the CPU

A kernel is exported as Tile IR for the types of its arguments, built once for each, and run as
pycuda_tile.tileir.build runs it. `python -m pycuda_tile.cutile SCRIPT ARGUMENTS` runs a script that was
written for a GPU: there PyTorch's device "cuda" is the CPU, if PyTorch knows no GPU.

What differs from a GPU: a launch has ended when ct.launch returns, so streams do nothing and may be None;
hints for the GPU's compiler (num_ctas, occupancy, opt_level, num_worker_warps, latency) do nothing;
ct.printf writes to sys.stdout; an assertion that fails raises pycuda_tile.tileir.AssertionFailed from
ct.launch; ct.tune.exhaustive_search times on the CPU.
"""

from __future__ import annotations

from .launching import options
from .switching import disable, enable

__all__ = ["disable", "enable", "options"]

enable()
