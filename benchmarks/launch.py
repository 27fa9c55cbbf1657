"""The cost of a launch from Python on the CPU besides the kernel's own work. One table, one run."""

from __future__ import annotations

import ctypes
import importlib.util
import tempfile
from statistics import median

import numpy as np
from overhead import PROCESSES, VECTOR_ADD, in_new_process, machine, per_call, row

import pycuda_tile as pct

KERNELS = """
#include "cuda_tile.h"
__tile_global__ void nothing() {}
__tile_global__ void four_arrays(const float* a, const float* b, const float* c, float* out) {
  out[0] = a[0] + b[0] + c[0];
}
"""

FIRST_LAUNCH = """
import time
start = time.perf_counter()
import numpy as np
{imported}
from pathlib import Path
import pycuda_tile as pct
kernel = pct.build(Path({source!r}), target="cpu").kernel("vector_add")
a = np.ones(1000, np.float32)
kernel[1](a, a, a, 1000)
print(time.perf_counter() - start)
"""


def launches(module: pct.Module) -> None:
    nothing, four = module.kernel("nothing"), module.kernel("four_arrays")
    arrays = [np.zeros(16, np.float32) for _ in range(4)]
    a, b, c, out = arrays
    c_abs = ctypes.CDLL(None).abs
    row("launch, no arguments, 1 block", per_call(lambda: nothing[1]()), "us", "under 5")
    row("launch, four NumPy arrays, 1 block", per_call(lambda: four[1](a, b, c, out)), "us", "under 8")
    if importlib.util.find_spec("torch"):
        tensors(four)
    else:
        print("launch, four torch tensors, 1 block: torch is not installed")
    pct.set_num_workers(2)
    row("launch, no arguments, 64 blocks on two workers", per_call(lambda: nothing[64]()), "us", "under 20")
    pct.set_num_workers(None)
    row("beside it: np.add of 16 floats with out=", per_call(lambda: np.add(a, b, out=out)), "us")
    row("beside it: call of C's abs through ctypes", per_call(lambda: c_abs(1)), "us")


def tensors(four: pct.Kernel) -> None:
    import torch

    a, b, c, out = (torch.zeros(16) for _ in range(4))
    row("launch, four torch tensors, 1 block", per_call(lambda: four[1](a, b, c, out)), "us", "under 12")
    row("beside it: torch.add of 16 floats with out=", per_call(lambda: torch.add(a, b, out=out)), "us")


def first_launch() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for imported, what in (("", "with NumPy's import"), ("start = time.perf_counter()", "after it")):
            code = FIRST_LAUNCH.format(source=str(VECTOR_ADD), imported=imported)
            in_new_process(code, cache)  # fills the cache, and compiles Python's byte code
            seconds = median(in_new_process(code, cache) for _ in range(PROCESSES))
            row(f"cached build and first launch, new process, {what}", seconds, "ms", "under 250")


def main() -> None:
    print(machine())
    launches(pct.build(KERNELS, target="cpu"))
    first_launch()


if __name__ == "__main__":
    main()
