"""Set random elements to zero with a tile kernel and a counter-based generator, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, ceildiv, parse, random, rounding

SIZE = 1024  # elements a block


def philox(count: np.ndarray, seed: int) -> np.ndarray:
    """The first word of Philox-4x32-10 for the counters (count, 0, 0, 0) and the key (seed, 0)."""
    low = np.uint64(0xFFFFFFFF)
    a, b, c, d = count.astype(np.uint64), np.uint64(0), np.uint64(0), np.uint64(0)
    keys = [seed, 0]
    for _ in range(10):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = q >> np.uint64(32) ^ b ^ np.uint64(keys[0]), q & low
        c, d = p >> np.uint64(32) ^ d ^ np.uint64(keys[1]), p & low
        keys = [keys[0] + 0x9E3779B9 & 0xFFFFFFFF, keys[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return a.astype(np.uint32)


def dropout(x: np.ndarray, p: float, seed: int) -> np.ndarray:
    """The same in NumPy: the same elements stay."""
    uniform = (philox(np.arange(x.size), seed) >> 8) * 2.0**-24
    return np.where(uniform >= np.float32(p), x / (1 - np.float32(p)), 0)


def problem(n: int, dtype: str, p: float = 0.3, seed: int = 42) -> Problem:
    """A random vector of n numbers; each is dropped with probability p."""
    x = random(np.random.default_rng(0), (n,), dtype)
    return Problem(
        kernel=f"dropout<{CPP_NAMES[dtype]}, {SIZE}>",
        arrays=(x, np.empty_like(x)),
        launch=lambda kernel, x, out: kernel[ceildiv(n, SIZE)](x, out, n, p, seed),
        numpy=lambda x, out=None: dropout(x, p, seed),
        tolerance=rounding(dtype) + 1e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", n=100_000)
    return build_and_run("dropout", options.target, problem(options.n, options.dtype))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
