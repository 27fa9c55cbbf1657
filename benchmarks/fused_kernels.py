"""Which kernels the CPU runs as fused loops, and why others are not.

    python benchmarks/fused_kernels.py [--only TEXT]    prints the table
    python benchmarks/fused_kernels.py --write          keeps it in results/
    python benchmarks/fused_kernels.py --speed --write  measures them, which takes a quarter of an hour

The kernels are those of results/tileir_operations.md in examples/, tests/programs/ and benchmarks/kernels/,
those that stand for NumPy's expressions, and those of whole programs. Needs clang 19 or newer, or the ziglang
package.
"""

from __future__ import annotations

import argparse
import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import geometric_mean, median
from typing import NamedTuple

from interleaved import processor_ratio
from kernel_launches import Launch, launches, of_programs
from overhead import features, machine
from tileir_operations import INCLUDED, ROOT, read_table, translated
from tileir_operations import TABLE as OPERATIONS

import pycuda_tile as pct
from pycuda_tile import targets, tileir
from pycuda_tile.compilers import toolchain
from pycuda_tile.targets.host import loops
from pycuda_tile.targets.target import Request
from pycuda_tile.tileir.loops.translate import BY_OPERATION, FUSED

TABLE = ROOT / "benchmarks" / "results" / "fused_kernels.md"
FOLDERS = ("examples/", "benchmarks/kernels/", "tests/programs/")
ONE_LINERS = "benchmarks/kernels/one_liners.cu"
_ONE_LINERS = [f"{name}<1024>" for name in ("lengths", "leaky_relu", "adam", "standardize", "log_sum_exp")]
_ONE_LINERS += ["linear_relu<128, 128, 64>"]
HEAD = "| source | kernel | path | reason | speed |"
_BLOCKS = 1024  # of a grid at least: otherwise it is launching that takes time
_AGAIN = 4  # so often what seems slow is measured again
LEAST_SPEED = 0.95
_WHERE = "Measured on: "
_PLACE = re.compile(r"^\S+\.cu(:\d+)?: ")


class Row(NamedTuple):
    """path:   "fused", "in part" or "by operation"
    reason: why not all of it is fused"""

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
    for source, each in of_programs().items():
        found[source] = [launch.kernel for launch in each]
    found[ONE_LINERS] = [*_ONE_LINERS]
    return {source: found[source] for folder in FOLDERS for source in found if source.startswith(folder)}


def rows_of(source: str, kernels: list[str]) -> Iterator[Row]:
    path = ROOT / source
    text = path.read_text(encoding="utf-8")
    request = Request(targets.find("cpu"), text, source, path, include_dirs=(INCLUDED,), optimize="auto")
    attributes: dict[str, dict] = {}
    try:
        made = loops.translate(request, toolchain.find_compiler(), kernels, None)
        made.confirm()
        attributes, reasons = made.attributes, made.reasons
    except loops.NotFused as error:
        reasons = dict.fromkeys(kernels, str(error))
    for kernel in kernels:
        found = attributes.get(kernel) or {"path": BY_OPERATION, "reason": reasons[kernel]}
        way, reason = found["path"], _PLACE.sub("", found.get("reason", ""))
        yield Row(source, kernel, "in part" if reason and way == FUSED else way, reason)


