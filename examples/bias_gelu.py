"""Add a bias and apply GELU with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

TILE_ROWS, TILE_COLUMNS = 16, 128


def bias_gelu(x: np.ndarray, bias: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    v = x + bias
    return np.multiply(v / 2, 1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)), out=out)


def problem(rows: int, columns: int, dtype: str) -> Problem:
    """A random matrix of `dtype`, and a random bias for each column."""
    rng = np.random.default_rng(0)
    x, bias = random(rng, (rows, columns), dtype), random(rng, (columns,), dtype)
    grid = (ceildiv(columns, TILE_COLUMNS), ceildiv(rows, TILE_ROWS))
    return Problem(
        kernel=f"bias_gelu<{CPP_NAMES[dtype]}, {TILE_ROWS}, {TILE_COLUMNS}>",
        arrays=(x, bias, np.empty_like(x)),
        launch=lambda kernel, x, bias, out: kernel[grid](x, bias, out, rows, columns),
        numpy=bias_gelu,
        tolerance=rounding(dtype) + 1e-6,
        traffic=2 * x.nbytes,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", rows=1000, columns=1000)
    return build_and_run("bias_gelu", options.target, problem(options.rows, options.columns, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
