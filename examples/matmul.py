"""The product of two matrices with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run

TILE_M, TILE_N = 64, 64  # as in matmul.cu


def problem(m: int, n: int, k: int) -> Problem:
    """Random matrices of m x k and k x n floats."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k), dtype=np.float32)
    b = rng.standard_normal((k, n), dtype=np.float32)
    grid = (ceildiv(n, TILE_N), ceildiv(m, TILE_M))
    return Problem(
        kernel="matmul",
        arrays=(a, b, np.empty((m, n), np.float32)),
        launch=lambda kernel, a, b, c: kernel[grid](a, b, c, m, n, k),
        numpy=np.matmul,
        tolerance=1e-7 * (1 + k**0.5),  # rounding errors of a sum of k products, which mostly cancel
        flops=2 * m * n * k,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, m=500, n=600, k=700)
    return run(build("matmul", options.target), problem(options.m, options.n, options.k))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
