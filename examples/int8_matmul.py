"""The product of matrices quantised to 8 bits with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

TILE_M, TILE_N = 32, 32  # of a block


def int8_matmul(
    a: np.ndarray, b: np.ndarray, rows: np.ndarray, columns: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """The same in NumPy."""
    return np.multiply(a.astype(np.int32) @ b.astype(np.int32), rows[:, None] * columns, out=out)


def quantised(x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """x as 8-bit integers along `axis`, and the scale of each vector."""
    scale = np.maximum(np.abs(x).max(axis=axis, keepdims=True), 1e-6) / 127
    return np.rint(x / scale).astype(np.int8), scale.ravel().astype(np.float32)


def problem(m: int, n: int, k: int, dtype: str) -> Problem:
    """Random matrices of m x k and k x n, quantised by rows and by columns; the product is of `dtype`."""
    rng = np.random.default_rng(0)
    a, row_scale = quantised(rng.standard_normal((m, k)), 1)
    b, column_scale = quantised(rng.standard_normal((k, n)), 0)
    grid = (ceildiv(n, TILE_N), ceildiv(m, TILE_M))
    return Problem(
        kernel=f"int8_matmul<{CPP_NAMES[dtype]}, {TILE_M}, {TILE_N}>",
        arrays=(a, b, row_scale, column_scale, random(rng, (m, n), dtype)),
        launch=lambda kernel, *arrays: kernel[grid](*arrays, m, n, k),
        numpy=int8_matmul,
        tolerance=rounding(dtype) + 1e-6,
        flops=2 * m * n * k,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", m=200, n=300, k=500)
    sizes = (options.m, options.n, options.k)
    return build_and_run("int8_matmul", options.target, problem(*sizes, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
