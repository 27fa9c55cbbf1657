"""Add two vectors with a tile kernel, and check the sum against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run


def problem(n: int) -> Problem:
    """The sum of two random vectors of n floats."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(n, dtype=np.float32)
    b = rng.standard_normal(n, dtype=np.float32)
    return Problem(
        kernel="vector_add",
        arrays=(a, b, np.empty_like(a)),
        launch=lambda kernel, a, b, out: kernel[ceildiv(n, 1024)](a, b, out, n),
        numpy=np.add,
        tolerance=1e-7,
        traffic=12 * n,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, n=1_000_000)
    return run(build("vector_add", options.target), problem(options.n))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
