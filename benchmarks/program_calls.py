"""The cost of the run time's calls in a whole program, without the work of kernels, and of building one.

One table, one run."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from overhead import machine, row

from pycuda_tile.programs.program import compile_program

SOURCE = Path(__file__).resolve().parent / "programs" / "calls.cu"
BUILT = SOURCE.parents[2] / "examples" / "programs" / "layer_norm.cu"  # a kernel, with common.h 130 lines
FIGURES = {
    "launch <<<1, 1>>> of an empty tile kernel": "under 2",
    "launch <<<1, 1>>> of an empty __global__ kernel": "under 2",
    "cudaMalloc and cudaFree of 4 KiB": "under 1",
}


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(SOURCE, Path(folder) / "calls", options=["-O2", "-std=c++20"])
        lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
        start = time.perf_counter()
        compile_program(BUILT, Path(folder) / "built", options=["-O2", "-std=c++20"])
        row(f"build of {BUILT.name}, cold", time.perf_counter() - start, "s", "under 3")
    for line in lines:
        what, nanoseconds = line.split("\t")
        row(what, float(nanoseconds) / 1e9, "us", FIGURES.get(what, ""))


if __name__ == "__main__":
    main()
