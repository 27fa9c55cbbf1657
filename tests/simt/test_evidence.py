"""What NVRTC makes of kernels for GPUs, as benchmarks/simt_evidence.py counts it: no GPU is needed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def _load(name: str):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def evidence():
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    module = _load("simt_evidence")
    if module.find_nvdisasm() is None:
        pytest.skip("nvdisasm is missing: it comes with the wheel nvidia-cuda-nvdisasm or the CUDA toolkit")
    return lambda title, arch: module.build(
        next(example for example in module.KERNELS if example.title == title), arch
    )


def test_rows_are_loaded_in_vectors_and_reduced_by_shuffles(evidence):
    seen = evidence("softmax", "sm_80")
    assert seen.threads == 128 and seen.spilled_bytes == 0
    assert seen.counts["LDG.128"] == 2  # 1024 floats of 128 threads
    assert seen.counts["shuffles"] == 10  # of 32 lanes, twice


def test_vector_add_loads_and_stores_16_bytes(evidence):
    seen = evidence("vector add", "sm_90")
    assert (seen.counts["LDG.128"], seen.counts["STG.128"]) == (4, 2)


@pytest.mark.parametrize(("title", "arch"), [("matmul f16", "sm_75"), ("matmul bf16", "sm_80")])
def test_products_of_halves_use_matrix_instructions_and_spill_nothing(evidence, title, arch):
    seen = evidence(title, arch)
    assert seen.threads == 256 and seen.spilled_bytes == 0 and seen.warnings == 0
    # Of 128 x 128 x 64, eight warps share instructions of 16 x 8 x 16, on sm_75 of 16 x 8 x 8.
    assert seen.counts["matrix"] == 8 * 16 * 4 // 8 * (2 if arch == "sm_75" else 1)
    assert seen.counts["barriers"] == 2
    assert seen.counts["LDG.128"] == 8
