"""The machine code that NVIDIA's assembler makes of the open front end's Tile IR, and of that of NVIDIA's.

    python benchmarks/front_end_code.py [--only TEXT] [--arch sm_90] [--write]

Counts the instructions of each kernel of `results/tileir_operations.md`, and says which kernels have the
same code, to the last register; --write keeps the table in results/. Neither front end contracts products and
sums.
Needs clang, nvdisasm and the extra `tile`, and no GPU: how long kernels take it does not say.
"""

from __future__ import annotations

import argparse
import re
from statistics import geometric_mean
from typing import NamedTuple

from simt_evidence import disassemble
from tileir_operations import INCLUDED, ROOT, TABLE, read_table

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.compilers.toolchain import find_clang

RESULT = TABLE.with_name("front_end_code.md")


class Row(NamedTuple):
    """The instructions of one kernel; same: whether they are equal line by line."""

    source: str
    kernel: str
    ours: int
    nvidia: int
    same: bool

    @property
    def ratio(self) -> float:
        return self.ours / self.nvidia

    def __str__(self) -> str:
        said = "the same" if self.same else f"{self.ratio:.2f}"
        return f"| {self.source} | `{self.kernel}` | {self.ours} | {self.nvidia} | {said} |"


def machine_code(source: str, kernels: list[str], arch: str, front_end: str) -> list[list[str]]:
    """Each kernel's instructions, without those that only fill up its last lines."""
    module = pct.build(
        ROOT / source,
        target="tile",
        front_end=front_end,
        arch=arch,
        kernels=kernels,
        include_dirs=[INCLUDED],
        options=("--fmad=false",) if front_end == "nvidia" else (),
    )
    return [instructions(module.kernel(name)) for name in kernels]


def instructions(kernel: pct.Kernel) -> list[str]:
    lines = disassemble(kernel.binary, kernel._executable.launcher._symbol)
    labels: dict[str, str] = {}  # which the disassembler numbers through all kernels of a file
    found = [
        re.sub(r"\.L_x_\d+", lambda label: labels.setdefault(label[0], f"label {len(labels)}"), line)
        for line in lines
        if line.endswith(";")
    ]
    while found[-1].startswith("NOP"):
        found.pop()
    return found


def compared(source: str, kernels: list[str], arch: str) -> list[Row]:
    try:
        both = [machine_code(source, kernels, arch, front_end) for front_end in ("open", "nvidia")]
    except pct.Error as problem:  # types that this architecture does not have
        print(f"{source}: {str(problem).strip().splitlines()[0]}", flush=True)
        return []
    return [
        Row(source, kernel, len(ours), len(theirs), ours == theirs)
        for kernel, ours, theirs in zip(kernels, *both, strict=True)
    ]


def written(rows: list[Row], arch: str) -> str:
    same = sum(row.same for row in rows)
    lines = [
        "# Machine code of the open front end's Tile IR and of NVIDIA's",
        "",
        "Made by `benchmarks/front_end_code.py`, which says what is counted.",
        "",
        f"{len(rows)} kernels for {arch}: {same} have the same machine code. All together have",
        f"{geometric_mean(row.ratio for row in rows):.2f} times NVIDIA's instructions (geometric mean).",
        f"clang {find_clang().version}, NVRTC {'.'.join(map(str, nvrtc.version('tile')))}.",
        "",
        "| source | kernel | ours | NVIDIA's | ratio |",
        "|---|---|---|---|---|",
        *map(str, rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="sources with this in their name")
    parser.add_argument("--arch", default="sm_90", help="such as sm_100")
    parser.add_argument("--write", action="store_true", help="keep the table")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("--write keeps the whole table: leave out --only")
    listed = read_table(TABLE.read_text())
    rows = []
    for source in dict.fromkeys(row.source for row in listed if given.only in row.source):
        new = compared(source, [row.kernel for row in listed if row.source == source], given.arch)
        rows += new
        for row in new:
            print(row, flush=True)
    if given.write:
        RESULT.write_text(written(rows, given.arch))


if __name__ == "__main__":
    main()
