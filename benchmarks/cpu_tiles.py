"""The second table of benchmarks/cpu.py: kernels with the tile sizes of code for GPUs, fused and operation by
operation, beside PyTorch as it is and compiled by torch.compile. In processes of their own, one for each way
in which PyTorch's threads wait, where the C library keeps freed memory: else what is timed are page faults.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import exp, log
from pathlib import Path
from statistics import median
from typing import NamedTuple

import torch
from cpu_work import KERNELS, MI, ceildiv, random
from interleaved import rounds_of

import pycuda_tile as pct

EXAMPLES = KERNELS.parent.parent / "examples"
POLICIES = ("ACTIVE", "PASSIVE")
_KEEPS_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 42)}
_ROUNDS = 9
_LEAST, _OVER_TORCH, _OVER_BETTER = 0.8, 1.1, 1.0  # what is wanted of each row, and of geometric means
_F = torch.nn.functional


class Work(NamedTuple):
    """launch(kernel) calls the kernel; function() is PyTorch's way to the same result, within a tolerance."""

    name: str
    source: Path
    kernel: str
    launch: Callable[[pct.Kernel], torch.Tensor]
    function: Callable[[], torch.Tensor]
    tolerance: float = 1e-5


class Row(NamedTuple):
    """Seconds of each way, and the medians of the ratios of others to the fused way."""

    name: str
    path: str
    seconds: list[float]
    over_torch: float
    over_compiled: float
    over_plain: float

    @property
    def over_better(self) -> float:
        return min(self.over_torch, self.over_compiled)


# ---- the work ----------------------------------------------------------------------------------------------


