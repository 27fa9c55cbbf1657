"""The cost of checked builds: times of the example kernels with and without checks, in turn, and memory.

python benchmarks/checked.py [--write]      --write keeps the table in results/checked.txt
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import multiprocessing
import time
from pathlib import Path
from statistics import median

import numpy as np
from example_problems import EXAMPLES, PROBLEMS
from overhead import machine

import pycuda_tile as pct

HERE = Path(__file__).resolve().parent
ROUNDS = 5


def launches(name: str) -> list:
    """The launches of one example without and with checks, after a test of its result."""
    common = importlib.import_module("_common")
    runs = []
    for checked in (False, True):
        problem = importlib.import_module(name).problem(*PROBLEMS[name])
        options = {"target": "cpu", "checked": checked, "kernels": problem.kernels}
        run = common.Run(pct.build(EXAMPLES / f"{name}.cu", **options), problem)
        run.launch()
        assert run.error() <= problem.tolerance, name
        runs.append(run.launch)
    return runs


def seconds(launch) -> float:
    start = time.perf_counter()
    launch()
    return time.perf_counter() - start


def times() -> None:
    print(f"{'milliseconds':<16} {'unchecked':>10} {'checked':>10} {'ratio':>7}")
    ratios = []
    for name in PROBLEMS:
        plain, checked = launches(name)
        pairs = [(seconds(plain), seconds(checked)) for _ in range(ROUNDS)]
        ratios.append(median(b / a for a, b in pairs))
        columns = (1e3 * median(column) for column in zip(*pairs, strict=True))
        print("{:<16} {:>10.2f} {:>10.2f} {:>7.1f}".format(name, *columns, ratios[-1]))
    print(f"median ratio {median(ratios):.1f} (wanted: at most 20), greatest {max(ratios):.1f}")


SOURCE = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void write_back({T}* a) {{
  auto i = ct::bid().x * 1024ull + ct::iota<ct::tile<unsigned long long, ct::shape<1024>>>();
  auto x = ct::load(a + i);
  ct::store(a + i, x);
}}
"""
BLOCKS = 65536


def peak_bytes(dtype: str, cpp_type: str, checked: bool) -> int:
    """The greatest memory of a process whose kernel reads and writes all of an array once."""
    kernel = pct.build(SOURCE.format(T=cpp_type), target="cpu", checked=checked)["write_back"]
    kernel[BLOCKS](np.ones(1024 * BLOCKS, dtype))
    # getrusage would include the memory that the parent had before it started this process.
    [line] = (text for text in Path("/proc/self/status").read_text().splitlines() if text.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def memory() -> None:
    types = {"uint8": "unsigned char", "int16": "short", "float32": "float", "float64": "double"}
    for dtype, cpp_type in types.items():
        with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            plain, checked = (pool.apply(peak_bytes, (dtype, cpp_type, checked)) for checked in (False, True))
        ratio = (checked - plain) / (1024 * BLOCKS * np.dtype(dtype).itemsize)
        print(
            f"memory of the checks, array of {dtype:<8} {ratio:>5.2f} bytes a byte of the arrays (at most 9)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the table")
    write = parser.parse_args().write
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed) if write else contextlib.nullcontext():
        print(f"{machine()}; medians of {ROUNDS} rounds")
        times()
        memory()
    if write:
        (HERE / "results" / "checked.txt").write_text(printed.getvalue())
        print(printed.getvalue(), end="")


if __name__ == "__main__":
    main()
