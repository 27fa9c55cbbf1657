"""The PTX that NVRTC generates from the kernels of benchmarks/kernels, run on the PTX machine, against NumPy:
at odd sizes, without races in shared memory and within the arrays."""

from __future__ import annotations

import re

import pytest
from kernel_problems import problem, source_of
from ptx_machine import PtxError
from run_ptx import PtxKernel

import pycuda_tile as pct

pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")

ARCHS = ("sm_75", "sm_80", "sm_90a")
FP8 = "__nv_fp8_e4m3"
STREAMING = (
    "copy<1024>",
    "vector_add<1024>",
    "bias_gelu<1024>",
    "ten_steps<256>",
    "softmax<1024>",
    "layer_norm<1024>",
    "layer_norm_by_parts<64>",
    "partial_sum<1024>",
    "sum<4096, 1>",
    "sum_of_four<128, 1>",
    "row_sum<16, 256>",
    "column_sum<32, 128>",
    "transpose<64>",
    "gather<16, 64>",
    "histogram<256>",
)
PRODUCTS = (
    "matmul<float, float, float, 64, 32, 32>",
    "matmul<double, double, double, 64, 64, 16>",
    "matmul<signed char, int, int, 128, 128, 64>",
    "matmul<__half, float, __half, 128, 128, 64>",
    "matmul_transposed<signed char, signed char, int, int, 128, 128, 64>",
    "matmul_transposed<float, __nv_tf32, float, float, 128, 64, 32>",
    f"matmul_transposed<{FP8}, {FP8}, float, float, 128, 128, 64>",
    "matmul_batched<__half, float, 4, 32, 64, 32>",
)
SINCE_80 = (
    "matmul<__nv_bfloat16, float, __nv_bfloat16, 128, 128, 64>",
    "attention<__nv_bfloat16, 64, 64, 64>",
)
# Both ways to hold the right operand, with one warp group and with two.
GROUPS = (
    "matmul_converted<float, __nv_tf32, float, float, 128, 64, 32>",
    f"matmul_converted<{FP8}, {FP8}, float, float, 128, 128, 64>",
)
CASES = [(name, "sm_80", None) for name in STREAMING]
CASES += [(name, arch, None) for name in PRODUCTS for arch in ARCHS]
CASES += [(name, arch, None) for name in SINCE_80 for arch in ARCHS[1:]]
CASES += [(name, "sm_89", None) for name in (PRODUCTS[6], GROUPS[1])]  # first with fp8 instructions
CASES += [(name, "sm_90a", None) for name in GROUPS]
CASES += [(name, "sm_90a", 256) for name in ("matmul<__half, float, __half, 128, 256, 64>", *PRODUCTS[4:6])]


def _build(name: str, arch: str, threads: int | None) -> pct.Kernel:
    module = pct.build(source_of(name), target="simt", arch=arch, kernels=(name,), num_threads=threads)
    return module.kernel(name)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "arch", "threads"), CASES)
def test_kernel(name, arch, threads):
    work = problem(name)
    PtxKernel(_build(name, arch, threads))[work.grid](*work.arguments)
    work.check()


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("name", "arch"),
    [
        ("layer_norm<1024>", "sm_80"),
        ("histogram<256>", "sm_80"),
        ("matmul<float, float, float, 64, 32, 32>", "sm_80"),
        ("attention<__nv_bfloat16, 64, 64, 64>", "sm_80"),
        ("matmul_transposed<float, __nv_tf32, float, float, 128, 64, 32>", "sm_90a"),
    ],
)
def test_the_order_of_warps_changes_nothing(name, arch):
    kernel = _build(name, arch, None)
    for seed in (1, 2):
        work = problem(name)
        PtxKernel(kernel, seed=seed)[work.grid](*work.arguments)
        work.check(f"seed {seed}")


# --- that the machine would have noticed --------------------------------------------------------------------


def _without(ptx: str, pattern: str, number: int) -> str:
    """The program without one of the statements that match."""
    found = list(re.finditer(pattern, ptx))[number]
    return ptx[: found.start()] + ptx[found.end() :]


@pytest.mark.parametrize(
    ("name", "arch", "statement", "number", "message"),
    [
        # the second barrier is the one between staging and reading
        ("transpose<64>", "sm_80", r"bar\.sync\s+0;", 1, "without a barrier between"),
        ("layer_norm<1024>", "sm_80", r"bar\.sync\s+0;", 1, "without a barrier between"),
        (
            "matmul<__half, float, __half, 128, 128, 64>",
            "sm_80",
            r"bar\.sync\s+0;",
            1,
            "without a barrier between",
        ),
        (
            "matmul<__half, float, __half, 128, 128, 64>",
            "sm_90a",
            r"fence\.proxy[^;]*;",
            0,
            "without fence.proxy.async",
        ),
    ],
)
def test_a_missing_barrier_is_found(name, arch, statement, number, message):
    kernel = _build(name, arch, None)
    work = problem(name)
    with pytest.raises(PtxError, match=message):
        PtxKernel(kernel, ptx=_without(kernel.ptx, statement, number))[work.grid](*work.arguments)


def test_an_access_beyond_an_array_is_found():
    kernel = _build("copy<1024>", "sm_80", None)
    work = problem("copy<1024>")
    x, out, n = work.arguments
    with pytest.raises(PtxError, match="which no argument holds"):
        PtxKernel(kernel)[work.grid](x, out[:-1], n)
    with pytest.raises(PtxError, match="which no argument holds"):
        PtxKernel(kernel)[work.grid](x[:-1], out, n)
