"""Tile code called from an ordinary CUDA kernel, checked against NumPy: for GPUs only."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build_and_run, parse, random

MAX_COLUMNS = 1024  # `width` in mixed.cu


def smooth(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    value = x * 2.0 ** -(np.arange(x.shape[1]) % 32)
    exponentials = np.exp(value - value.max(axis=1, keepdims=True))
    return np.divide(exponentials, exponentials.sum(axis=1, keepdims=True), out=out)


def problem(rows: int, columns: int) -> Problem:
    """A random matrix."""
    x = random(np.random.default_rng(0), (rows, columns), "float32")
    return Problem(
        kernel="smooth",
        arrays=(x, np.empty_like(x)),
        launch=lambda kernel, x, out: kernel[rows](x, out, rows, columns),
        numpy=smooth,
        tolerance=1e-5,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, {"columns": MAX_COLUMNS}, rows=1000, columns=1000)
    target = "simt" if options.target == "auto" else options.target
    return build_and_run("mixed", target, problem(options.rows, options.columns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
