"""The work of benchmarks/cpu.py: our kernels, and PyTorch's and NumPy's functions on the same arrays."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

import pycuda_tile as pct
from pycuda_tile.system import resources

KERNELS = Path(__file__).resolve().parent / "kernels"
MI = 1 << 20

Function = Callable[[], object]


class Pair(NamedTuple):
    """Two functions without parameters that do the same work, and a check of both results."""

    ours: Function
    peer: Function
    check: Function  # raises AssertionError
    config: object = ""  # the tile sizes that the autotuner chose


class Work(NamedTuple):
    """One row of the table."""

    name: str
    peer: str
    target: float | None  # peer time / our time to reach; None: for comparison only
    prepare: Callable[[Kernels], Pair]
    moved: int = 0  # bytes that have to be read or written


class Kernels:
    """The benchmark's kernels, built for one processor; tile sizes are chosen once for each `tuning`."""

    def __init__(self, arch: str, tuning: str = ""):
        self.arch = arch
        self.tuning = tuning
        self._modules: dict[str, pct.Module] = {}

    def get(self, file: str, name: str) -> pct.Kernel:
        if file not in self._modules:
            self._modules[file] = pct.build(KERNELS / f"{file}.cu", target="cpu", arch=self.arch)
        return self._modules[file].kernel(name)

    def choose(
        self, make: Callable, configs: list, *arguments: object, key: object
    ) -> tuple[Function, object]:
        """The fastest launch make(config)(*arguments), as a function without parameters, and its config."""
        best = pct.autotune(make, configs, args=arguments, key=[key, self.arch, self.tuning, sources()])
        launch = make(best)
        return (lambda: launch(*arguments)), best


@functools.cache
def sources() -> str:
    """Changes when a kernel or a header does, and then tile sizes are chosen anew."""
    files = sorted([*KERNELS.glob("*.cu"), *resources.include_dir().rglob("*.h")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def power_of_two(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape))).to(dtype)


