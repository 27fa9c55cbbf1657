"""Which kernels the CPU runs as fused loops, and why others are not.

    python benchmarks/fused_kernels.py [--only TEXT]    prints the table
    python benchmarks/fused_kernels.py --write          keeps it in results/
    python benchmarks/fused_kernels.py --speed --write  measures the examples, which takes two minutes

The kernels are those of results/tileir_operations.md in examples/, tests/programs/ and benchmarks/kernels/,
and those that stand for NumPy's expressions, whose speed is in results/cpu_tiles.txt. speed is the time of
operation-by-operation code / the time of fused code, all cores; blank where it was not measured. Needs clang
19 or newer, or the ziglang package.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from example_problems import PROBLEMS
from interleaved import rounds_of
from tileir_operations import ROOT, read_table, translated
from tileir_operations import TABLE as OPERATIONS

import pycuda_tile as pct
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.facts import has_tiles, is_small
from pycuda_tile.tileir.loops.translate import FusingTranslator

TABLE = ROOT / "benchmarks" / "results" / "fused_kernels.md"
FOLDERS = ("examples/", "tests/programs/", "benchmarks/kernels/")
ONE_LINERS = "benchmarks/kernels/one_liners.cu"
_ONE_LINERS = [f"{name}<1024>" for name in ("lengths", "leaky_relu", "adam", "standardize", "log_sum_exp")]
_ONE_LINERS += ["linear_relu<128, 128, 64>"]
HEAD = "| source | kernel | path | reason | speed |"
_ROUNDS = 5
NO_TILES, ONE_STRIP = "no tiles", "one strip"


class Row(NamedTuple):
    """path:   "fused", "in part" or "by operation"; "one strip" where tiles are so small that operations need
            no loops, and "no tiles" where each tile has one element at most
    reason: why an operation is not fused, of the first one"""

    source: str
    kernel: str
    path: str
    reason: str = ""

    def __str__(self) -> str:
        return f"| {self.source} | `{self.kernel}` | {self.path} | {self.reason} |"


def wanted() -> dict[str, list[str]]:
    """The kernels of each source."""
    found: dict[str, list[str]] = {}
    for row in read_table(OPERATIONS.read_text(encoding="utf-8")):
        if row.source.startswith(FOLDERS):
            found.setdefault(row.source, []).append(row.kernel)
    return {**found, ONE_LINERS: [*_ONE_LINERS]}


def rows_of(source: str, kernels: list[str]) -> Iterator[Row]:
    module = translated(source, kernels, CUDA_TILE_COMPOSED=1)
    translator = FusingTranslator(module, {}, insists=False, find=None)
    translator.text()
    for kernel, entry in zip(kernels, module.entries, strict=True):
        reasons = translator.reasons[entry.name]
        found = translator.attributes[translator.kernel_names[entry.name]]
        path, reason = str(found["path"]), str(found.get("reason", ""))
        if not any(has_tiles(op) for op in walk(entry.body)):
            path = NO_TILES
        elif all(is_small(op) for op in walk(entry.body)):
            path = ONE_STRIP
        elif path == "fused" and reason:
            path = "in part"
        if path in (NO_TILES, ONE_STRIP, "fused"):
            reason = ""
        elif reasons:
            reason = f"{reasons[0].op.name}: {reasons[0].reason}"
        yield Row(source, kernel, path, reason)


def kept_speeds() -> dict[str, str]:
    """The speeds in the table, by the rest of the row."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {
        row + " |": speed for row, _, speed in (line.removesuffix(" |").rpartition(" | ") for line in lines)
    }


def measured_speeds(rows: list[Row]) -> dict[str, str]:
    """Those of the first kernel of each example that has a problem to solve, by the row; with the instance
    that was measured, if it is another one."""
    speeds = {}
    for row in rows:
        name = Path(row.source).stem
        if not row.source.startswith("examples/") or name not in PROBLEMS or row.path != "fused":
            continue
        problem = importlib.import_module(name).problem(*PROBLEMS[name])
        if problem.kernel.partition("<")[0] != row.kernel.partition("<")[0]:
            continue
        runs = []
        for way in ("auto", False):
            module = pct.build(ROOT / row.source, target="cpu", kernels=problem.kernels, optimize=way)
            kernels = [module.kernel(kernel) for kernel in problem.kernels]
            runs.append(functools.partial(problem.launch, *kernels, *problem.arrays))
        speed = f"{median(plain / fused for fused, plain in rounds_of(runs, _ROUNDS)):.2f}"
        speeds[str(row)] = speed if problem.kernel == row.kernel else f"{speed}, `{problem.kernel}`"
        print(f"{row.source}: {speeds[str(row)]}", flush=True)
    return speeds


def written(rows: list[Row], speeds: dict[str, str]) -> str:
    counted = [row for row in rows if row.path != NO_TILES]
    paths = Counter(row.path for row in counted)
    whole, small = paths["fused"], paths[ONE_STRIP]
    large, share = len(counted) - small, (whole + small) / len(counted)
    reasons = Counter(row.reason for row in counted if row.reason)
    lines = [
        "# Kernels as fused loops",
        "",
        "Made by `benchmarks/fused_kernels.py`, which says what the columns are.",
        "",
        f"Of {len(counted)} kernels with tiles, {whole} are fused as a whole. {small} have tiles of one",
        f"strip, which needs no loops: {share:.0%}. Of the {large} others, {whole / large:.0%} are fused.",
        f"{len(rows) - len(counted)} other kernels have no tiles.",
        "",
        *(f"- {count} {reason}" for reason, count in reasons.most_common()),
        "",
        HEAD,
        "|---|---|---|---|---|",
        *(f"{row} {speeds.get(str(row), '')} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="sources with this in their name")
    parser.add_argument("--write", action="store_true", help="keep the table")
    parser.add_argument("--speed", action="store_true", help="measure the examples anew")
    given = parser.parse_args(arguments)
    rows = [
        row
        for source, kernels in wanted().items()
        if given.only in source
        for row in rows_of(source, kernels)
    ]
    speeds = {**kept_speeds(), **(measured_speeds(rows) if given.speed else {})}
    print(written(rows, speeds), end="")
    if given.write:
        TABLE.write_text(written(rows, speeds), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
