"""Transpose a matrix with a tile kernel, and check the result against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run

TILE = 64  # as in transpose.cu


def transpose(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy, whose own transpose moves nothing."""
    if out is None:
        out = np.empty(x.T.shape, x.dtype)
    np.copyto(out, x.T)
    return out


def problem(rows: int, columns: int) -> Problem:
    """A random matrix of rows x columns floats."""
    x = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
    grid = (ceildiv(columns, TILE), ceildiv(rows, TILE))
    return Problem(
        kernel="transpose",
        arrays=(x, np.empty((columns, rows), np.float32)),
        launch=lambda kernel, x, out: kernel[grid](x, out, rows, columns),
        numpy=transpose,
        tolerance=0,
        traffic=8 * x.size,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, rows=1000, columns=1500)
    return run(build("transpose", options.target), problem(options.rows, options.columns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
