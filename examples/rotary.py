"""Rotate the heads of tokens by their position with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

HALF = 32  # half of a head's length
HEADS = 8  # a block


def rotary(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    first, second = np.split(x, 2, axis=2)
    c, s = cos[:, None], sin[:, None]
    return np.concatenate([first * c - second * s, second * c + first * s], axis=2, out=out)


def problem(tokens: int, heads: int, dtype: str) -> Problem:
    """Random heads, and the angles of the tokens at positions 0, 1, ..."""
    x = random(np.random.default_rng(0), (tokens, heads, 2 * HALF), dtype)
    angles = np.arange(tokens)[:, None] * 10_000 ** (-np.arange(HALF) / HALF)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    grid = (tokens, ceildiv(heads, HEADS))
    return Problem(
        kernel=f"rotary<{CPP_NAMES[dtype]}, {HALF}, {HEADS}>",
        arrays=(x, cos, sin, np.empty_like(x)),
        launch=lambda kernel, x, cos, sin, out: kernel[grid](x, cos, sin, out, tokens, heads),
        numpy=rotary,
        tolerance=rounding(dtype) + 1e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="bfloat16", tokens=500, heads=12)
    return build_and_run("rotary", options.target, problem(options.tokens, options.heads, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
