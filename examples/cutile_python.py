"""Kernels written in Python with NVIDIA's cuda-tile package, run here on the CPU.

cuda-tile compiles its kernels to Tile IR without a GPU; pycuda_tile.tileir reads the Tile IR and builds it
for the CPU. Needs `pip install cuda-tile`.
"""

from __future__ import annotations

import io
import sys

import numpy as np
from _common import ceildiv, median_seconds, progress

import pycuda_tile as pct
from pycuda_tile import tileir

try:
    import cuda.tile as ct
    from cuda.tile import compilation
except ImportError:
    sys.exit("This example needs NVIDIA's cuda-tile package: pip install cuda-tile")

ConstInt = ct.Constant[int]
TILE_M, TILE_N, TILE_K = 64, 64, 32


def tile_ir(kernel, *arguments) -> tileir.Module:
    """The Tile IR of a cuda-tile kernel for arrays and constants of the types of these arguments."""
    parameters = [constraint(a) if isinstance(a, np.ndarray) else a for a in arguments]
    convention = compilation.CallingConvention.cutile_python_v1()
    signature = compilation.KernelSignature(parameters, convention, symbol="kernel")
    bytecode = io.BytesIO()
    compilation.export_kernel(kernel, [signature], bytecode, output_format="tileir_bytecode")
    return tileir.read_bytecode(bytecode.getvalue())


def constraint(array: np.ndarray):
    """The assumptions of the kernel: a contiguous array that overlaps no other."""
    return compilation.ArrayConstraint(
        getattr(ct, array.dtype.name),
        array.ndim,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        stride_constant=[None] * (array.ndim - 1) + [1],
        alias_groups=(),
        may_alias_internally=False,
    )


def flattened(*arguments) -> list:
    """An array is passed as its address, extents and strides in elements; a constant is not passed."""
    flat = []
    for a in arguments:
        if isinstance(a, np.ndarray):
            flat += [a, *a.shape, *(step // a.itemsize for step in a.strides)]
    return flat


def launch(kernel: pct.Kernel, grid: tuple[int, ...], *arguments) -> None:
    kernel[grid](*flattened(*arguments))


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
    """Build, launch, compare and time one kernel, whose result is its last array."""
    with progress(f"building {name}"):
        built = tileir.build(tile_ir(kernel, *arguments)).kernel("kernel")
    launch(built, grid, *arguments)
    result = [a for a in arguments if isinstance(a, np.ndarray)][-1]
    error = np.abs(result - expected).max() / np.abs(expected).max()
    seconds = median_seconds(lambda: launch(built, grid, *arguments))
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
