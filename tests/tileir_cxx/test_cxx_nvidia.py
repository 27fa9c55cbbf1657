"""The open front end beside NVIDIA's: the same results, no more operations than the table says, and tileiras
accepts what it makes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from nvidia_tools import folder
from open_front_end import Interpreted, module
from test_circle import PROBLEMS, FrontEnd
from test_cxx_programs import KERNELS, PROGRAMS

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers.toolchain import find_clang
from pycuda_tile.frontend.scan import scan
from pycuda_tile.targets.tile.assembling import assemble

ROOT = Path(__file__).resolve().parents[2]
ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121")


def sibling(name: str):
    """A benchmark, whose folder is on no path."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


operations = sibling("tileir_operations")
TABLE = operations.read_table(operations.TABLE.read_text())
SOURCES = sorted({row.source for row in TABLE})


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def outputs(name: str, kernels) -> tuple[np.ndarray, ...]:
    problem = importlib.import_module(name).problem(*PROBLEMS[name])
    importlib.import_module("_common").Run(kernels, problem).launch()
    return problem.arrays[-problem.outputs :]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", PROBLEMS)
def test_results_are_those_of_nvidias_module(name: str):
    """Bit for bit: no operation is in another order, or rounded in another way."""
    ours = outputs(name, Interpreted(ROOT / "examples" / f"{name}.cu"))
    theirs = outputs(name, FrontEnd(name, "interpret"))
    assert [got.tobytes() for got in ours] == [expected.tobytes() for expected in theirs]


@pytest.mark.wide
def test_results_of_blur_are_those_of_nvidias_module():
    blur = importlib.import_module("blur")
    planes = np.random.default_rng(0).uniform(0, 255, (2, 9, 140)).astype(np.float32)
    ours = blur.TileBlur(Interpreted(ROOT / "examples" / "blur.cu"), planes)
    theirs = blur.TileBlur(FrontEnd("blur", "interpret"), planes)
    ours.run()
    theirs.run()
    assert ours.output.tobytes() == theirs.output.tobytes()


# --- the table of operations ---


@pytest.mark.always
def test_every_kernel_is_in_the_table():
    known = {(row.source, row.kernel) for row in TABLE}
    examples = {
        (f"examples/{name}.cu", kernel)
        for name in PROBLEMS
        for kernel in importlib.import_module(name).problem(*PROBLEMS[name]).kernels
    }
    programs = {(f"tests/programs/positive/{file}.cu", kernel) for file, kernel in KERNELS}
    manual = {
        (f"tests/programs/manual/{path.name}", kernel.name)
        for path in PROGRAMS.glob("manual/*.cu")
        if path.stem != "undefined"  # which is not run
        for kernel in scan(path.read_text(), path.name)
    }
    assert not (examples | programs | manual) - known


@pytest.mark.always
def test_many_more_operations_have_a_reason():
    assert [row.kernel for row in TABLE if row.ratio > 1.1 and not row.why] == []
    ours, theirs = sum(row.ours for row in TABLE), sum(row.nvidia for row in TABLE)
    assert f"have {ours} operations, NVIDIA's {theirs}" in operations.TABLE.read_text()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("source", SOURCES)
def test_counts_are_those_of_the_table(source: str):
    rows = [row for row in TABLE if row.source == source]
    made = module(ROOT / source, *(row.kernel for row in rows), include_dirs=[PROGRAMS])
    got = [operations.counts(made)[entry.name] for entry in made.entries]
    if f"clang {find_clang().version}," in operations.TABLE.read_text():
        assert got == [row.ours for row in rows]
    else:  # another clang leaves a few operations more or less
        assert [row.kernel for n, row in zip(got, rows, strict=True) if n > 1.1 * row.ours + 3] == []


@pytest.mark.wide
@pytest.mark.parametrize("source", SOURCES)
def test_nvidias_counts_are_those_of_the_table(source: str):
    folder()  # without NVIDIA's tools this is skipped
    rows = [row for row in TABLE if row.source == source]
    assert [row.nvidia for row in operations.counted(source, rows)] == [row.nvidia for row in rows]


# --- tileiras ---


def test_names_of_globals_are_symbols_of_ptx():
    """LLVM calls the values of a local array __const.kernel.x, and tileiras takes no dots."""
    source = '#include "cuda_tile.h"\n__tile_global__ void kernel(int* y, int i) {\n'
    made = module(source + "int x[4] = {3, 1, 4, 1};\n*y = x[i];\n}", "kernel")
    (variable,) = made.globals
    assert "." not in variable.name and variable.value.tolist() == [3, 1, 4, 1]
    y = np.zeros(1, np.int32)
    tileir.interpret(made, "kernel", 1, y, 2)
    assert y[0] == 4


def accepted(source: str, arch: str) -> None:
    folder()
    kernels = [row.kernel for row in TABLE if row.source == source]
    made = module(ROOT / source, *kernels, include_dirs=[PROGRAMS])
    try:
        assert assemble(tileir.write_bytecode(made), arch).startswith(b"\x7fELF")
    except pct.Error as refused:
        arguments = {"target": "tile", "arch": arch, "kernels": kernels, "include_dirs": [PROGRAMS]}
        built = pct.build(ROOT / source, **arguments)
        with pytest.raises(pct.Error):
            assemble(built.kernel(kernels[0]).tileir, arch)
        assert arch in str(refused)


@pytest.mark.sampled(72)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("source", [s for s in SOURCES if not s.startswith("benchmarks/")])
def test_tileiras_accepts_what_it_accepts_of_nvidia(source: str, arch: str):
    accepted(source, arch)


@pytest.mark.wide
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("source", [s for s in SOURCES if s.startswith("benchmarks/")])
def test_tileiras_accepts_the_kernels_of_the_benchmarks(source: str, arch: str):
    accepted(source, arch)
