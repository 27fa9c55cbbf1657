"""Measures the largest errors of the host's math functions, with and without fused multiply-add.

    python tests/math/exhaustive.py [--write docs/math.md] [--random COUNT] [FUNCTION ...]

A float function of one argument is tried with all 2^32 floats, which takes minutes; the others with COUNT
random arguments. ceil, floor and sqrt are omitted because they are instructions of the processor. `--write`
puts the figures into bounds.tsv beside this file and their table into the docs page.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parent.parent
sys.path.insert(0, str(REPOSITORY))

from pycuda_tile.compilers import toolchain  # noqa: E402

BOUNDS = FOLDER / "bounds.tsv"
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
BUILDS = {"with fused multiply-add": "x86-64-v3", "without": "x86-64"}
EXACT = ("ceil", "floor", "sqrt")  # the processor's own instructions, correctly rounded
MARKS = ("<!-- table: tests/math/exhaustive.py -->\n", "<!-- end of table -->\n")


def read_bounds() -> list[dict[str, str]]:
    header, *lines = BOUNDS.read_text(encoding="utf-8").splitlines()
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


def write_bounds(rows: list[dict[str, str]]) -> None:
    lines = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
    BOUNDS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def build(arch: str, folder: Path) -> Path:
    program = folder / f"exhaustive-{arch}"
    include, source = f"-I{REPOSITORY / 'include'}", str(FOLDER / "exhaustive.cpp")
    done = toolchain.find_compiler().run([*FLAGS, f"-march={arch}", include, source, "-o", str(program)])
    if done.returncode:
        raise SystemExit(done.stdout)
    return program


def measure(programs: dict[str, Path], row: dict[str, str], count: int) -> float:
    largest = 0.0
    for name, program in programs.items():
        command = [str(program), row["name"], row["type"], str(count)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        error, x, y = answer.split()
        second = f", {float.fromhex(y)!r}" if row["name"] in ("pow", "atan2") else ""
        at = f"{float.fromhex(x)!r}{second}"
        print(f"{row['name']} of {row['type']} {name}: {error} ulp at {at}", flush=True)
        largest = max(largest, float(error))
    return largest


def table(rows: list[dict[str, str]]) -> str:
    """The docs page's table, in Markdown."""
    lines = ["| function | float, at most | measured | double, at most | measured |", "|---|---|---|---|---|"]
    by_name: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows:
        by_name.setdefault(row["name"], {})[row["type"]] = row
    for name, types in by_name.items():
        cells = [types[kind][column] for kind in ("float", "double") for column in ("bound", "measured")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write_page(page: Path, rows: list[dict[str, str]]) -> None:
    text = page.read_text(encoding="utf-8")
    before, start, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not (start and end):
        raise SystemExit(f"{page} has no lines {MARKS[0]!r} and {MARKS[1]!r} to put the table between")
    page.write_text(before + start + table(rows) + end + after, encoding="utf-8")


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help="all if none is named")
    parser.add_argument("--random", type=int, default=40_000_000, metavar="COUNT", help="random arguments")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="docs page to put the table into")
    arguments = parser.parse_args()
    rows = read_bounds()
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: build(arch, Path(folder)) for name, arch in BUILDS.items()}
        for row in rows:
            if row["name"] in EXACT or (arguments.functions and row["name"] not in arguments.functions):
                continue
            row["measured"] = f"{measure(programs, row, arguments.random):.3f}"
            if arguments.write:
                write_bounds(rows)
                write_page(arguments.write, rows)


if __name__ == "__main__":
    main()
