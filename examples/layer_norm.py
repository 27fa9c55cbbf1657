"""Layer normalisation of the rows of a matrix with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, parse, run

WIDTH = 1024  # the longest row that layer_norm.cu takes
EPSILON = 1e-5


def layer_norm(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """The same in NumPy."""
    out = np.subtract(x, x.mean(axis=1, keepdims=True), out=out)
    variance = np.square(out).mean(axis=1, keepdims=True)
    np.divide(out, np.sqrt(variance + x.dtype.type(EPSILON)), out=out)
    np.multiply(out, weight, out=out)
    return np.add(out, bias, out=out)


def problem(rows: int, columns: int) -> Problem:
    """A random matrix of rows x columns floats with a mean that is not zero, random weights and biases."""
    rng = np.random.default_rng(0)
    x = 2 + 3 * rng.standard_normal((rows, columns), dtype=np.float32)
    weight = 1 + rng.standard_normal(columns, dtype=np.float32)
    bias = rng.standard_normal(columns, dtype=np.float32)
    return Problem(
        kernel="layer_norm",
        arrays=(x, weight, bias, np.empty_like(x)),
        launch=lambda kernel, x, weight, bias, out: kernel[rows](
            x, weight, bias, out, rows, columns, EPSILON
        ),
        numpy=layer_norm,
        tolerance=2e-6,
        traffic=8 * x.size,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, limits={"columns": WIDTH}, rows=1000, columns=1000)
    return run(build("layer_norm", options.target), problem(options.rows, options.columns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
