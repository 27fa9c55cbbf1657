"""The work that gpu.py times: arguments on the device, exact results, and the same in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch


class Work(NamedTuple):
    """One call's work: arrays for it, and what to compare. `bytes` and `flops` give the speed of a call."""

    title: str
    source: str
    kernel: str
    grid: tuple[int, ...]
    make: Callable[[], tuple]  # the kernel's arguments, on the device; the result is the array `out`
    out: int
    exact: Callable[..., object]  # in float64
    torch: Callable[..., object]
    tolerance: float  # of the exact result's greatest element
    bytes: int
    flops: int = 0


def works() -> list[Work]:
    """Needs a GPU: arrays are made on it."""

    def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.randn(shape, device="cuda").to(dtype)

    n, rows, columns = 1 << 26, 16384, 1024
    f32, f16, bf16 = torch.float32, torch.float16, torch.bfloat16
    found = [
        Work("vector add", "elementwise", "vector_add<1024>", (n // 1024,),
             lambda: (random(n), random(n), random(n), n), 2,
             lambda a, b, *_: a.double() + b.double(), lambda a, b, *_: a + b, 1e-6, 12 * n),
        Work("softmax", "rows", "softmax<1024>", (rows,),
             lambda: (random(rows, columns), random(rows, columns), rows, columns), 1,
             lambda x, *_: x.double().softmax(1), lambda x, *_: x.softmax(1), 1e-5, 8 * rows * columns),
        Work("layer norm", "rows", "layer_norm<1024>", (rows,),
             lambda: (random(rows, columns), random(columns), random(columns), random(rows, columns), rows,
                      columns, 1e-5), 3,
             lambda x, w, b, *_: torch.layer_norm(x.double(), (columns,), w.double(), b.double(), 1e-5),
             lambda x, w, b, *_: torch.layer_norm(x, (columns,), w, b, 1e-5), 1e-4, 8 * rows * columns),
        Work("transpose", "movement", "transpose<64>", (128, 128),
             lambda: (random(8192, 8192), random(8192, 8192), 8192, 8192), 1,
             lambda x, *_: x.double().T, lambda x, *_: x.T.contiguous(), 0.0, 8 * 8192 * 8192),
    ]  # fmt: skip
    for name, cxx, dtype in (("bf16", "__nv_bfloat16", bf16), ("f16", "__half", f16), ("f32", "float", f32)):
        size, tiles = (4096, (128, 128, 64)) if dtype != f32 else (2048, (64, 64, 32))
        found.append(
            Work(f"matmul {name} {size}", "matmul",
                 f"matmul<{cxx}, float, {cxx}, {', '.join(map(str, tiles))}>",
                 (size // tiles[1], size // tiles[0]),
                 lambda s=size, d=dtype: (*(random(s, s, dtype=d) for _ in range(3)), s, s, s), 2,
                 lambda a, b, *_: a.double() @ b.double(), lambda a, b, *_: a @ b,
                 1e-4 if dtype == f32 else 1e-2, 3 * size * size * dtype.itemsize, 2 * size**3)
        )  # fmt: skip
    heads, length, dim = 32, 2048, 64
    shape, scale = (heads, length, dim), dim**-0.5

    def attention(q, k, v, *_):
        return torch.nn.functional.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True, scale=scale
        )[0]

    found.append(
        Work("attention bf16", "attention", "attention<__nv_bfloat16, 64, 64, 64>", (length // 64, heads),
             lambda: (*(random(*shape, dtype=bf16) for _ in range(4)), heads, length, scale), 3,
             lambda q, k, v, *_: attention(q.double(), k.double(), v.double()), attention,
             2e-2, 8 * heads * length * dim, 2 * heads * length * length * dim)
    )  # fmt: skip
    return found