def check_close(ours: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> Function:
    """Differences of at most `tolerance` times the greatest value."""

    def check() -> None:
        scale = float(wanted.abs().max())
        difference = float((ours.double() - wanted.double()).abs().max())
        assert difference <= tolerance * scale, f"differs by {difference} where values reach {scale}"

    return check


def check_equal(ours: torch.Tensor, wanted: torch.Tensor) -> Function:
    def check() -> None:
        assert torch.equal(ours, wanted), "differs"

    return check


# ---- element by element ------------------------------------------------------------------------------

STREAM_TILES = [64, 128, 256, 1024, 4096]


def vector_add(kernels: Kernels, n: int = 16 * MI) -> Pair:
    a, b, out, wanted = random(n), random(n).flip(0), torch.empty(n), torch.empty(n)

    def make(config: list[int]) -> Function:
        tile, steps = config
        kernel = kernels.get("elementwise", f"vector_add_of_steps<{tile}, {steps}>")
        return kernel[ceildiv(n, tile * steps)]

    configs = [[64, 1], [128, 1], [1024, 1], [64, 256], [128, 256], [64, 4096]]
    ours, config = kernels.choose(make, configs, a, b, out, n, key=["vector_add", n])
    return Pair(ours, lambda: torch.add(a, b, out=wanted), check_equal(out, a + b), config)


def vector_add_numpy(kernels: Kernels) -> Pair:
    ours, _, _, config = vector_add(kernels)
    n = 16 * MI
    a, b, wanted = (np.ones(n, np.float32) for _ in range(3))
    return Pair(ours, lambda: np.add(a, b, out=wanted), lambda: None, config)


def bias_gelu(kernels: Kernels, rows: int = 4096, columns: int = 4096) -> Pair:
    x, bias, out = random(rows, columns), random(columns) * 0.01, torch.empty(rows, columns)
    changed, wanted = x.clone(), torch.empty(rows, columns)
    expected = torch.nn.functional.gelu(x.double() + bias.double(), approximate="tanh")

    def make(tile: int) -> Function:
        return kernels.get("elementwise", f"bias_gelu<{tile}>")[ceildiv(columns, tile), rows]

    def peer() -> None:
        changed.add_(bias)
        torch.ops.aten.gelu.out(changed, approximate="tanh", out=wanted)

    ours, config = kernels.choose(make, [64, 128, 512, 2048], x, bias, out, rows, columns, key=["gelu", rows])
    return Pair(ours, peer, check_close(out, expected, 1e-6), config)


def ten_steps(kernels: Kernels, n: int = 16 * MI) -> Pair:
    x, y, z = (random(n) for _ in range(3))

    def make(tile: int) -> Function:
        return kernels.get("elementwise", f"ten_steps<{tile}>")[ceildiv(n, tile)]

    def torchs(y: torch.Tensor) -> torch.Tensor:
        return y.mul_(0.5).add_(1).mul_(0.75).add_(2).mul_(0.5).add_(3).mul_(0.25).add_(4).mul_(0.5).add_(5)

    _, config = kernels.choose(make, STREAM_TILES, z, n, key=["ten_steps", n])
    launch = make(config)
    check = check_equal(x, torchs(x.clone()))
    return Pair(lambda: launch(x, n), lambda: torchs(y), check, config)


# ---- rows --------------------------------------------------------------------------------------------


def softmax(kernels: Kernels, rows: int = 4096, columns: int = 1024) -> Pair:
    x, out, wanted = random(rows, columns), torch.empty(rows, columns), torch.empty(rows, columns)
    launch = kernels.get("rows", f"softmax<{power_of_two(columns)}>")[rows]
    return Pair(
        lambda: launch(x, out, rows, columns),
        lambda: torch.softmax(x, 1, out=wanted),
        check_close(out, torch.softmax(x.double(), 1), 1e-6),
    )


def layer_norm(kernels: Kernels, rows: int = 4096, columns: int = 1024) -> Pair:
    x, weight, bias, out = random(rows, columns), random(columns), random(columns), torch.empty(rows, columns)
    wanted, mean, scale = torch.empty(rows, columns), torch.empty(rows, 1), torch.empty(rows, 1)

    def make(tile: int) -> Function:
        return kernels.get("rows", f"layer_norm_by_parts<{tile}>")[rows]

    arguments = x, weight, bias, out, rows, columns, 1e-5
    ours, config = kernels.choose(make, [32, 64, 128, 256], *arguments, key=["layer_norm", rows])

    def peer() -> None:
        torch.ops.aten.native_layer_norm.out(
            x, [columns], weight, bias, 1e-5, out0=wanted, out1=mean, out2=scale
        )

    expected = torch.nn.functional.layer_norm(x.double(), [columns], weight.double(), bias.double())
    return Pair(ours, peer, check_close(out, expected, 1e-6), config)


def sum_of_all(kernels: Kernels, n: int = 16 * MI) -> Pair:
    x = random(n) + 0.5
    configs = [[64, 32], [64, 128], [64, 512], [128, 64], [128, 256], [256, 16]]
    parts, out, wanted = torch.empty(ceildiv(n, 4096)), torch.empty(1), torch.empty(())

    def make(config: list[int]) -> Function:
        tile, steps = config
        count = ceildiv(n, 4 * tile * steps)
        first = kernels.get("rows", f"sum_of_four<{tile}, {steps}>")[count]
        second = kernels.get("rows", f"sum<{power_of_two(count)}, 1>")[1]

        def launch(*_: object) -> None:
            first(x, parts, n)
            second(parts, out, count)

        return launch

    ours, config = kernels.choose(make, configs, key=["sum", n])
    return Pair(
        ours,
        lambda: torch.sum(x, 0, out=wanted),
        check_close(out, x.double().sum().reshape(1), 1e-6),
        config,
    )


def partial_sum(kernels: Kernels, rows: int = 4096, columns: int = 1024) -> Pair:
    x, out, wanted = random(rows, columns), torch.empty(rows, columns), torch.empty(rows, columns)
    launch = kernels.get("rows", f"partial_sum<{power_of_two(columns)}>")[rows]
    return Pair(
        lambda: launch(x, out, rows, columns),
        lambda: torch.cumsum(x, 1, out=wanted),
        check_close(out, x.double().cumsum(1), 1e-5),
    )


# ---- movement ----------------------------------------------------------------------------------------


def transpose(kernels: Kernels, rows: int = 4096, columns: int = 4096) -> Pair:
    x, out, wanted = random(rows, columns), torch.empty(columns, rows), torch.empty(columns, rows)

    def make(tile: int) -> Function:
        return kernels.get("movement", f"transpose<{tile}>")[ceildiv(columns, tile), ceildiv(rows, tile)]

    ours, config = kernels.choose(make, [16, 32, 64, 128], x, out, rows, columns, key=["transpose", rows])
    return Pair(ours, lambda: wanted.copy_(x.t()), check_equal(out, x.t().contiguous()), config)


def gather(kernels: Kernels, rows: int = 4 * MI, columns: int = 16) -> Pair:
    table = random(MI, columns)
    index = torch.randint(0, MI, (rows,), dtype=torch.int32, generator=torch.Generator().manual_seed(1))
    out, wanted = torch.empty(rows, columns), torch.empty(rows, columns)

    def make(tile: int) -> Function:
        return kernels.get("movement", f"gather<{tile}, {power_of_two(columns)}>")[ceildiv(rows, tile)]

    ours, config = kernels.choose(
        make, [64, 128, 256, 512], table, index, out, rows, columns, key=["gather", rows]
    )
    return Pair(
        ours, lambda: torch.index_select(table, 0, index, out=wanted), check_equal(out, table[index]), config
    )


def histogram(kernels: Kernels, n: int = 16 * MI, bins: int = 256) -> Pair:
    values = torch.randint(0, bins, (n,), dtype=torch.int32, generator=torch.Generator().manual_seed(2))
    counts = torch.zeros(bins, dtype=torch.int32)

    def make(config: list[int]) -> Function:
        tile, steps = config
        kernel = kernels.get("movement", f"histogram_of_steps<{tile}, {steps}>")
        launch = kernel[ceildiv(n, tile * steps)]

        def zero_and_launch(*arguments: object) -> None:
            counts.zero_()
            launch(*arguments)

        return zero_and_launch

    configs = [[4096, 8], [8192, 8], [16384, 4], [16384, 8], [32768, 4]]
    ours, config = kernels.choose(make, configs, values, counts, n, bins, key=["histogram", n])
    wanted = torch.bincount(values, minlength=bins).int()
    return Pair(ours, lambda: torch.bincount(values, minlength=bins), check_equal(counts, wanted), config)
