"""build(target="tile", front_end="open"): our Tile IR in the place of NVIDIA's, which tileiras assembles."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.errors import BuildValueError, KernelNotFound
from pycuda_tile.tileir.ir import walk

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARCHS = ("sm_80", "sm_90", "sm_100", "sm_120")
SOURCE = """
#include "cuda_tile.h"
#include "scale.h"
namespace ct = cuda::tiles;
namespace ns {
template <typename T> __tile_global__ void fill(T* y, bool b) { y[0] = b ? T(SCALE) : T(0); }
}
__tile_global__ void set(int* y) { y[0] = 1; }
__tile_global__ void set(int* y, int v) { y[ct::bid().x] = v; }
__tile_global__ void all(void* p, double d, signed char c, unsigned long long u, float const& r) {
  static_cast<double*>(p)[0] = d + c + static_cast<double>(u) + r;
}
__tile_global__ void arch(int* y) { y[0] = __CUDA_ARCH__; }
"""


def build(source: str | Path, front_end: str = "open", **arguments) -> pct.Module:
    try:
        return pct.build(source, target="tile", front_end=front_end, **arguments)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))  # it says what to install


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scale.h").write_text("#ifndef SCALE\n#define SCALE 3\n#endif\n")
    return tmp_path


def numbers(kernel: pct.Kernel, entry: str) -> list[int]:
    """The integers among the constants of an entry."""
    (found,) = [e for e in tileir.read_bytecode(kernel.tileir).entries if e.name == entry]
    constants = [op.attributes["value"] for op in walk(found.body) if op.name == "constant"]
    return [int(value.reshape(-1)[0]) for value in constants]


@pytest.mark.parametrize("as_path", [True, False])
def test_everything_that_build_takes(folder: Path, as_path: bool):
    source: str | Path = SOURCE
    if as_path:
        source = folder / "k.cu"
        source.write_text(SOURCE)
    module = build(
        source, arch="sm_100", include_dirs=[folder], defines={"SCALE": 5}, kernels=["ns::fill<int>"]
    )
    assert (module.target, module.arch) == ("tile", "sm_100")
    assert list(module) == ["ns::fill", "set", "set", "all", "arch"]
    assert numbers(module["arch"], "_Z4archPi").count(1000) == 1
    assert 5 in numbers(module["ns::fill<int>"], "_ZN2ns4fillIiEEvPT_b")
    float_ = module["ns::fill< float >"]
    assert [entry.name for entry in tileir.read_bytecode(float_.tileir).entries] == ["_ZN2ns4fillIfEEvPT_b"]
    assert [str(p).split(": ")[1] for p in module["set(int*, int)"].parameters] == [
        "argument 1 'y' (int*)",
        "argument 2 'v' (int)",
    ]
    for wrong, words in [("none", "no kernel 'none'"), ("set", "overloaded"), ("ns::fill", "is a template")]:
        with pytest.raises(KernelNotFound, match=words):
            module[wrong]


def test_entries_are_those_of_nvidias_front_end(folder: Path):
    kernels = ("set(int*, int)", "ns::fill<float>")
    ours, theirs = (
        build(SOURCE, front_end, include_dirs=[folder], kernels=kernels) for front_end in ("open", "nvidia")
    )
    assert ours.kernels == theirs.kernels
    for name in ("all", "arch", *kernels):
        assert ours[name].parameters == theirs[name].parameters
    entries = [
        {e.name: [str(p.type) for p in e.params] for e in tileir.read_bytecode(module.tileir).entries}
        for module in (ours, theirs)
    ]
    assert entries[0] and entries[0].items() <= entries[1].items()  # theirs has every overload


def test_other_targets_have_no_front_end_to_choose():
    for arguments in ({"target": "cpu"}, {"target": "auto"}, {"target": "simt"}):
        with pytest.raises(BuildValueError, match="front_end is for the target tile, not for"):
            pct.build(SOURCE, front_end="open", **arguments)
    with pytest.raises(BuildValueError, match="front_end is 'nvidia' or 'open', got 'clang'"):
        pct.build(SOURCE, target="tile", front_end="clang")


def test_wrong_arguments():
    with pytest.raises(BuildValueError, match="arch 'sm_75' is not supported by tileiras"):
        build(SOURCE, arch="sm_75")
    with pytest.raises(pct.CompileError, match="--nosuch"):
        build(SOURCE, options=["--nosuch"])
    with pytest.raises(BuildValueError, match="__CUDA_ARCH__ is set by the argument arch"):
        build(SOURCE, defines={"__CUDA_ARCH__": 900})


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.cu") if path.stem != "mixed"))
@pytest.mark.parametrize("arch", ARCHS)
def test_examples_are_assembled(name: str, arch: str, monkeypatch):
    from test_circle import PROBLEMS

    monkeypatch.syspath_prepend(str(EXAMPLES))
    kernels = importlib.import_module(name).problem(*PROBLEMS[name]).kernels if name in PROBLEMS else ()
    module = build(EXAMPLES / f"{name}.cu", arch=arch, kernels=kernels)
    if name == "block_scaled_matmul" and arch in ("sm_80", "sm_90"):
        with pytest.raises(pct.Error, match="unsupported type 'f8E"):  # as of NVIDIA's module
            _ = module[kernels[0]].binary
        return
    for expression in kernels or list(module):
        assert module[expression].binary.startswith(b"\x7fELF")
