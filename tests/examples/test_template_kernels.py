"""The examples whose kernels are templates, on every target that runs here, in each element type, at sizes
that are not multiples of their tiles, against NumPy. They are also compiled for GPUs if that is possible.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from run_ptx import PtxModule

import pycuda_tile as pct
from pycuda_tile.launching import gpu

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# The arguments of each example's `problem`; every type occurs somewhere.
CASES = {
    "bias_gelu": [(1, 1, "float32"), (33, 130, "float16"), (17, 5, "bfloat16")],
    "swiglu": [(1, "float32"), (1500, "float16"), (1024, "bfloat16")],
    "rms_norm": [(1, 1, "float32"), (3, 1000, "float16"), (2, 1024, "bfloat16")],
    "rotary": [(1, 1, "float32"), (3, 12, "float16"), (2, 8, "bfloat16")],
    "attention": [
        (1, 1, 1, "float32", True),
        (2, 70, 50, "float32", True),
        (1, 33, 64, "float16", False),
        (1, 64, 64, "bfloat16", True),
    ],
    "split_k_matmul": [(1, 1, 1, 1, "float32"), (35, 40, 300, 3, "float16"), (5, 7, 64, 4, "bfloat16")],
    "batched_matmul": [(1, 1, 1, 1, "float32"), (3, 35, 40, 50, "float16"), (2, 32, 32, 32, "bfloat16")],
    "top_k": [(1, 5, "float32"), (3, 1000, "float16"), (2, 1024, "bfloat16")],
    "dropout": [(1, "float32"), (1500, "float16"), (1024, "bfloat16")],
    "cross_entropy": [(1, 1, "float32"), (9, 1100, "float16"), (7, 512, "bfloat16")],
    "int8_matmul": [(1, 1, 1, "float32"), (35, 40, 100, "float16"), (32, 32, 64, "bfloat16")],
    "segmented_scan": [(1, 1, "float32"), (3, 150, "float16"), (2, 64, "bfloat16")],
}
TARGETS = {
    "cpu": {"target": "cpu"},
    "checked": {"target": "cpu", "checked": True},
    "emulated-4": {"target": "emulated", "num_threads": 4},
    "emulated-32": {"target": "emulated", "num_threads": 32},
    "ptx": {"target": "simt", "arch": "sm_80"},
}


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def problems(name: str) -> list:
    return [importlib.import_module(name).problem(*arguments) for arguments in CASES[name]]


def build(name: str, kernels: dict, **options) -> pct.Module:
    try:
        return pct.build(EXAMPLES / f"{name}.cu", kernels=tuple(kernels), **options)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_results_agree_with_numpy(name, target):
    common = importlib.import_module("_common")
    made = problems(name)
    kernels = dict.fromkeys(kernel for problem in made for kernel in problem.kernels)
    if target == "ptx":
        module = PtxModule(build(name, kernels, **TARGETS[target]))
    else:
        module = build(name, kernels, **TARGETS[target], options=("-O1",))
    for arguments, problem in zip(CASES[name], made, strict=True):
        task = common.Run(module, problem)
        task.launch()
        assert task.error() <= problem.tolerance, arguments


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target, arch", [("simt", "sm_75"), ("simt", "sm_90"), ("tile", "sm_90")])
@pytest.mark.parametrize("name", CASES)
def test_compiles_for_gpus(name, target, arch):
    # Tensor cores of sm_75 do not support bfloat16.
    made = problems(name) if arch != "sm_75" else problems(name)[:2]
    kernels = dict.fromkeys(kernel for problem in made for kernel in problem.kernels)
    module = build(name, kernels, target=target, arch=arch)
    for expression in kernels:
        kernel = module.kernel(expression)
        assert kernel.tileir if target == "tile" else f".target {arch}" in kernel.ptx


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_script_runs(name, capsys, monkeypatch):
    """The scripts report their results; here each runs the smallest problem instead of its own."""
    module = importlib.import_module(name)
    small = module.problem(*CASES[name][0])
    monkeypatch.setattr(module, "problem", lambda *arguments: small)
    assert module.main(["--target", "cpu"]) == 0
    assert "agrees with NumPy" in capsys.readouterr().out


@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_tile_code_in_an_ordinary_kernel_compiles(arch):
    """examples/mixed.cu: inline PTX, and shared memory of its own besides that of tile operations."""
    mixed = importlib.import_module("mixed")
    kernel = build("mixed", mixed.problem(3, 5).kernels, target="simt", arch=arch).kernel("smooth")
    assert f".target {arch}" in kernel.ptx and "ex2.approx.f32" in kernel.ptx
    own = 4 * (mixed.MAX_COLUMNS + 32)
    assert own < kernel.attributes["shared_bytes"] <= own + 33 * 1024


def test_tile_code_in_an_ordinary_kernel_runs():
    if not gpu.is_usable():
        pytest.skip("needs a CUDA GPU: other targets have no ordinary kernels")
    assert importlib.import_module("mixed").main(["--rows", "5", "--columns", "1000"]) == 0


def test_each_example_is_tested():
    """In this file or in test_examples.py."""
    others = (EXAMPLES.parent / "tests" / "examples" / "test_examples.py").read_text()
    for path in EXAMPLES.glob("*.cu"):
        assert path.stem in {*CASES, "mixed"} or f'"{path.stem}"' in others, path.name
