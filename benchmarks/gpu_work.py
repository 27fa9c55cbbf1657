"""The work that gpu.py times: arguments on the device, exact results, the launches of our kernels, and the
same in PyTorch. gpu_triton.py has it in Triton."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import torch

KERNELS = Path(__file__).resolve().parent / "kernels"
F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
FP8, INT8, INT32 = torch.float8_e4m3fn, torch.int8, torch.int32


class Launch(NamedTuple):
    """One launch of a kernel, with the arguments of the work whose places `picks` names; (): all."""

    kernel: str
    grid: tuple[int, ...]
    picks: tuple[int, ...] = ()

    def arguments(self, given: tuple) -> tuple:
        return tuple(given[pick] for pick in self.picks) if self.picks else given


class Work(NamedTuple):
    """One line of the table. `bytes` and `flops` are what a call moves and computes at least."""

    title: str
    source: str
    candidates: dict[str, tuple[Launch, ...]]  # by the sizes of tiles, which are the names
    make: Callable[[], tuple]  # the arguments, on the device
    out: int  # the argument that is the result
    exact: Callable[[tuple], torch.Tensor]  # in float64
    torch: dict[str, Callable[[tuple], torch.Tensor]]  # the ways of PyTorch to the result
    tolerance: float  # of the exact result's greatest element
    bytes: int
    flops: int = 0
    wanted: float | None = None  # our speed / that of NVIDIA's tile compiler
    like_a_copy: bool = False  # wanted as well: that share of 0.9 of the bandwidth of a copy
    threads: tuple[int, ...] = (128, 256)
    begin: float = float("nan")  # what the result holds before a call; NaN is the greatest number of integers

    @property
    def path(self) -> Path:
        return KERNELS / f"{self.source}.cu"

    def prepare(self, arguments: tuple) -> None:
        result = arguments[self.out]
        if self.begin == self.begin or result.is_floating_point():
            result.fill_(self.begin)
        else:
            result.fill_(torch.iinfo(result.dtype).max)

    def error(self, result: torch.Tensor, exact: torch.Tensor) -> float:
        """Greatest difference from the exact result, in units of that one's greatest element."""
        return float((result.double().reshape(exact.shape) - exact).abs().max() / exact.abs().max())


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


