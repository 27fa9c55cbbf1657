"""Running sums that restart at each segment, with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, parse, random, rounding


def segmented_scan(x: np.ndarray, starts: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    out = np.empty_like(x) if out is None else out
    total = np.zeros(len(x), x.dtype)
    for column in range(x.shape[1]):
        total = np.where(starts[:, column], 0, total) + x[:, column]
        out[:, column] = total
    return out


def problem(rows: int, columns: int, dtype: str) -> Problem:
    """A random matrix whose rows are cut into segments of ten elements on average."""
    rng = np.random.default_rng(0)
    x, starts = random(rng, (rows, columns), dtype), rng.random((rows, columns)) < 0.1
    return Problem(
        kernel=f"segmented_scan<{CPP_NAMES[dtype]}>",
        arrays=(x, starts, np.empty_like(x)),
        launch=lambda kernel, x, starts, out: kernel[rows](x, starts, out, rows, columns),
        numpy=segmented_scan,
        tolerance=rounding(dtype) + 2e-6,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, dtype="float16", rows=100, columns=500)
    return build_and_run(
        "segmented_scan", options.target, problem(options.rows, options.columns, options.dtype)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
