"""The softmax of each row of a matrix with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, parse, run

WIDTH = 1024  # the longest row that softmax.cu takes


def softmax(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    out = np.subtract(x, x.max(axis=1, keepdims=True), out=out)
    np.exp(out, out=out)
    return np.divide(out, out.sum(axis=1, keepdims=True), out=out)


def problem(rows: int, columns: int) -> Problem:
    """A random matrix of rows x columns floats."""
    x = 3 * np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
    return Problem(
        kernel="softmax",
        arrays=(x, np.empty_like(x)),
        launch=lambda kernel, x, out: kernel[rows](x, out, rows, columns),
        numpy=softmax,
        tolerance=2e-6,
        traffic=8 * x.size,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, limits={"columns": WIDTH}, rows=1000, columns=1000)
    return run(build("softmax", options.target), problem(options.rows, options.columns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