def _elementwise(n: int = 4 * MI) -> Iterator[Work]:
    a, b, grid = random(n), random(n).flip(0), ceildiv(n, 1024)
    one_liners = KERNELS / "one_liners.cu"

    def binary(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(n)
        kernel[grid](a, b, out, n)
        return out

    def unary(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(n)
        kernel[grid](a, out, n)
        return out

    yield Work("a + b", EXAMPLES / "vector_add.cu", "vector_add", binary, lambda: a + b)
    yield Work("sqrt(a*a + b*b)", one_liners, "lengths<1024>", binary, lambda: torch.sqrt(a * a + b * b))
    yield Work(
        "where(x > 0, x, 0.01 * x), tiles of pointers",
        one_liners,
        "leaky_relu<1024>",
        unary,
        lambda: torch.where(a > 0, a, 0.01 * a),
    )
    half, other = a.half(), b.half()

    def gate(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty_like(half)
        kernel[grid](half, other, out, n)
        return out

    swiglu = EXAMPLES / "swiglu.cu"
    yield Work("SwiGLU, half", swiglu, "swiglu<__half, 1024>", gate, lambda: _F.silu(half) * other, 2**-9)
    state = [random(n), random(n) * 0.1, random(n).abs(), b]
    ours, theirs = ([x.clone() for x in state[:3]] for _ in range(2))

    def step(kernel: pct.Kernel) -> torch.Tensor:
        kernel[grid](*ours, b, 1e-3, n)
        return ours[0]

    def torch_step() -> torch.Tensor:
        p, m, v = theirs
        m.mul_(0.9).add_(0.1 * b)
        v.mul_(0.999).add_(0.001 * (b * b))
        return p.sub_(1e-3 * m / (torch.sqrt(v) + 1e-8))

    yield Work("Adam, one step in place", one_liners, "adam<1024>", step, torch_step, 1e-4)


def _rows(rows: int = 4096, columns: int = 1000) -> Iterator[Work]:
    x, weight, bias = random(rows, columns), random(columns), random(columns)
    one_liners = KERNELS / "one_liners.cu"

    def plain(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(rows, columns)
        kernel[rows](x, out, rows, columns)
        return out

    def norm(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(rows, columns)
        kernel[rows](x, weight, bias, out, rows, columns, 1e-5)
        return out

    low, low_weight = x.bfloat16(), weight.bfloat16()

    def rms(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty_like(low)
        kernel[rows](low, low_weight, out, rows, columns)
        return out

    def rms_norm() -> torch.Tensor:
        return _F.rms_norm(low, [columns], low_weight, 1e-6)

    def standardize() -> torch.Tensor:
        return (x - x.mean(1, keepdim=True)) / x.std(1, correction=0, keepdim=True)

    def by_row(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(rows)
        kernel[rows](x, out, rows, columns)
        return out

    def gelu(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty_like(low)
        kernel[ceildiv(columns, 128), ceildiv(rows, 16)](low, low_weight, out, rows, columns)
        return out

    def torch_gelu() -> torch.Tensor:
        return _F.gelu(low + low_weight, approximate="tanh")

    yield Work("softmax", EXAMPLES / "softmax.cu", "softmax", plain, lambda: torch.softmax(x, 1))
    yield Work(
        "layer norm",
        EXAMPLES / "layer_norm.cu",
        "layer_norm",
        norm,
        lambda: _F.layer_norm(x, [columns], weight, bias),
    )
    name = "rms_norm<__nv_bfloat16, 1e-06f>"
    yield Work("RMS norm, bfloat16", EXAMPLES / "rms_norm.cu", name, rms, rms_norm, 2**-6)
    yield Work("(x - x.mean(1)) / x.std(1)", one_liners, "standardize<1024>", plain, standardize)
    yield Work("log(sum(exp(x), 1))", one_liners, "log_sum_exp<1024>", by_row, lambda: torch.logsumexp(x, 1))
    name = "bias_gelu<__nv_bfloat16, 16, 128>"
    yield Work("GELU of x + bias, bfloat16", EXAMPLES / "bias_gelu.cu", name, gelu, torch_gelu, 2**-6)


def _products(n: int = 1024) -> Iterator[Work]:
    def product(types: str, dtype: torch.dtype, tolerance: float) -> Work:
        a, b = random(n, n, dtype=dtype), random(n, n, dtype=dtype).t().contiguous()

        def launch(kernel: pct.Kernel) -> torch.Tensor:
            out = torch.empty(n, n, dtype=dtype)
            kernel[ceildiv(n, 128), ceildiv(n, 128)](a, b, out, n, n, n)
            return out

        name = f"matmul<{types}, 128, 128, 64>"
        title = f"product 128x128x64, {str(dtype).removeprefix('torch.')}"
        return Work(title, KERNELS / "matmul.cu", name, launch, lambda: a @ b, tolerance)

    yield product("float, float, float", torch.float32, 1e-5)
    yield product("__nv_bfloat16, float, __nv_bfloat16", torch.bfloat16, 2**-7)
    x, weight, bias = random(n, n), random(n, n).t().contiguous(), random(n)

    def linear(kernel: pct.Kernel) -> torch.Tensor:
        out = torch.empty(n, n)
        kernel[ceildiv(n, 128), ceildiv(n, 128)](x, weight, bias, out, n, n, n)
        return out

    def linear_relu() -> torch.Tensor:
        return torch.relu(torch.addmm(bias, x, weight))

    name = "linear_relu<128, 128, 64>"
    yield Work("maximum(x @ w + b, 0) 128x128x64", KERNELS / "one_liners.cu", name, linear, linear_relu)


def _attention(heads: int = 8, length: int = 1024, dim: int = 64) -> Iterator[Work]:
    def attention(type_name: str, dtype: torch.dtype, tolerance: float) -> Work:
        q, k, v = (random(heads, length, dim + i, dtype=dtype)[..., :dim].contiguous() for i in range(3))

        def launch(kernel: pct.Kernel) -> torch.Tensor:
            out = torch.empty_like(q)
            kernel[ceildiv(length, 64), heads](q, k, v, out, heads, length, dim)
            return out

        def function() -> torch.Tensor:
            return _F.scaled_dot_product_attention(q, k, v, is_causal=True)

        name = f"attention<{type_name}, true, {dim}, 64, 64>"
        title = f"causal attention 64x64, {str(dtype).removeprefix('torch.')}"
        return Work(title, EXAMPLES / "attention.cu", name, launch, function, tolerance)

    yield attention("float", torch.float32, 1e-5)
    yield attention("__nv_bfloat16", torch.bfloat16, 1e-2)


def all_work() -> Iterator[Work]:
    yield from _elementwise()
    yield from _rows()
    yield from _products()
    yield from _attention()


# ---- one process -------------------------------------------------------------------------------------------


def measure(work: Work, arch: str) -> Row:
    kernels = [
        pct.build(work.source, target="cpu", arch=arch, kernels=[work.kernel], optimize=way).kernel(
            work.kernel
        )
        for way in ("auto", False)
    ]
    compiled = torch.compile(work.function)
    functions: list[Callable[[], torch.Tensor]] = [
        lambda: work.launch(kernels[0]),
        lambda: work.launch(kernels[1]),
        work.function,
        compiled,
    ]
    if "in place" not in work.name:
        _check([function() for function in functions], work)
    taken = rounds_of(functions, _ROUNDS)
    seconds = [median(each) for each in zip(*taken, strict=True)]
    plain, torchs, by_compiler = (
        median(each[way] / each[0] for each in taken) for way in range(1, len(functions))
    )
    return Row(work.name, str(kernels[0].attributes["path"]), seconds, torchs, by_compiler, plain)


def _check(results: Sequence[torch.Tensor], work: Work) -> None:
    """All four differ from each other by no more than the tolerance. Which one is off, the others show."""
    ways = ("fused", "op by op", "PyTorch", "torch.compile")
    scale, found = float(results[2].abs().max()), []
    for (way, result), (other, wanted) in combinations(zip(ways, results, strict=True), 2):
        difference = (result.double() - wanted.double()).abs()
        if count := int((difference > work.tolerance * scale).sum()):
            found.append(f"{way} and {other}: {count} elements differ, by up to {float(difference.max())}")
    assert not found, f"{work.name}: {'; '.join(found)}"


def measure_all(arch: str, only: str) -> None:
    """What the processes of run() do: prints each row as JSON."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    for work in all_work():
        if only in work.name:
            print(json.dumps(measure(work, arch)), flush=True)


# ---- the table ---------------------------------------------------------------------------------------------


def run(arch: str, only: str) -> list[str]:
    """Prints and returns the lines of the table."""
    lines: list[str] = []

    def show(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    show("Tile sizes of code for GPUs. Speed = time of the other way / time of the fused one.")
    for policy in POLICIES:
        show("")
        show(f"OMP_WAIT_POLICY={policy}")
        head = f"{'work':<46} {'path':<13} {'PyTorch':>8} {'compiled':>9} {'op by op':>9} {'fused, ms':>10}"
        show(head)
        rows = []
        for row in _in_process(policy, arch, only):
            rows.append(row)
            notes = " below 0.8" if row.over_better < _LEAST else ""
            figures = f"{row.over_torch:8.2f} {row.over_compiled:9.2f} {row.over_plain:9.2f}"
            show(f"{row.name:<46} {row.path:<13} {figures} {row.seconds[0] * 1e3:10.3f}{notes}")
        if rows:
            show(_summary(rows))
    return lines


def _summary(rows: list[Row]) -> str:
    over_torch, over_better = (
        exp(sum(log(value) for value in values) / len(rows))
        for values in ([row.over_torch for row in rows], [row.over_better for row in rows])
    )
    return (
        f"geometric mean over PyTorch {over_torch:.2f} (wanted: {_OVER_TORCH}), over the better of PyTorch "
        f"and torch.compile {over_better:.2f} (wanted: {_OVER_BETTER})"
    )


def _in_process(policy: str, arch: str, only: str) -> Iterator[Row]:
    command = [sys.executable, __file__, arch, only]
    environment = {**os.environ, **_KEEPS_MEMORY, "OMP_WAIT_POLICY": policy}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield Row(*json.loads(line))
    if process.returncode:
        sys.exit(f"a measurement failed with exit code {process.returncode}")


if __name__ == "__main__":
    measure_all(*sys.argv[1:])
