"""Gather rows of a table by index with a tile kernel, and check them against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run

TILE_ROWS, TILE_COLUMNS = 16, 64  # as in gather.cu


def gather(table: np.ndarray, index: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy. Without mode="clip" it would go through a buffer of its own."""
    return np.take(table, index, axis=0, out=out, mode="clip")


def problem(rows: int, columns: int, table_rows: int) -> Problem:
    """`rows` random indices into a random table of table_rows x columns floats."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((table_rows, columns), dtype=np.float32)
    index = rng.integers(0, table_rows, rows, dtype=np.int32)
    grid = (ceildiv(columns, TILE_COLUMNS), ceildiv(rows, TILE_ROWS))
    return Problem(
        kernel="gather",
        arrays=(table, index, np.empty((rows, columns), np.float32)),
        launch=lambda kernel, table, index, out: kernel[grid](table, index, out, rows, columns),
        numpy=gather,
        tolerance=0,
        traffic=8 * rows * columns + 4 * rows,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, rows=10_000, columns=100, table_rows=1000)
    return run(build("gather", options.target), problem(options.rows, options.columns, options.table_rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
