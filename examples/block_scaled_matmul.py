"""The product of block-scaled fp8 matrices with a tile kernel, checked against NumPy."""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
from _common import Problem, build, ceildiv, parse, run

TILE, RUN = 32, 32  # as in block_scaled_matmul.cu


def block_scaled(x: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """x in fp8, and the scale of each 32 elements along `axis`: a power of two, such that they fit."""
    runs = np.moveaxis(x, axis, -1)
    runs = runs.reshape(*runs.shape[:-1], -1, RUN)
    greatest = np.abs(runs).max(-1, keepdims=True)
    scales = np.exp2(np.ceil(np.log2(greatest / 448)))
    values = np.moveaxis((runs / scales).reshape(*runs.shape[:-2], -1), -1, axis)
    return values.astype(ml_dtypes.float8_e4m3fn), np.moveaxis(scales[..., 0], -1, axis).astype(
        ml_dtypes.float8_e8m0fnu
    )


def block_scaled_matmul(
    a: np.ndarray, a_scales: np.ndarray, b: np.ndarray, b_scales: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """The same in NumPy."""
    left = a.astype(np.float32) * np.repeat(a_scales.astype(np.float32), RUN, 1)
    right = b.astype(np.float32) * np.repeat(b_scales.astype(np.float32), RUN, 0)
    return np.matmul(left, right, out=out)


def problem(m: int, n: int, k: int) -> Problem:
    """Random matrices of m x k and k x n; k is a multiple of 64."""
    rng = np.random.default_rng(0)
    a, b = block_scaled(rng.standard_normal((m, k)), 1), block_scaled(rng.standard_normal((k, n)), 0)
    grid = (ceildiv(n, TILE), ceildiv(m, TILE))
    return Problem(
        kernel="block_scaled_matmul",
        arrays=(*a, *b, np.empty((m, n), np.float32)),
        launch=lambda kernel, *arrays: kernel[grid](*arrays, m, n, k),
        numpy=block_scaled_matmul,
        tolerance=1e-5,
        flops=2 * m * n * k,
    )


def main(argv: list[str]) -> int:
    options = parse(argv, __doc__, m=100, n=120, k=256)
    module = build("block_scaled_matmul", options.target)
    return run(module, problem(options.m, options.n, ceildiv(options.k, 64) * 64))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
