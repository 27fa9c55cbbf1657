"""The work of benchmarks/cpu.py: our kernels, and PyTorch's and NumPy's functions on the same arrays."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Iterator
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


# ---- matrices ----------------------------------------------------------------------------------------

MATMUL_TILES = [
    [64, 64, 64],
    [64, 128, 128],
    [128, 128, 128],
    [256, 256, 256],
    [256, 512, 512],
    [512, 256, 512],
    [512, 512, 512],
    [512, 1024, 512],
    [512, 512, 1024],
]

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
        return matmul(kernels, n, make_matmul_by_rows(kernels, n), ROW_TILES, torch.float32, 1e-5)

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


# ---- the table ---------------------------------------------------------------------------------------


def all_work() -> Iterator[Work]:
    floats = 4 * 16 * MI
    rows = 4 * 4 * MI
    yield Work("vector add, 16 Mi float", "torch.add(out=)", 1.0, vector_add, 3 * floats)
    yield Work("row softmax, 4096x1024 float", "torch.softmax", 1.0, softmax, 2 * rows)
    yield Work("layer norm, 4096x1024 float", "torch layer_norm", 1.0, layer_norm, 2 * rows)
    yield Work("fused bias + GELU (tanh), 4096x4096 float", "torch add_, gelu", 1.5, bias_gelu, 2 * floats)
    yield Work("ten element-wise steps, 16 Mi float", "torch, ten calls in place", 4.0, ten_steps, 2 * floats)
    yield Work("sum, 16 Mi float", "torch.sum", 1.0, sum_of_all, floats)
    yield Work("partial sums of rows, 4096x1024 float", "torch.cumsum", 1.0, partial_sum, 2 * rows)
    yield Work("transpose, 4096x4096 float", "torch copy_ of t()", 1.0, transpose, 2 * floats)
    for n in (512, 1024, 2048):
        yield Work(f"matmul float, n = {n}", "torch.mm", 1.0, matmul_float(n))
    for n in (1024, 2048):
        yield Work(f"matmul bf16, float sums, n = {n}", "torch.mm", 0.9, matmul_bfloat16(n))
    yield Work("matmul int8 to int32, n = 1024", "torch._int_mm", 1.0, matmul_int8)
    sdpa = "torch scaled_dot_product_attention"
    yield Work("causal attention 1x8x1024x64 float", sdpa, 1.0, attention("float", torch.float32, 1e-5))
    yield Work(
        "causal attention 1x8x1024x64 bf16", sdpa, 1.0, attention("__nv_bfloat16", torch.bfloat16, 1e-2)
    )
    yield Work("gather, 4 Mi rows of 64 B", "torch.index_select", 1.0, gather, 2 * 64 * 4 * MI)
    yield Work("atomic histogram, 16 Mi int, 256 bins", "torch.bincount", 1.0, histogram, floats)
    yield Work("vector add, 16 Mi float", "np.add(out=)", None, vector_add_numpy, 3 * floats)
    yield Work("matmul float, n = 1024", "np.matmul(out=)", None, matmul_numpy(1024))
