"""A matrix product in Tile IR built for the CPU, compared with the interpreter and the same kernel in C++.

Prints one table, and keeps it in results/ with --write. Needs a C++ compiler.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from interleaved import Comparison, compare
from overhead import machine

import pycuda_tile as pct
from pycuda_tile import tileir

HERE = Path(__file__).resolve().parent
SIZE, TILE = 512, 64
WANTED = {"interpret": 50.0, "C++": 1 / 1.3}


def kernels() -> dict:
    """Functions that compute one product each, all of the same matrices, checked against NumPy."""
    module = tileir.parse((HERE / "kernels" / "matmul.mlir").read_text(encoding="utf-8"))
    built = tileir.build(module).kernel("matmul")
    written = pct.build(HERE.parent / "examples" / "matmul.cu", target="cpu").kernel("matmul")
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, SIZE, SIZE), np.float32)
    c = np.empty_like(a)
    arguments, grid = (a, b, c, SIZE, SIZE, SIZE), (SIZE // TILE, SIZE // TILE)
    found = {
        "tileir.build": lambda: built[grid](*arguments),
        "C++": lambda: written[grid](*arguments),
        "interpret": lambda: tileir.interpret(module, "matmul", grid, *arguments),
    }
    for run in found.values():
        c[...] = np.nan
        run()
        np.testing.assert_allclose(c, a.astype(np.float64) @ b, atol=1e-3)
    return found


def row(name: str, found: Comparison) -> str:
    inconclusive = "" if found.is_conclusive else "  inconclusive"
    return (
        f"{name:<10} {1e3 * found.ours:>14.2f} {1e3 * found.peers:>10.2f} {found.speed:>8.2f}"
        f"  {found.low:.2f}-{found.high:.2f}  {WANTED[name]:>8.2f}{inconclusive}"
    )


def table() -> str:
    found = kernels()
    lines = [
        f"{machine()}; {SIZE}-square product of floats, tiles of {TILE}; medians of interleaved rounds",
        "beside     tileir.build ms   peer ms    speed  quartiles    wanted",
    ]
    lines += [row(name, compare(found["tileir.build"], found[name])) for name in WANTED]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the table in results/tileir.txt")
    options = parser.parse_args()
    text = table()
    print(text, end="")
    if options.write:
        (HERE / "results" / "tileir.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
