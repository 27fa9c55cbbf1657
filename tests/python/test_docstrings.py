"""The docstrings of the public interface are true: every value they name is accepted, every example runs."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import targets

SOURCE = """
#include "cuda_tile.h"
#ifndef SIZE
#define SIZE 1
#endif
__tile_global__ void vectorAdd(float const* a, float const* b, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
template <typename T, int N> __tile_global__ void softmax(T* x) { x[0] = N * SIZE; }
namespace ns { template <typename T, int N> __tile_global__ void matmul(T* x) { x[0] = N; } }
template <int N> __tile_global__ void f(int* x) { x[0] = N; }
__tile_global__ void k(float*, int) {}
__tile_global__ void k(int*) {}
"""


def lines_of(function: object) -> dict[str, str]:
    """The entry for each argument in a docstring's table."""
    text = re.sub(r"\n {8,}", " ", inspect.getdoc(function))
    return dict(re.findall(r"^(\w+): +(.*)$", text, re.M))


def quoted(text: str) -> list[str]:
    return re.findall(r'"([^"]+)"', text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("argument", "value"),
    [(name, value) for name, text in lines_of(pct.build).items() for value in quoted(text)],
)
def test_build_takes_what_its_docstring_names(argument: str, value: str):
    arguments = {
        "target": "cpu",
        "checked": argument == "ignore",
        argument: [value] if argument in ("kernels", "defines", "ignore") else value,
    }
    if value.startswith("sm_"):
        arguments["target"] = "simt"
    if argument == "front_end":
        arguments["target"] = "tile"
    try:
        module = pct.build(SOURCE, **arguments)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert "vectorAdd" in module


def test_all_arguments_of_build_are_explained():
    assert list(lines_of(pct.build)) == list(inspect.signature(pct.build).parameters)


def test_kernels_have_the_names_of_the_docstrings():
    module = pct.build(SOURCE, target="cpu", kernels=quoted(lines_of(pct.build)["kernels"]))
    names = quoted(inspect.getdoc(pct.Module.kernel))
    assert len(names) == 3
    for name in names:
        assert module.kernel(name).target == "cpu"


def test_example_of_the_package(monkeypatch):
    monkeypatch.setattr(targets, "best", lambda: targets.find("cpu"))
    block = re.search(r"(?m)^(    .*\n\n?)+", pct.__doc__)[0]
    a = np.arange(8, dtype=np.float32)
    names = {"source": SOURCE, "grid": 1, "a": a, "b": a, "out": np.zeros_like(a), "n": 8}
    exec(textwrap.dedent(block), names)
    assert (names["out"] == 2 * a).all()


def test_examples_of_autotune(monkeypatch, tmp_path: Path, cache_folder):
    monkeypatch.setattr(targets, "best", lambda: targets.find("emulated"))
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    examples = re.findall(r"lambda c: .*\]", inspect.getdoc(pct.autotune))
    assert len(examples) == 2
    for example, config in zip(examples, (16, [4, 16]), strict=True):
        names = {"pct": pct, "path": path, "module": pct.build(path), "grid_of": lambda config: 1}
        x = np.zeros(1, np.int32)
        eval(example, names)(config)(x)
        assert x[0] == 16
