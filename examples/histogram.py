"""Count integers with a tile kernel that adds atomically, and check the counts against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run


def problem(n: int, bins: int) -> Problem:
    """n random integers from 0 to bins - 1, small ones more often than large ones."""
    rng = np.random.default_rng(0)
    values = (bins * rng.random(n, dtype=np.float32) ** 2).astype(np.int32)

    def count(values: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The same in NumPy, which always makes a new array."""
        return np.bincount(values, minlength=bins)

    return Problem(
        kernel="histogram",
        arrays=(values, np.zeros(bins, np.int32)),
        launch=lambda kernel, values, counts: kernel[ceildiv(n, 1024)](values, counts, n, bins),
        numpy=count,
        tolerance=0,
        traffic=4 * n,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, n=1_000_000, bins=256)
    return run(build("histogram", options.target), problem(options.n, options.bins))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
