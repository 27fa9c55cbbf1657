"""Normalise each row of a matrix by its root mean square with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, parse, random, rounding

EPSILON = 1e-06
MAX_COLUMNS = 1024  # Width in rms_norm.cu


def rms_norm(x: np.ndarray, weight: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    return np.multiply(x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + EPSILON), weight, out=out)


def problem(rows: int, columns: int, dtype: str) -> Problem:
    """A random matrix with a random weight for each column."""
    rng = np.random.default_rng(0)
    x, weight = random(rng, (rows, columns), dtype), random(rng, (columns,), dtype)
    return Problem(
        kernel=f"rms_norm<{CPP_NAMES[dtype]}, {EPSILON}f>",
        arrays=(x, weight, np.empty_like(x)),
        launch=lambda kernel, x, weight, out: kernel[rows](x, weight, out, rows, columns),
        numpy=rms_norm,
        tolerance=rounding(dtype) + 1e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, {"columns": MAX_COLUMNS}, dtype="bfloat16", rows=1000, columns=1000)
    return build_and_run("rms_norm", options.target, problem(options.rows, options.columns, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
