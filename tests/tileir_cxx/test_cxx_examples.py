"""The examples by the open front end, interpreted: right, and equal to the cpu target where operations are
exact; with memory operations that no token orders in another order, too."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from open_front_end import Interpreted
from test_circle import EXACT, PROBLEMS

import pycuda_tile as pct

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DEFAULT = ("vector_add", "softmax", "matmul", "histogram", "attention")


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def outputs(name: str, kernels) -> tuple[tuple[np.ndarray, ...], float]:
    """What an example yields, and the error."""
    common, problem = (
        importlib.import_module("_common"),
        importlib.import_module(name).problem(*PROBLEMS[name]),
    )
    task = common.Run(kernels, problem)
    task.launch()
    return problem.arrays[-problem.outputs :], task.error() - problem.tolerance


@pytest.mark.parametrize(
    "name", [n if n in DEFAULT else pytest.param(n, marks=pytest.mark.wide) for n in PROBLEMS]
)
def test_example(name: str):
    source = EXAMPLES / f"{name}.cu"
    got, excess = outputs(name, Interpreted(source))
    shuffled, _ = outputs(name, Interpreted(source, seed=11))
    assert excess <= 0
    assert [x.tobytes() for x in got] == [x.tobytes() for x in shuffled]
    if name in EXACT:
        problem = importlib.import_module(name).problem(*PROBLEMS[name])
        built = pct.build(source, target="cpu", kernels=problem.kernels, options=("-O1",))
        expected, _ = outputs(name, built)
        assert [x.tobytes() for x in got] == [x.tobytes() for x in expected]
