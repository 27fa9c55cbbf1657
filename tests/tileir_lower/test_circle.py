"""Full circle: the examples, compiled by NVIDIA's front end, are interpreted and built for the cpu.

C++ source -> bytecode -> the interpreter, or C++ again and the cpu target, compared with NumPy and with the
same source on the cpu target. Needs NVIDIA's front end.
"""

from __future__ import annotations

import functools
import importlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from nvidia_front_end import tile_ir

import pycuda_tile as pct
from pycuda_tile import tileir

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Sizes that are not multiples of tiles. `mixed`, ordinary CUDA with tile code in it, is not a tile program.
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
    "block_scaled_matmul": (35, 40, 128),
    "convolution": (17, 70, 3),
    "cross_entropy": (5, 70, "float32"),
    "dropout": (1500, "float32"),
    "experts": (40, 32, 70, 3),
    "int8_matmul": (35, 40, 50, "float32"),
    "rms_norm": (5, 70, "bfloat16"),
    "rotary": (3, 12, "float16"),
    "segmented_scan": (3, 70, "float32"),
    "split_k_matmul": (35, 40, 150, 3, "float32"),
    "swiglu": (1500, "float16"),
    "top_k": (3, 70, "float16"),
}
#: Integers, moved elements and correctly rounded operations: the same on every target, bit for bit.
EXACT = {"vector_add", "transpose", "histogram", "gather", "top_k", "dropout", "int8_matmul"}
WAYS = ["interpret", "shuffled", "cpu"]


class Kernel:
    """One entry, interpreted or built, and launched like a kernel."""

    def __init__(self, module: tileir.Module, name: str, how: str):
        self.module, self.name, self.how = module, name, how
        self.built = tileir.build(module, options=("-O1",)).kernel(name) if how == "cpu" else None

    def __getitem__(self, grid):
        if self.built is not None:
            return self.built[grid]
        seed = 11 if self.how == "shuffled" else None
        return lambda *arguments: tileir.interpret(self.module, self.name, grid, *arguments, seed=seed)


@functools.cache
def front_end(name: str, kernel: str) -> tuple[tileir.Module, str]:
    """The bytecode of one kernel of an example, and its entry's name."""
    module = tile_ir(EXAMPLES / f"{name}.cu", kernel)
    plain = kernel.partition("<")[0]
    (entry,) = [e for e in module.entries if f"{len(plain)}{plain}" in e.name]
    module.entries = [entry]
    return module, entry.name


class FrontEnd:
    """An example's kernels compiled by NVIDIA's front end, used in place of one of our modules."""

    target = "cpu"  # where its arrays are

    def __init__(self, name: str, how: str):
        self.name, self.how = name, how

    def kernel(self, expression: str) -> Kernel:
        return Kernel(*front_end(self.name, expression), self.how)


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@functools.cache
def on_our_cpu(name: str) -> tuple[np.ndarray, ...]:
    """The outputs of an example on the cpu target."""
    common, problem = importlib.import_module("_common"), made(name)
    module = pct.build(EXAMPLES / f"{name}.cu", target="cpu", kernels=problem.kernels, options=("-O1",))
    common.Run(module, problem).launch()
    return problem.arrays[-problem.outputs :]


def made(name: str):
    return importlib.import_module(name).problem(*PROBLEMS[name])


@pytest.mark.sampled(16)
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_example(name: str, how: str) -> None:
    common, problem = importlib.import_module("_common"), made(name)
    task = common.Run(FrontEnd(name, how), problem)
    task.launch()
    assert task.error() <= problem.tolerance
    for got, ours in zip(problem.arrays[-problem.outputs :], on_our_cpu(name), strict=True):
        if name in EXACT:
            assert got.tobytes() == ours.tobytes()
        else:
            assert common.largest_error(got, ours) <= 2 * problem.tolerance


@pytest.mark.parametrize("how", WAYS)
def test_blur(how: str) -> None:
    blur = importlib.import_module("blur")
    planes = np.random.default_rng(0).uniform(0, 255, (2, 9, 140)).astype(np.float32)
    ours = blur.TileBlur(pct.build(EXAMPLES / "blur.cu", target="cpu"), planes)
    ours.run()
    theirs = blur.TileBlur(FrontEnd("blur", how), planes)
    theirs.run()
    assert theirs.output.tobytes() == ours.output.tobytes()


@pytest.mark.parametrize("how", WAYS)
def test_digits(how: str) -> None:
    digits = importlib.import_module("digits")
    images, _ = digits.load_digits()
    rng = np.random.default_rng(0)
    network = [
        (rng.standard_normal((n, m), np.float32) / 8, rng.standard_normal(m, np.float32))
        for n, m in pairwise(digits.LAYERS)
    ]
    labels, confidence = digits.TileNetwork(FrontEnd("digits", how), network, 45).classify(images[:45])
    expected = digits.probabilities(digits.relu_layers(images[:45], network)[-1])
    assert np.array_equal(labels, expected.argmax(axis=1))
    np.testing.assert_allclose(confidence, expected.max(axis=1), rtol=1e-5)


def test_every_example_is_here() -> None:
    sources = {path.stem for path in EXAMPLES.glob("*.cu")}
    assert sources == {*PROBLEMS, "blur", "digits", "mixed"}
