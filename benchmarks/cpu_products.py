"""Products of matrices and attention: work of benchmarks/cpu.py, as in cpu_work.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from cpu_work import Function, Kernels, Pair, ceildiv, check_close, check_equal, random

MATMUL_TILES = [
    [64, 128, 128],
    [128, 128, 128],
    [128, 256, 1024],
    [256, 256, 256],
    [256, 512, 512],
    [256, 256, 1024],
    [512, 256, 1024],
    [512, 256, 2048],
    [512, 512, 512],
    [512, 1024, 512],
    [512, 512, 1024],
]

# For floats: sums that stay in the second cache, with factors that are packed in few steps.
BLOCK_TILES = [[128, 128, 64], [128, 128, 512], [128, 256, 512], [256, 256, 256]]
BLOCK_TILES += [[256, 256, k] for k in (512, 1024, 2048)]

# For matmul_by_rows: wide enough for packing to pay off, narrow enough for the second cache.
ROW_TILES = [
    [64, 64, 128],
    [128, 64, 512],
    [256, 64, 512],
    [512, 64, 512],
    [512, 64, 1024],
    [512, 128, 512],
    [1024, 64, 512],
    [1024, 64, 1024],
    [256, 64, 2048],
    [512, 64, 2048],
]


def make_matmul(kernels: Kernels, types: str, n: int) -> Callable[[list[int]], Function]:
    def make(tiles: list[int]) -> Function:
        m_tile, n_tile, k_tile = tiles
        name = f"matmul<{types}, {m_tile}, {n_tile}, {k_tile}>"
        return kernels.get("matmul", name)[ceildiv(n, n_tile), ceildiv(n, m_tile)]

    return make


def make_matmul_by_rows(kernels: Kernels, n: int) -> Callable[[list[int]], Function]:
    def make(tiles: list[int]) -> Function:
        m_tile, n_tile, k_tile = tiles
        name = f"matmul_by_rows<float, float, {m_tile}, {n_tile}, {k_tile}>"
        return kernels.get("matmul", name)[ceildiv(n, m_tile)]

    return make


def matmul(
    kernels: Kernels, n: int, make: Callable, tiles: list, dtype: torch.dtype, tolerance: float
) -> Pair:
    a, b = random(n, n, dtype=dtype), random(n, n, dtype=dtype).t().contiguous()
    out, wanted = torch.empty(n, n, dtype=dtype), torch.empty(n, n, dtype=dtype)
    ours, config = kernels.choose(make, tiles, a, b, out, n, n, n, key=["matmul", str(dtype), n])
    expected = a.double() @ b.double()
    return Pair(ours, lambda: torch.mm(a, b, out=wanted), check_close(out, expected, tolerance), config)


def matmul_float(n: int) -> Callable[[Kernels], Pair]:
    def prepare(kernels: Kernels) -> Pair:
        ways = {
            "matmul": (make_matmul(kernels, "float, float, float", n), BLOCK_TILES),
            "matmul_by_rows": (make_matmul_by_rows(kernels, n), ROW_TILES),
        }
        configs = [[way, *tiles] for way, (_, sizes) in ways.items() for tiles in sizes]

        def make(config: list) -> Function:
            way, *tiles = config
            return ways[way][0](tiles)

        return matmul(kernels, n, make, configs, torch.float32, 1e-5)

    return prepare


def matmul_bfloat16(n: int) -> Callable[[Kernels], Pair]:
    def prepare(kernels: Kernels) -> Pair:
        make = make_matmul(kernels, "__nv_bfloat16, float, __nv_bfloat16", n)
        return matmul(kernels, n, make, MATMUL_TILES, torch.bfloat16, 2**-8)

    return prepare


def matmul_numpy(n: int) -> Callable[[Kernels], Pair]:
    def prepare(kernels: Kernels) -> Pair:
        ours, _, check, config = matmul_float(n)(kernels)
        a, b, out = (random(n, n).numpy() for _ in range(3))
        return Pair(ours, lambda: np.matmul(a, b, out=out), check, config)

    return prepare


def matmul_int8(kernels: Kernels, n: int = 1024) -> Pair:
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randint(-128, 128, (n, n), dtype=torch.int8, generator=generator) for _ in range(2))
    out, wanted = torch.empty(n, n, dtype=torch.int32), torch.empty(n, n, dtype=torch.int32)
    make = make_matmul(kernels, "signed char, int, int", n)
    ours, config = kernels.choose(make, MATMUL_TILES, a, b, out, n, n, n, key=["matmul int8", n])
    expected = (a.double() @ b.double()).int()
    return Pair(ours, lambda: torch._int_mm(a, b, out=wanted), check_equal(out, expected), config)


def attention(type_name: str, dtype: torch.dtype, tolerance: float) -> Callable[[Kernels], Pair]:
    heads, length, dim = 8, 1024, 64

    def prepare(kernels: Kernels) -> Pair:
        q, k, v = (random(1, heads, length, dim + i, dtype=dtype)[..., :dim].contiguous() for i in range(3))
        out = torch.empty(1, heads, length, dim, dtype=dtype)

        def make(tiles: list[int]) -> Function:
            tile_q, tile_k = tiles
            return kernels.get("attention", f"attention<{type_name}, {tile_q}, {tile_k}, {dim}>")[
                ceildiv(length, tile_q), heads
            ]

        arguments = (q, k, v, out, heads, length, dim**-0.5)
        configs = [[64, 64], [64, 128], [128, 64], [128, 128]]
        ours, config = kernels.choose(make, configs, *arguments, key=["attention", type_name])
        function = torch.nn.functional.scaled_dot_product_attention
        expected = function(q.double(), k.double(), v.double(), is_causal=True)
        return Pair(
            ours, lambda: function(q, k, v, is_causal=True), check_close(out, expected, tolerance), config
        )

    return prepare
