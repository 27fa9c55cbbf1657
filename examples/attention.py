"""Flash attention with a tile kernel, causal or not, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

MAX_DIM, QUERIES, KEYS = 64, 32, 32  # of a block


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    """The same in NumPy, with all scores in memory."""
    length, dim = q.shape[1:]
    score = q @ k.transpose(0, 2, 1) / np.sqrt(dim)
    if causal:
        score = np.where(np.tri(length, dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(axis=2, keepdims=True))
    return weight @ v / weight.sum(axis=2, keepdims=True)


def problem(heads: int, length: int, dim: int, dtype: str, causal: bool) -> Problem:
    """Random queries, keys and values."""
    rng = np.random.default_rng(0)
    q, k, v = (random(rng, (heads, length, dim), dtype) for _ in range(3))
    grid = (ceildiv(length, QUERIES), heads)
    return Problem(
        kernel=f"attention<{CPP_NAMES[dtype]}, {str(causal).lower()}, {MAX_DIM}, {QUERIES}, {KEYS}>",
        arrays=(q, k, v, np.empty_like(q)),
        launch=lambda kernel, q, k, v, out: kernel[grid](q, k, v, out, heads, length, dim),
        numpy=lambda q, k, v, out=None: attention(q, k, v, causal),
        tolerance=3 * rounding(dtype) + 2e-6,  # the weights are rounded, too
        flops=4 * heads * length * length * dim,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, {"dim": MAX_DIM}, dtype="float16", heads=4, length=500, dim=64)
    sizes = (options.heads, options.length, options.dim, options.dtype)
    return max(
        build_and_run("attention", options.target, problem(*sizes, causal)) for causal in (False, True)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
