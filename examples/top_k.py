"""The greatest values of each row and their columns with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import CPP_NAMES, Problem, build_and_run, parse, random

K = 5
MAX_COLUMNS = 1024  # Width in top_k.cu


def top_k(x: np.ndarray, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The same in NumPy. A stable sort keeps equal values in the order of their columns."""
    columns = np.argsort(-x, axis=1, kind="stable")[:, :K]
    return np.take_along_axis(x, columns, axis=1), columns


def problem(rows: int, columns: int, dtype: str) -> Problem:
    """A random matrix; a type of few bits makes many equal values."""
    x = random(np.random.default_rng(0), (rows, columns), dtype)
    return Problem(
        kernel=f"top_k<{CPP_NAMES[dtype]}, {K}>",
        arrays=(x, np.empty((rows, K), x.dtype), np.empty((rows, K), np.int32)),
        outputs=2,
        launch=lambda kernel, x, values, found: kernel[rows](x, values, found, rows, columns),
        numpy=top_k,
        tolerance=0,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, {"columns": MAX_COLUMNS}, dtype="bfloat16", rows=1000, columns=1000)
    return build_and_run(
        "top_k", options.target, problem(options.rows, max(options.columns, K), options.dtype)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
