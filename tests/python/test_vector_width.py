"""Kernels for the cpu use the widest vectors of the processor. Nothing runs, so any x86-64 will do."""

from __future__ import annotations

import platform
import shutil
import subprocess

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers.toolchain import Compiler

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void k(float* x) {
  auto p = x + ct::iota<ct::tile<int, ct::shape<256>>>();
  ct::store(p, ct::load(p) * 3.0f);
}
"""


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="widths to choose from are of x86-64"
)
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump, of binutils")
@pytest.mark.parametrize(
    "arch, options, registers",
    [
        ("skylake-avx512", (), {"zmm"}),
        ("sapphirerapids", (), {"zmm"}),
        ("sapphirerapids", ("-mprefer-vector-width=256",), {"ymm"}),
        ("x86-64-v3", (), {"ymm"}),
        ("x86-64-v3", ("-mavx512f",), {"zmm"}),
    ],
)
def test_vectors_are_as_wide_as_the_processors(arch, options, registers, tmp_path):
    binary = tmp_path / "k.so"
    binary.write_bytes(pct.build(SOURCE, target="cpu", arch=arch, options=options).kernel("k").binary)
    code = subprocess.run(["objdump", "-d", str(binary)], capture_output=True, text=True, check=True).stdout
    products = [line for line in code.splitlines() if "mulps" in line]
    assert {width for width in ("xmm", "ymm", "zmm") if any(width in line for line in products)} == registers


def test_the_compiler_is_asked_once_for_its_vectors(cache_folder, monkeypatch):
    questions, run = [], Compiler.run

    def count(compiler: Compiler, arguments: list[str], *others):
        questions.extend(argument for argument in arguments if argument == "-dM")
        return run(compiler, arguments, *others)

    monkeypatch.setattr(Compiler, "run", count)
    for factor in range(2):
        pct.build(SOURCE, target="cpu", arch="x86-64-v2", defines={"FACTOR": factor})
    assert len(questions) <= 1
