"""A matrix product whose blocks also divide k among them, with tile kernels, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

TILE_M, TILE_N = 32, 32  # of a block of products
SIZE = 1024  # elements a block that adds up


def problem(m: int, n: int, k: int, splits: int, dtype: str) -> Problem:
    """Random matrices of m x k and k x n; the third array holds the parts of the product."""
    rng = np.random.default_rng(0)
    a, b = random(rng, (m, k), dtype), random(rng, (k, n), dtype)
    name = CPP_NAMES[dtype]

    def launch(products, add_up, a, b, parts, c):
        products[ceildiv(n, TILE_N), ceildiv(m, TILE_M), splits](a, b, parts, m, n, k)
        add_up[ceildiv(m * n, SIZE)](parts, c, splits, m * n)

    return Problem(
        kernel=f"split_k_products<{name}, {TILE_M}, {TILE_N}>",
        more_kernels=(f"split_k_sum<{name}, {SIZE}>",),
        arrays=(a, b, np.empty((splits, m, n), np.float32), np.empty((m, n), a.dtype)),
        launch=launch,
        numpy=lambda a, b, parts, out=None: np.matmul(a, b, out=out),
        tolerance=rounding(dtype) + 1e-7 * (1 + k**0.5),
        flops=2 * m * n * k,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", m=60, n=70, k=5000, splits=8)
    sizes = (options.m, options.n, options.k, options.splits)
    return build_and_run("split_k_matmul", options.target, problem(*sizes, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
