"""The circle closes: what NVIDIA's front end makes of the examples, interpreted and built for the cpu.

C++ source -> bytecode -> the interpreter, or C++ again and the cpu target. Needs NVIDIA's front end.
"""

from __future__ import annotations

import functools
import importlib
import itertools
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Sizes that are no multiples of tiles.
PROBLEMS = {
    "vector_add": (2500,),
    "softmax": (3, 1000),
    "layer_norm": (3, 1000),
    "matmul": (70, 65, 100),
    "transpose": (65, 130),
    "histogram": (3000, 100),
    "gather": (33, 100, 50),
    "attention": (2, 40, 20, "float16", True),
    "batched_matmul": (2, 35, 40, 50, "bfloat16"),
    "bias_gelu": (5, 70, "float16"),
    "cross_entropy": (5, 70, "float32"),
    "dropout": (1500, "float32"),
    "int8_matmul": (35, 40, 50, "float32"),
    "rms_norm": (5, 70, "bfloat16"),
    "rotary": (3, 12, "float16"),
    "segmented_scan": (3, 70, "float32"),
    "split_k_matmul": (35, 40, 150, 3, "float32"),
    "swiglu": (1500, "float16"),
    "top_k": (3, 70, "float16"),
}
#: Integers, or moved elements: the same on every target, bit for bit.
EXACT = {"vector_add", "transpose", "histogram", "gather", "top_k"}


class Kernel:
    """One entry, launched as a kernel is: interpreted, or built."""

    def __init__(self, module: tileir.Module, name: str, how: str):
        self.module, self.name, self.how = module, name, how
        self.built = tileir.build(module, options=("-O1",)).kernel(name) if how == "cpu" else None

    def __getitem__(self, grid):
        if self.built is not None:
            return self.built[grid]
        seed = 11 if self.how == "shuffled" else None
        return lambda *arguments: tileir.interpret(self.module, self.name, grid, *arguments, seed=seed)


@functools.cache
def front_end(name: str, kernels: tuple[str, ...]) -> list[tuple[tileir.Module, str]]:
    """The bytecode of each kernel of an example, and its entry's name."""
    try:
        built = pct.build(EXAMPLES / f"{name}.cu", target="tile", arch="sm_90", kernels=kernels)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    found = []
    for kernel in kernels:
        module = tileir.read_bytecode(built.kernel(kernel).tileir)
        plain = kernel.partition("<")[0]
        (entry,) = [e for e in module.entries if f"{len(plain)}{plain}" in e.name]
        module.entries = [entry]
        found.append((module, entry.name))
    return found


@pytest.fixture
def problem(request, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(request.param).problem(*PROBLEMS[request.param])


@pytest.mark.parametrize("how", ["interpret", "shuffled", "cpu"])
@pytest.mark.parametrize(
    "name, problem", [(n, n) for n in PROBLEMS], indirect=["problem"], ids=list(PROBLEMS)
)
def test_examples(name: str, problem, how: str) -> None:
    common = importlib.import_module("_common")
    kernels = [Kernel(module, entry, how) for module, entry in front_end(name, problem.kernels)]
    problem.launch(*kernels, *problem.arrays)
    expected = problem.expected()
    wanted = (expected,) if problem.outputs == 1 else expected
    for got, want in zip(problem.arrays[-problem.outputs :], wanted, strict=True):
        assert common.largest_error(got, want) <= problem.tolerance
    if name in EXACT:
        results = [array.copy() for array in problem.arrays[-problem.outputs :]]
        own = pct.build(EXAMPLES / f"{name}.cu", target="cpu", kernels=problem.kernels)
        for array in problem.arrays[-problem.outputs :]:
            array[...] = 0
        problem.launch(*map(own.kernel, problem.kernels), *problem.arrays)
        for result, array in zip(results, problem.arrays[-problem.outputs :], strict=True):
            assert np.array_equal(result, array)


class Module:
    """An example's module, as its scripts take one."""

    target = "cpu"

    def __init__(self, name: str, how: str):
        self.name, self.how = name, how

    def kernel(self, expression: str) -> Kernel:
        [(module, entry)] = front_end(self.name, (expression,))
        return Kernel(module, entry, self.how)

    __getitem__ = kernel


@pytest.mark.parametrize("how", ["interpret", "cpu"])
def test_blur(monkeypatch, how: str) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    blur = importlib.import_module("blur")
    planes = np.random.default_rng(0).uniform(0, 255, (1, 7, 35)).astype(np.float32)
    task = blur.TileBlur(Module("blur", how), planes)
    task.run()
    np.testing.assert_allclose(task.output, blur.blur_numpy(planes.astype(np.float64)), atol=1e-3)


@pytest.mark.parametrize("how", ["interpret", "cpu"])
def test_digits(monkeypatch, how: str) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    digits = importlib.import_module("digits")
    images, _ = digits.load_digits()
    rng = np.random.default_rng(0)
    network = [
        (rng.standard_normal((n, m), np.float32) / 8, rng.standard_normal(m, np.float32))
        for n, m in itertools.pairwise(digits.LAYERS)
    ]
    labels, confidence = digits.TileNetwork(Module("digits", how), network, 5).classify(images[:5])
    expected = digits.probabilities(digits.relu_layers(images[:5], network)[-1])
    np.testing.assert_array_equal(labels, expected.argmax(axis=1))
    np.testing.assert_allclose(confidence, expected.max(axis=1), rtol=1e-5)


def test_each_example_is_here() -> None:
    own = {*PROBLEMS, "blur", "digits", "mixed"}  # mixed: CUDA C++ beside tile code, for simt alone
    assert own == {path.stem for path in EXAMPLES.glob("*.cu")}
