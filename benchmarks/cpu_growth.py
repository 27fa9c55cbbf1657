"""Plots for docs/performance.md: time against size, compared with PyTorch, and against the tile's size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median

import torch
from cpu_products import make_matmul_by_rows, matmul
from cpu_work import Kernels, Pair, ceildiv, random, sum_of_all, vector_add
from interleaved import timed
from overhead import ROOT

try:
    import matplotlib
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit('--growth draws with matplotlib: pip install -e ".[benchmarks]"')

DOCS = ROOT / "docs"
STREAMED = [1 << power for power in range(10, 27, 2)]
MATRICES = [128, 256, 512, 1024, 2048, 4096]
TILES = [1 << power for power in range(5, 23)]
_ROUNDS = 5


def draw(kernels: Kernels, description: str) -> None:
    matplotlib.use("Agg")
    plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.3})
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    growth(axes[0], "vector add", "floats", STREAMED, lambda n: vector_add(kernels, n), "torch.add")
    growth(axes[1], "sum", "floats", STREAMED, lambda n: sum_of_all(kernels, n), "torch.sum")
    growth(axes[2], "matmul, float", "n", MATRICES, lambda n: square(kernels, n), "torch.mm")
    save(figure, "growth.png", description)
    figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
    fusion(axis, kernels)
    save(figure, "fusion.png", description)


def square(kernels: Kernels, n: int) -> Pair:
    tiles = [[64, 64, 128], [256, 64, 512], [512, 64, 512]]
    return matmul(kernels, n, make_matmul_by_rows(kernels, n), tiles, torch.float32, 1e-5)


def growth(axis, title: str, unit: str, sizes: list[int], prepare: Callable[[int], Pair], peer: str) -> None:
    ours, peers = [], []
    for size in sizes:
        pair = prepare(size)
        pair.ours()
        pair.check()
        times = [(timed(pair.ours), timed(pair.peer)) for _ in range(_ROUNDS)]
        for column, taken in zip((ours, peers), zip(*times, strict=True), strict=True):
            column.append(median(taken) * 1e3)
        print(f"{title} {size}: ours {ours[-1]:.4f} ms, {peer} {peers[-1]:.4f} ms", flush=True)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.plot(sizes, ours, "o-", label="pycuda_tile")
    axis.plot(sizes, peers, "s--", label=peer)
    axis.set(title=title, xlabel=unit, ylabel="ms")
    axis.legend()


def fusion(axis, kernels: Kernels, n: int = 1 << 24) -> None:
    x, times = random(n), []
    for tile in TILES:
        launch = kernels.get("elementwise", f"ten_steps<{tile}>")[ceildiv(n, tile)]
        times.append(median(timed(lambda launch=launch: launch(x, n)) for _ in range(_ROUNDS)) * 1e3)
        print(f"ten steps, tile {tile}: {times[-1]:.3f} ms", flush=True)
    calls = median(timed(lambda: ten_calls(x)) for _ in range(_ROUNDS)) * 1e3
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.plot(TILES, times, "o-", label="pycuda_tile, one kernel")
    axis.axhline(calls, linestyle="--", color="tab:orange", label="torch, ten calls in place")
    axis.set(title="ten element-wise steps over 16 Mi floats", xlabel="elements of a tile", ylabel="ms")
    axis.set_ylim(bottom=min(times) / 2)
    axis.legend()


def ten_calls(y: torch.Tensor) -> None:
    y.mul_(0.5).add_(1).mul_(0.75).add_(2).mul_(0.5).add_(3).mul_(0.25).add_(4).mul_(0.5).add_(5)


def save(figure, name: str, description: str) -> None:
    figure.suptitle("\n".join(description.split("; ")), fontsize=6)
    figure.savefig(DOCS / name, dpi=110)
    print(DOCS / name)