def kept_speeds() -> tuple[dict[str, str], str]:
    """The speeds in the table, by the rest of the row, and where they were measured."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = (line.removesuffix(" |").rpartition(" | ") for line in lines)
    where = next(line for line in lines if line.startswith(_WHERE))
    return {row + " |": speed for row, _, speed in rows}, where


def measured_speeds(rows: list[Row]) -> dict[str, str]:
    """Those of the kernels that are fused, by the row."""
    sources: dict[str, list[Row]] = {}
    for row in rows:
        if row.path in (FUSED, "in part"):
            sources.setdefault(row.source, []).append(row)
    with ThreadPoolExecutor(2) as pool:
        ways = dict(zip(sources, pool.map(both_ways, sources, sources.values()), strict=True))
    pct.set_num_workers(1)  # processor time holds that of threads that wait for each other
    speeds = {}
    for source, fused in sources.items():
        made = launches(source, [row.kernel for row in fused])
        for row, *kernels in zip(fused, *ways[source], strict=True):
            assert [kernel.attributes["path"] for kernel in kernels] == [FUSED, BY_OPERATION], row
            found = speed(kernels, [launch for launch in made if launch.kernel == row.kernel])
            speeds[str(row)] = f"{found:.2f}"
            print(f"{row} {found:.2f} |", flush=True)
    return speeds


def both_ways(source: str, rows: list[Row]) -> list[list[pct.Kernel]]:
    """The kernels of the rows, fused and operation by operation."""
    names = [row.kernel for row in rows]
    return [_built(source, names, way) for way in ("auto", False)]


def _built(source: str, names: list[str], way: str | bool) -> list[pct.Kernel]:
    if "threadIdx" in (ROOT / source).read_text(encoding="utf-8"):  # by operation, a build would refuse it
        module = tileir.build(translated(source, names, CUDA_TILE_COMPOSED=1), optimize=way)
    else:
        module = pct.build(ROOT / source, target="cpu", kernels=names, include_dirs=[INCLUDED], optimize=way)
    return [module.kernel(name) for name in names]


def speed(kernels: list[pct.Kernel], made: list[Launch]) -> float:
    def run(calls: list[tuple]) -> None:
        for launch, arguments in calls:
            launch(*arguments)

    runs = []
    for kernel in kernels:
        calls = [(kernel[grid_of(kernel, launch.grid)], launch.arguments) for launch in made]
        runs.append(functools.partial(run, calls))
    return steady_ratio(*runs)


def steady_ratio(fused: Callable[[], object], plain: Callable[[], object]) -> float:
    ratios = [processor_ratio(fused, plain)]
    if ratios[0] < LEAST_SPEED:  # noise: some blocks take 10 ns
        ratios += [processor_ratio(fused, plain) for _ in range(_AGAIN)]
    return median(ratios)


def grid_of(kernel: pct.Kernel, grid: int | tuple[int, ...]) -> tuple[int, ...]:
    """A grid of many blocks: those of a small one again and again, along an axis that the kernel does not
    use; but not for products, whose blocks would share what they pack."""
    axes = (grid,) if isinstance(grid, int) else tuple(grid)
    if len(axes) == 3 or "mma" in kernel.attributes:
        return axes
    return (*axes, *(1,) * (2 - len(axes)), math.ceil(_BLOCKS / math.prod(axes)))


def written(rows: list[Row], speeds: dict[str, str], where: str) -> str:
    paths = Counter(row.path for row in rows)
    reasons = Counter(row.reason for row in rows if row.reason)
    measured = [float(speeds[str(row)]) for row in rows if speeds.get(str(row))]
    slow = sum(speed < LEAST_SPEED for speed in measured)
    lines = [
        "# Kernels as fused loops",
        "",
        "Made by `benchmarks/fused_kernels.py`. Speed is the processor time of operation-by-operation",
        "code / that of fused code on one thread, the median of short rounds in turn. It is blank where",
        "both are the same code.",
        "",
        where,
        "",
        f"{paths[FUSED]} of {len(rows)} kernels are fused as a whole. Their speeds are"
        f" {min(measured)} to {max(measured)}, with a",
        f"geometric mean of {geometric_mean(measured):.2f}; below {LEAST_SPEED}: {slow or 'none'}."
        " Blocks of most of those in",
        "tests/programs/ take 10 to 40 ns, where the same instructions at other addresses differ by a tenth.",
        "Why others are not fused:",
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
    parser.add_argument("--speed", action="store_true", help="measure the kernels of these sources anew")
    given = parser.parse_args(arguments)
    sources = {source: kernels for source, kernels in wanted().items() if given.write or given.only in source}
    if not any(given.only in source for source in sources):
        parser.error(f"no source has {given.only!r} in its name")
    rows = [row for source, kernels in sources.items() for row in rows_of(source, kernels)]
    speeds, where = kept_speeds()
    if given.speed:
        speeds |= measured_speeds([row for row in rows if given.only in row.source])
        where = f"{_WHERE}{machine()}; {features()}."
    text = written(rows, speeds, where)
    print(text, end="")
    if given.write:
        TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
