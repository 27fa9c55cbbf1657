"""Convolve a picture with a small window by a tile kernel, and check the result against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from _common import Problem, build, ceildiv, parse, run

TILE_ROWS, TILE_COLUMNS = 16, 64  # as in convolution.cu


def convolution(picture: np.ndarray, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The same in NumPy."""
    windows = np.lib.stride_tricks.sliding_window_view(picture, weights.shape)
    return np.einsum("yxij,ij->yx", windows, weights, out=out)


def problem(rows: int, columns: int, size: int) -> Problem:
    """A random picture that gives rows x columns results, and a window of size x size weights."""
    rng = np.random.default_rng(0)
    picture = rng.standard_normal((rows + size - 1, columns + size - 1), dtype=np.float32)
    weights = rng.standard_normal((size, size), dtype=np.float32)
    grid = (ceildiv(columns, TILE_COLUMNS), ceildiv(rows, TILE_ROWS))
    return Problem(
        kernel="convolution",
        arrays=(picture, weights, np.empty((rows, columns), np.float32)),
        launch=lambda kernel, *arrays: kernel[grid](*arrays, rows, columns, size, size),
        numpy=convolution,
        tolerance=1e-5,
        flops=2 * rows * columns * size * size,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, rows=500, columns=600, size=5)
    return run(build("convolution", options.target), problem(options.rows, options.columns, options.size))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
