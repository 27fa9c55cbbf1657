"""Every kernel of benchmarks/kernels against NumPy: on the CPU, and with several threads per block in several
orders. tests/ptx/test_kernels.py runs the code that NVRTC generates for them."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

import pytest
from kernel_problems import defined_kernels, problem, source_of

import pycuda_tile as pct
from pycuda_tile.errors import TargetUnavailable

SEEDS = (None, 1, 2)
ON_TILE = (
    "copy<256>",
    "row_sum<4, 64>",
    "column_sum<16, 32>",
    "matmul_transposed<float, __nv_tf32, float, float, 32, 32, 32>",
    "matmul_transposed<__nv_fp8_e4m3, __nv_fp8_e4m3, float, __nv_bfloat16, 32, 32, 32>",
    "matmul_transposed<signed char, signed char, int, int, 32, 32, 32>",
)
SMALL = (4, 32)
KERNELS = {  # threads of a block
    "copy<256>": SMALL,
    "vector_add<256>": SMALL,
    "vector_add_of_steps<256, 3>": SMALL,
    "bias_gelu<256>": SMALL,
    "ten_steps<256>": SMALL,
    "lengths<256>": SMALL,
    "leaky_relu<256>": SMALL,
    "adam<256>": SMALL,
    "standardize<256>": SMALL,
    "log_sum_exp<256>": SMALL,
    "linear_relu<16, 16, 32>": SMALL,
    "softmax<256>": SMALL,
    "layer_norm<256>": SMALL,
    "layer_norm_by_parts<64>": SMALL,
    "partial_sum<256>": SMALL,
    "sum<256, 2>": SMALL,
    "sum_of_four<128, 1>": SMALL,
    "row_sum<16, 32>": SMALL,
    "column_sum<16, 32>": SMALL,
    "transpose<32>": SMALL,
    "gather<16, 32>": SMALL,
    "histogram<256>": SMALL,
    "histogram_of_steps<256, 3>": SMALL,
    "matmul_by_rows<float, float, 16, 16, 32>": SMALL,
    "matmul_by_rows<signed char, int, 64, 32, 32>": (128,),
    "matmul_transposed<__half, __half, float, float, 32, 16, 32>": (32, 128),
    "matmul_transposed<signed char, signed char, int, int, 32, 32, 32>": (32,),
    "matmul_converted<float, __nv_tf32, float, float, 32, 16, 32>": (4, 32, 128),
    "matmul_converted<__nv_fp8_e4m3, __nv_fp8_e4m3, float, float, 32, 16, 32>": (32,),
    "matmul_batched<__half, float, 2, 16, 32, 16>": (32, 128),
    "attention<__nv_bfloat16, 32, 32, 32>": (4, 32, 128),
    "attention<__half, 16, 32, 16>": (32,),
}
for _types in (
    "float, float, float",
    "double, double, double",
    "signed char, int, int",
    "__nv_bfloat16, float, float",
    "__half, float, __half",
):
    KERNELS[f"matmul<{_types}, 16, 16, 32>"] = SMALL
    KERNELS[f"matmul<{_types}, 64, 32, 32>"] = (128,)


@functools.cache
def _module(path: Path, threads: int) -> pct.Module:
    """All kernels of a file, compiled together. 0 threads stands for the CPU."""
    names = [name for name, counts in KERNELS.items() if threads in (0, *counts) and source_of(name) == path]
    options = (
        {"target": "emulated", "num_threads": threads, "options": ("-O1",)} if threads else {"target": "cpu"}
    )
    return pct.build(path, kernels=names, **options)


CASES = [(name, threads) for name, counts in KERNELS.items() for threads in (0, *counts)]


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("name", "threads"), sorted(CASES, key=lambda case: case[1]))
def test_kernel(name, threads):
    kernel = _module(source_of(name), threads).kernel(name)
    for seed in SEEDS:
        work = problem(name)
        kernel.launch(work.grid, *work.arguments, schedule_seed=seed)
        work.check(f"seed {seed}")


def test_every_kernel_is_tested():
    assert defined_kernels() == {name.split("<")[0] for name in KERNELS}


@pytest.mark.skipif(importlib.util.find_spec("cuda") is None, reason="needs cuda-python and NVRTC")
@pytest.mark.wide
def test_they_build_with_nvidias_compiler():
    try:
        for name in ON_TILE:
            module = pct.build(source_of(name), target="tile", arch="sm_90", kernels=(name,))
            assert module.kernel(name).binary, name
    except TargetUnavailable as missing:
        pytest.skip(str(missing))
