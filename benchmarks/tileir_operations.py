"""How many operations of Tile IR the open front end makes of each kernel, beside NVIDIA's front end.

    python benchmarks/tileir_operations.py [--only TEXT]   prints the table
    python benchmarks/tileir_operations.py --write         counts again, for the table in results/
    python benchmarks/tileir_operations.py --add FILE KERNEL ...   the same, with these kernels of a file

The table itself says which kernels there are. All operations count: constants, tokens and those within
others. NVIDIA's front end is asked not to contract products and sums, which the open one does not do either.
Needs clang and the extra `tile`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import nvrtc
from pycuda_tile.compilers.toolchain import find_clang
from pycuda_tile.tileir.ir import walk

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "benchmarks" / "results" / "tileir_operations.md"
HEAD = "| source | kernel | ours | NVIDIA's | ratio | why more |"
INCLUDED = ROOT / "tests" / "programs"  # where its programs have their headers


class Row(NamedTuple):
    """The operations of one kernel; why: the reason if ours are many more."""

    source: str
    kernel: str
    ours: int = 0
    nvidia: int = 0
    why: str = ""

    @property
    def ratio(self) -> float:
        return self.ours / self.nvidia if self.nvidia else 0.0

    def __str__(self) -> str:
        numbers = f"{self.ours} | {self.nvidia} | {self.ratio:.2f}"
        return f"| {self.source} | `{self.kernel}` | {numbers} | {self.why} |"


def read_table(text: str) -> list[Row]:
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if line.startswith("| ") and len(cells) == 6 and cells[2].isdigit():
            source, kernel = cells[0].removeprefix("| "), cells[1].strip("`")
            rows.append(Row(source, kernel, int(cells[2]), int(cells[3]), cells[5].rstrip("| ")))
    return rows


def counts(module: tileir.Module) -> dict[str, int]:
    """The operations of each entry, by its symbol."""
    return {entry.name: sum(1 for _ in walk(entry.body)) for entry in module.entries}


def translated(source: str, kernels: Iterable[str], **defines: int) -> tileir.Module:
    """By the open front end."""
    return tileir.from_cpp(ROOT / source, kernels=tuple(kernels), include_dirs=[INCLUDED], defines=defines)


def counted(source: str, rows: list[Row]) -> list[Row]:
    """The rows of one source with new numbers."""
    kernels = [row.kernel for row in rows]
    module = translated(source, kernels)
    built = pct.build(
        ROOT / source,
        target="tile",
        arch="sm_90",
        kernels=kernels,
        include_dirs=[INCLUDED],
        options=("--fmad=false",),
    )
    ours, theirs = counts(module), counts(tileir.read_bytecode(built.kernel(kernels[0]).tileir))
    names = [entry.name for entry in module.entries]
    return [row._replace(ours=ours[name], nvidia=theirs[name]) for row, name in zip(rows, names, strict=True)]


def written(rows: list[Row]) -> str:
    ours, theirs = sum(row.ours for row in rows), sum(row.nvidia for row in rows)
    clang = find_clang()
    lines = [
        "# Operations of the open front end and of NVIDIA's",
        "",
        "Made by `benchmarks/tileir_operations.py`, which says what is counted. A kernel with more than",
        "1.1 times the operations of NVIDIA's front end has its reason in the last column.",
        "",
        f"{len(rows)} kernels have {ours} operations, NVIDIA's {theirs}: {ours / theirs:.2f} times as many.",
        f"clang {clang.version}, NVRTC {'.'.join(map(str, nvrtc.version('tile')))}.",
        "",
        HEAD,
        "|---|---|---|---|---|---|",
        *map(str, rows),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="TEXT", default="", help="sources with this in their name")
    parser.add_argument("--write", action="store_true", help="keep the table")
    parser.add_argument("--add", nargs="+", metavar=("FILE", "KERNEL"), help="also kernels of this file")
    given = parser.parse_args(arguments)
    rows = read_table(TABLE.read_text()) if TABLE.exists() else []
    if given.add:
        source = str(Path(given.add[0]).resolve().relative_to(ROOT))
        known = {(row.source, row.kernel) for row in rows}
        rows += [Row(source, kernel) for kernel in given.add[1:] if (source, kernel) not in known]
        given.only = given.only or source
    for source in dict.fromkeys(row.source for row in rows if given.only in row.source):
        new = counted(source, [row for row in rows if row.source == source])
        for row in new:
            print(row, flush=True)
        by_kernel = {row.kernel: row for row in new}
        rows = [by_kernel[row.kernel] if row.source == source else row for row in rows]
    if given.write or given.add:
        TABLE.write_text(written(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
