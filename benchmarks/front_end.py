"""C++ to Tile IR: the open front end on the examples, compared with NVIDIA's where it is installed.

Prints one table, and keeps it in results/ with --write. Needs clang 19 or newer, or the ziglang package.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from compile_time import NVIDIAS, SOURCES, instances, run_nvrtc
from overhead import machine

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import nvrtc, toolchain
from pycuda_tile.system import cache
from pycuda_tile.targets.tile import compiling as tile

RUNS = 9
HERE = Path(__file__).resolve().parent
WANTED = {"clang and Python": 0.4, "Python": 0.05}


class Spent(NamedTuple):
    """Processor seconds, which other work on the machine affects less than the time that passes."""

    own: float
    in_processes: float


def spent(function: Callable, *arguments: object) -> Spent:
    """What a call spends in this process, and in those that it starts, which is clang."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    function(*arguments)
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    pairs = zip(before, after, strict=True)
    return Spent(*(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in pairs))


def translate(path: Path) -> None:
    tileir.from_cpp(path, kernels=instances(path))


def nvidia(path: Path) -> None:
    run_nvrtc(path.read_text(), str(path), NVIDIAS, instances(path))


def has_nvidia() -> bool:
    try:
        tile.check_available()
    except pct.TargetUnavailable:
        return False
    return True


def times(path: Path, others: bool) -> list[float]:
    """Of clang and Python, of Python alone, from the cache, and of NVIDIA's front end."""
    rounds = []
    for _ in range(RUNS):  # in turn, so that other work on the machine affects all of them
        cache.clear()
        first, again = spent(translate, path), spent(translate, path)
        assert first.in_processes > 0.01 > again.in_processes  # the second takes LLVM IR from the cache
        theirs = spent(nvidia, path).own if others else 0.0
        rounds.append([sum(first), first.own, again.own, theirs])
    return [median(column) for column in zip(*rounds, strict=True)]


def table() -> str:
    others = has_nvidia()
    version = f"; NVRTC {'.'.join(map(str, nvrtc.version(tile.EXTRA)))}" if others else ""
    clang = toolchain.find_clang().version
    lines = [f"{machine()}; clang {clang}{version}; processor seconds, medians of {RUNS} runs"]
    lines.append(f"{'example':<20} {'clang and Python':>17} {'Python':>8} {'from cache':>11} {'NVIDIA':>8}")
    rows = []
    for path in SOURCES:
        instances(path)  # makes an input, which is not part of the time
        translate(path)  # imports what is needed
        rows.append(times(path, others))
        lines.append(row(path.stem, rows[-1]))
    lines.append(row("median", [median(column) for column in zip(*rows, strict=True)]))
    lines.append(f"{'wanted':<20} {WANTED['clang and Python']:>17.2f} {WANTED['Python']:>8.2f}")
    return "\n".join(lines) + "\n"


def row(name: str, figures: list[float]) -> str:
    whole, python, again, theirs = figures
    return f"{name:<20} {whole:>17.3f} {python:>8.3f} {again:>11.3f} {f'{theirs:.3f}' if theirs else '':>8}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the table in results/front_end.txt")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYCUDA_TILE_CACHE_DIR"] = folder
        text = table()
    print(text, end="")
    if options.write:
        (HERE / "results" / "front_end.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
