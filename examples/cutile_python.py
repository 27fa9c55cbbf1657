"""Kernels written in Python with NVIDIA's cuda-tile package, run here on the CPU.

The import of pycuda_tile.cutile is all that differs from a program for a GPU, but for the arrays, which are
NumPy's. Needs `pip install cuda-tile`.
"""

from __future__ import annotations

import sys

import numpy as np
from _common import ceildiv, median_seconds, progress

try:
    import cuda.tile as ct
except ImportError:
    sys.exit("This example needs NVIDIA's cuda-tile package: pip install cuda-tile")

import pycuda_tile.cutile  # noqa: F401  (ct.launch runs on the CPU from here on)

ConstInt = ct.Constant[int]
TILE_M, TILE_N, TILE_K = 64, 64, 32


@ct.kernel
def add(a, b, c, tile: ConstInt):
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,))
    y = ct.load(b, index=(i,), shape=(tile,))
    ct.store(c, index=(i,), tile=x + y)


@ct.kernel
def matmul(a, b, c, tile_m: ConstInt, tile_n: ConstInt, tile_k: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.zeros((tile_m, tile_n), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(tile_m, tile_k))):
        x = ct.load(a, index=(i, k), shape=(tile_m, tile_k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(k, j), shape=(tile_k, tile_n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, index=(i, j), tile=total)


def run(
    name: str, kernel, grid: tuple[int, ...], arguments: tuple, expected: np.ndarray, bound: float
) -> bool:
    """Launch, compare and time one kernel, whose result is its last array."""
    with progress(f"building {name}"):
        ct.launch(None, grid, kernel, arguments)
    result = [a for a in arguments if isinstance(a, np.ndarray)][-1]
    error = np.abs(result - expected).max() / np.abs(expected).max()
    seconds = median_seconds(lambda: ct.launch(None, grid, kernel, arguments))
    verdict = "agrees with NumPy" if error <= bound else "DIFFERS FROM NUMPY"
    print(f"{name} on cpu: {verdict}, largest error {error:.1e}, {1e3 * seconds:.2f} ms")
    return bool(error <= bound)


def main() -> int:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 100_000), np.float32)
    right = run("vector add", add, (ceildiv(a.size, 1024),), (a, b, np.empty_like(a), 1024), a + b, 0)
    a, b = rng.standard_normal((300, 200), np.float32), rng.standard_normal((200, 250), np.float32)
    c = np.empty((300, 250), np.float32)
    grid = (ceildiv(c.shape[0], TILE_M), ceildiv(c.shape[1], TILE_N))
    arguments = (a, b, c, TILE_M, TILE_N, TILE_K)
    right &= run("matrix product", matmul, grid, arguments, a.astype(np.float64) @ b, 1e-5)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
