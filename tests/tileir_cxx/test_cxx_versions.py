"""The open front end with other versions of clang than the one that the tests bring."""

from __future__ import annotations

from pathlib import Path

import pytest
import test_cxx_examples
import test_cxx_programs
from clang_versions import ZIGLANG, command
from test_cxx_surface import SOURCE

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import toolchain

EXAMPLES = ("softmax", "matmul", "histogram", "attention", "segmented_scan", "top_k")
KERNELS = test_cxx_programs.KERNELS
pytestmark = pytest.mark.wide
examples_importable = test_cxx_examples.examples_importable


@pytest.fixture(params=ZIGLANG)
def clang(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = Path(request.config.cache.mkdir("clang"))
    monkeypatch.setenv("PYCUDA_TILE_CXX", command(request.param, folder))
    return request.param


def test_the_version_is_the_one_asked_for(clang: str):
    assert toolchain.find_clang().version.split(".")[0] == clang
    assert len(tileir.from_cpp(SOURCE).entries) == 5
    with pytest.raises(pct.CompileError, match="<source>:1:41: error: use of undeclared identifier"):
        tileir.from_cpp("__tile_global__ void k(int* y) { y[0] = nosuch; }")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(clang: str, name: str):
    test_cxx_examples.test_example(name)


@pytest.mark.parametrize("file, expression", KERNELS, ids=[expression for _, expression in KERNELS])
def test_programs(clang: str, file: str, expression: str):
    test_cxx_programs.test_kernels(file, expression)
