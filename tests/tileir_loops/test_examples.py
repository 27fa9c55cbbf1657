"""The examples are fused as a whole, or say why not, and the results have the bits of op-by-op code."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from open_front_end import module
from test_circle import PROBLEMS

from pycuda_tile import tileir
from pycuda_tile.tileir.loops import fuse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Their sums are rounded in another order.
PRODUCTS = {"matmul", "attention", "batched_matmul", "split_k_matmul"}
DEFAULT = ("softmax", "gather")
#: The end of the reason why a kernel is not fused.
BY_OPERATION = {
    "transpose": "no loops that operations could share",
}


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


class Built:
    """A source in the place of a module: each kernel goes through the open front end and tileir.build."""

    target = "cpu"

    def __init__(self, source: Path, optimize: bool | str):
        self._source, self._optimize = source, optimize
        self.made: dict[str, tileir.Module] = {}

    def kernel(self, expression: str):
        made = module(self._source, expression)
        (entry,) = made.entries
        self.made[expression] = made
        return tileir.build(made, optimize=self._optimize).kernel(entry.name)


def outputs(name: str, kernels: Built) -> list[bytes]:
    problem = importlib.import_module(name).problem(*PROBLEMS[name])
    task = importlib.import_module("_common").Run(kernels, problem)
    task.launch()
    assert task.error() <= problem.tolerance
    return [array.tobytes() for array in problem.arrays[-problem.outputs :]]


@pytest.mark.parametrize(
    "name", [n if n in DEFAULT else pytest.param(n, marks=pytest.mark.wide) for n in PROBLEMS]
)
def test_example(name: str):
    fused, by_operation = (Built(EXAMPLES / f"{name}.cu", optimize) for optimize in ("auto", False))
    results = [outputs(name, way) for way in (fused, by_operation)]
    assert name in PRODUCTS or results[0] == results[1]
    for expression, made in fused.made.items():
        (attributes,) = fuse(made)[2].values()
        assert attributes["path"] == ("by operation" if name in BY_OPERATION else "fused"), expression
        assert attributes.get("reason", "").endswith(BY_OPERATION.get(name, "")), expression


def test_loads_are_in_the_loops_that_need_them():
    """Layer norm: weight and bias where the row is stored, and the row itself again for each of its sums."""
    text, _, _ = fuse(module(EXAMPLES / "layer_norm.cu"))
    loops, by_operation, _ = text.partition("else [&]")
    mean, variance, stored = loops.split(".result(")
    places = [part.count("loops::load<strip, float>(at") for part in (mean, variance, stored)]
    assert places == [1, 1, 2] and ".load_masked(" not in loops and by_operation
