"""The products of a batch of matrices with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

TILE_M, TILE_N = 32, 32  # of a block


def problem(batch: int, m: int, n: int, k: int, dtype: str) -> Problem:
    """Random matrices: `batch` of m x k, and as many of k x n."""
    rng = np.random.default_rng(0)
    a, b = random(rng, (batch, m, k), dtype), random(rng, (batch, k, n), dtype)
    grid = (ceildiv(n, TILE_N), ceildiv(m, TILE_M), batch)
    return Problem(
        kernel=f"batched_matmul<{CPP_NAMES[dtype]}, {TILE_M}, {TILE_N}>",
        arrays=(a, b, np.empty((batch, m, n), a.dtype)),
        launch=lambda kernel, a, b, c: kernel[grid](a, b, c, batch, m, n, k),
        numpy=np.matmul,
        tolerance=rounding(dtype) + 1e-7 * (1 + k**0.5),
        flops=2 * batch * m * n * k,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="bfloat16", batch=10, m=100, n=120, k=140)
    sizes = (options.batch, options.m, options.n, options.k)
    return build_and_run("batched_matmul", options.target, problem(*sizes, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
