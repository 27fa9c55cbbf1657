"""The gate of a transformer's feed-forward layer with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

SIZE = 1024  # elements a block


def swiglu(gate: np.ndarray, up: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    return np.multiply(gate / (1 + np.exp(-gate)), up, out=out)


def problem(n: int, dtype: str) -> Problem:
    """Two random vectors of n numbers."""
    rng = np.random.default_rng(0)
    gate, up = random(rng, (n,), dtype), random(rng, (n,), dtype)
    return Problem(
        kernel=f"swiglu<{CPP_NAMES[dtype]}, {SIZE}>",
        arrays=(gate, up, np.empty_like(up)),
        launch=lambda kernel, gate, up, out: kernel[ceildiv(n, SIZE)](gate, up, out, n),
        numpy=swiglu,
        tolerance=rounding(dtype) + 1e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", n=100_000)
    return build_and_run("swiglu", options.target, problem(options.n, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