class Maker:
    """Makes the works for one device: of the sizes to time, or of small odd ones that show an error."""

    def __init__(self, device: str, small: bool):
        self.device = device
        self.small = small

    def size(self, large: int, small: int) -> int:
        return small if self.small else large

    def random(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        if dtype == INT8:
            return torch.randint(-128, 128, shape, dtype=dtype, device=self.device)
        real = torch.randn(shape, device=self.device, dtype=F64 if dtype == F64 else F32)
        return real.to(dtype)

    def empty(self, *shape: int, dtype: torch.dtype = F32) -> torch.Tensor:
        return torch.empty(shape, device=self.device, dtype=dtype)

    def integers(self, count: int, below: int) -> torch.Tensor:
        return torch.randint(0, below, (count,), dtype=INT32, device=self.device)


def works(device: str = "cuda", small: bool = False) -> list[Work]:
    """In order of their value: a run that ends early has lost the last."""
    maker = Maker(device, small)
    found = [*elementwise(maker), *rows(maker), transpose(maker)]
    found += [product(maker, "f16", "__half", F16), product(maker, "bf16", "__nv_bfloat16", BF16)]
    for dim in (64, 128):
        found += [
            attention(maker, dim, "f16", "__half", F16),
            attention(maker, dim, "bf16", "__nv_bfloat16", BF16),
        ]
    found += [*transposed_products(maker), *sums(maker), scan(maker), gather(maker), histogram(maker)]
    found += [product(maker, "f32", "float", F32), product(maker, "f64", "double", F64)]
    return found


# --- memory -------------------------------------------------------------------------------------------------


def elementwise(maker: Maker) -> Iterator[Work]:
    n = maker.size(1 << 26, 10_007)
    tiles = (1024, 2048, 4096)

    def candidates(name: str) -> dict[str, tuple[Launch, ...]]:
        return {str(tile): (Launch(f"{name}<{tile}>", (ceildiv(n, tile),)),) for tile in tiles}

    yield Work(
        "copy", "elementwise", candidates("copy"), lambda: (maker.random(n), maker.empty(n), n), 1,
        lambda a: a[0].double(), {"copy_": lambda a: a[1].copy_(a[0])}, 0.0, 8 * n,
        wanted=0.95, like_a_copy=True,
    )  # fmt: skip
    yield Work(
        "vector add", "elementwise", candidates("vector_add"),
        lambda: (maker.random(n), maker.random(n), maker.empty(n), n), 2,
        lambda a: a[0].double() + a[1].double(), {"add": lambda a: torch.add(a[0], a[1], out=a[2])},
        1e-6, 12 * n, wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def rows(maker: Maker) -> Iterator[Work]:
    count, width = maker.size(1 << 16, 13), 1024
    columns = maker.size(width, 777)

    def matrix() -> torch.Tensor:
        return maker.random(count, columns)

    yield Work(
        "softmax", "rows", {"1024": (Launch("softmax<1024>", (count,)),)},
        lambda: (matrix(), maker.empty(count, columns), count, columns), 1,
        lambda a: a[0].double().softmax(1), {"softmax": lambda a: a[0].softmax(1)},
        1e-5, 8 * count * columns, wanted=0.95, like_a_copy=True,
    )  # fmt: skip

    def norm(a: tuple, dtype: torch.dtype = F32) -> torch.Tensor:
        x, weight, bias = (a[i].to(dtype) for i in range(3))
        return torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5)

    yield Work(
        "layer norm", "rows", {"1024": (Launch("layer_norm<1024>", (count,)),)},
        lambda: (matrix(), maker.random(columns), maker.random(columns), maker.empty(count, columns), count,
                 columns, 1e-5), 3,
        lambda a: norm(a, F64), {"layer_norm": norm}, 1e-4, 8 * count * columns,
        wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def transpose(maker: Maker) -> Work:
    height, width = maker.size(8192, 77), maker.size(8192, 101)
    candidates = {
        str(tile): (Launch(f"transpose<{tile}>", (ceildiv(width, tile), ceildiv(height, tile))),)
        for tile in (32, 64, 128)
    }
    return Work(
        "transpose", "movement", candidates,
        lambda: (maker.random(height, width), maker.empty(width, height), height, width), 1,
        lambda a: a[0].double().T, {"contiguous": lambda a: a[0].T.contiguous()}, 0.0, 8 * height * width,
        wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def sums(maker: Maker) -> Iterator[Work]:
    height, width = maker.size(16384, 333), maker.size(8192, 177)
    n = height * width

    tilings = {"2048 x 16": (2048, 16), "4096 x 32": (4096, 32)}
    blocks = [ceildiv(n, tile * steps) for tile, steps in tilings.values()]
    yield Work(
        "sum", "rows",
        {
            name: (
                Launch(f"sum<{tile}, {steps}>", (blocks[i],), (0, 1, 3)),
                Launch(f"sum<{max(32, 1 << (blocks[i] - 1).bit_length())}, 1>", (1,), (1, 2, 4 + i)),
            )
            for i, (name, (tile, steps)) in enumerate(tilings.items())
        },
        lambda: (maker.random(height, width).abs_(), maker.empty(max(blocks)), maker.empty(1), n, *blocks), 2,
        lambda a: a[0].double().sum()[None], {"sum": lambda a: a[0].sum()}, 1e-5, 4 * n, wanted=0.9,
    )  # fmt: skip
    yield Work(
        "row sums", "rows",
        {f"{r} x {c}": (Launch(f"row_sum<{r}, {c}>", (ceildiv(height, r),)),)
         for r, c in ((1, 2048), (4, 1024), (8, 512))},
        lambda: (maker.random(height, width), maker.empty(height), height, width), 1,
        lambda a: a[0].double().sum(1), {"sum": lambda a: a[0].sum(1)}, 1e-4, 4 * n, wanted=0.9,
    )  # fmt: skip
    yield column_sums(maker, height, width)


def column_sums(maker: Maker, height: int, width: int) -> Work:
    """Pieces of rows first, then the sums of the pieces."""
    tilings = ((16, 128), (16, 256), (32, 64))
    steps = [ceildiv(height, 16 * r) for r, _ in tilings]  # so there are at most 16 pieces
    pieces = [ceildiv(height, s * r) for s, (r, _) in zip(steps, tilings, strict=True)]

    def launches(i: int, r: int, c: int) -> tuple[Launch, ...]:
        across = ceildiv(width, c)
        return (
            Launch(f"column_sum<{r}, {c}>", (across, pieces[i]), (0, 1, 3, 4, 6 + i)),
            Launch(f"column_sum<16, {c}>", (across, 1), (1, 2, 9 + i, 4, 5)),
        )

    return Work(
        "column sums", "rows", {f"{r} x {c}": launches(i, r, c) for i, (r, c) in enumerate(tilings)},
        lambda: (maker.random(height, width), maker.empty(16, width), maker.empty(width), height, width, 1,
                 *steps, *pieces), 2,
        lambda a: a[0].double().sum(0), {"sum": lambda a: a[0].sum(0)}, 1e-4, 4 * height * width, wanted=0.9,
    )  # fmt: skip


def scan(maker: Maker) -> Work:
    count, columns = maker.size(1 << 16, 13), maker.size(1024, 777)
    return Work(
        "partial sums of rows", "rows", {"1024": (Launch("partial_sum<1024>", (count,)),)},
        lambda: (maker.random(count, columns), maker.empty(count, columns), count, columns), 1,
        lambda a: a[0].double().cumsum(1), {"cumsum": lambda a: a[0].cumsum(1)}, 1e-5, 8 * count * columns,
        wanted=0.9,
    )  # fmt: skip


def gather(maker: Maker) -> Work:
    table, count, width = maker.size(1 << 20, 50), maker.size(1 << 19, 77), maker.size(128, 101)
    return Work(
        "gather", "movement",
        {f"{tile} x 128": (Launch(f"gather<{tile}, 128>", (ceildiv(count, tile),)),) for tile in (8, 16, 32)},
        lambda: (maker.random(table, width), maker.integers(count, table), maker.empty(count, width), count,
                 width), 2,
        lambda a: a[0].double()[a[1].long()], {"index_select": lambda a: a[0].index_select(0, a[1])},
        0.0, count * (8 * width + 4), wanted=0.9,
    )  # fmt: skip


def histogram(maker: Maker) -> Work:
    n, bins = maker.size(1 << 26, 10_007), 4096
    return Work(
        "histogram", "movement",
        {str(tile): (Launch(f"histogram<{tile}>", (ceildiv(n, tile),)),) for tile in (512, 1024, 2048)},
        lambda: (maker.integers(n, bins), maker.empty(bins, dtype=INT32).zero_(), n, bins), 1,
        lambda a: torch.bincount(a[0], minlength=bins).double(),
        {"bincount": lambda a: torch.bincount(a[0], minlength=bins),
         "histc": lambda a: torch.histc(a[0], bins, 0, bins)},
        0.0, 4 * n, wanted=0.9, begin=0.0,
    )  # fmt: skip


# --- products -----------------------------------------------------------------------------------------------


def product(maker: Maker, name: str, cxx: str, dtype: torch.dtype) -> Work:
    m, n, k = (maker.size(4096, small) for small in (150, 90, 70))
    if dtype in (F16, BF16):
        tilings = [(128, 128, 32), (128, 128, 64), (128, 256, 64), (256, 128, 64)]
    else:
        tilings = [(64, 64, 16), (128, 64, 16), (128, 128, 16)]
    summed = "double" if dtype == F64 else "float"
    tolerance = {F16: 5e-3, BF16: 1e-2, F32: 1e-5, F64: 1e-13}[dtype]
    return Work(
        f"matmul {name}", "matmul",
        {" x ".join(map(str, t)): (_matmul(f"matmul<{cxx}, {summed}, {cxx}", t, m, n),) for t in tilings},
        lambda: (maker.random(m, k, dtype=dtype), maker.random(k, n, dtype=dtype),
                 maker.empty(m, n, dtype=dtype), m, n, k), 2,
        lambda a: a[0].double() @ a[1].double(), {"cuBLAS": lambda a: torch.matmul(a[0], a[1], out=a[2])},
        tolerance, dtype.itemsize * (m * k + k * n + m * n), 2 * m * n * k,
        wanted=0.6 if dtype in (F16, BF16) else None,
        threads=(128, 256, 512) if dtype in (F16, BF16) else (128, 256),
    )  # fmt: skip


def _matmul(begin: str, tiles: tuple[int, int, int], m: int, n: int) -> Launch:
    grid = (ceildiv(n, tiles[1]), ceildiv(m, tiles[0]))
    return Launch(f"{begin}, {', '.join(map(str, tiles))}>", grid)


def with_tf32(a: tuple) -> torch.Tensor:
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return torch.matmul(a[0], a[1].T, out=a[2])
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def scaled(a: tuple) -> torch.Tensor:
    one = torch.ones((), device=a[0].device)
    return torch._scaled_mm(a[0], a[1].T, one, one, out_dtype=BF16)


def transposed_products(maker: Maker) -> Iterator[Work]:
    """c = a b^T, the form in which tensor cores take fp8."""
    m, n, k = (maker.size(4096, small) for small in (150, 90, 80))
    kinds = (
        ("fp8", "__nv_fp8_e4m3, __nv_fp8_e4m3, float, __nv_bfloat16", FP8, BF16, {"cuBLAS": scaled}, 2e-2,
         0.5, [(128, 128, 64), (128, 128, 128), (128, 256, 64)]),
        ("tf32", "float, __nv_tf32, float, float", F32, F32, {"cuBLAS": with_tf32}, 2e-3,
         0.5, [(128, 128, 32), (128, 64, 32), (128, 256, 32)]),
        ("int8", "signed char, signed char, int, int", INT8, INT32,
         {"cuBLAS": lambda a: torch._int_mm(a[0], a[1].T)}, 0.0,
         None, [(128, 128, 64), (128, 128, 128), (128, 256, 64)]),
    )  # fmt: skip
    for name, cxx, dtype, result, peers, tolerance, wanted, tilings in kinds:
        yield Work(
            f"matmul {name}", "products",
            {" x ".join(map(str, t)): (_matmul(f"matmul_transposed<{cxx}", t, m, n),) for t in tilings},
            lambda d=dtype, r=result: (maker.random(m, k, dtype=d), maker.random(n, k, dtype=d),
                                       maker.empty(m, n, dtype=r), m, n, k), 2,
            lambda a: a[0].double() @ a[1].double().T, peers, tolerance,
            dtype.itemsize * (m * k + k * n) + result.itemsize * m * n, 2 * m * n * k, wanted=wanted,
        )  # fmt: skip


def attention(maker: Maker, dim: int, name: str, cxx: str, dtype: torch.dtype) -> Work:
    heads, length = maker.size(4096 // dim, 2), maker.size(4096, 150)
    shape, scale = (heads, length, dim), dim**-0.5

    def exact(a: tuple) -> torch.Tensor:
        """A head at a time: all scores at once are many gigabytes."""
        later = torch.ones((length, length), dtype=torch.bool, device=maker.device).triu_(1)
        return torch.stack(
            [
                (q @ k.T * scale).masked_fill_(later, -torch.inf).softmax(1) @ v
                for q, k, v in zip(*(x.double() for x in a[:3]), strict=True)
            ]
        )

    def library(a: tuple) -> torch.Tensor:
        q, k, v = (x[None] for x in a[:3])
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale)[0]

    def cudnn(a: tuple) -> torch.Tensor:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return library(a)

    candidates = {
        f"{q} x {k}": (Launch(f"attention<{cxx}, {q}, {k}, {dim}>", (ceildiv(length, q), heads)),)
        for q, k in ((64, 64), (128, 64), (128, 128))
    }
    return Work(
        f"attention {dim} {name}", "attention", candidates,
        lambda: (*(maker.random(*shape, dtype=dtype) for _ in range(3)), maker.empty(*shape, dtype=dtype),
                 heads, length, scale), 3,
        exact, {"flash": library, "cuDNN": cudnn}, {F16: 5e-3, BF16: 2e-2}[dtype],
        8 * heads * length * dim, 2 * heads * length * length * dim, wanted=0.6,
    )  # fmt: skip
