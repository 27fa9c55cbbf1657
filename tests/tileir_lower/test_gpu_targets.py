"""The examples, compiled by NVIDIA's front end, built for GPUs with our header and NVRTC, and emulated.

Needs NVIDIA's front end, but no GPU.
"""

from __future__ import annotations

import importlib

import pytest
from test_circle import EXAMPLES, PROBLEMS, front_end, made

import pycuda_tile as pct
from pycuda_tile import tileir

KERNELS = {"blur": ("blur_pass",), "digits": ("dense_relu", "dense", "classify")}
#: One each of what the threads of a block do together: reductions, products, scans, local memory, atomics.
EMULATED = ["transpose", "attention", "top_k", "histogram", "segmented_scan", "cross_entropy"]


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", [*PROBLEMS, *KERNELS])
def test_compiles_for_simt(name: str) -> None:
    for expression in KERNELS.get(name) or made(name).kernels:
        module, entry = front_end(name, expression)
        kernel = tileir.build(module, target="simt", arch="sm_80").kernel(entry)
        assert ".target sm_80" in kernel.ptx and kernel.binary


def test_asserts_trap_and_say_where() -> None:
    text = """entry @kernel(%p: tile<ptr<i1>>) {
      %q = reshape %p : tile<ptr<i1>> -> tile<1x1xptr<i1>>
      %r = broadcast %q : tile<1x1xptr<i1>> -> tile<2x4xptr<i1>>
      %c, %t = load_ptr_tko weak %r : tile<2x4xptr<i1>> -> tile<2x4xi1>, token
      assert %c, "100% of them" : tile<2x4xi1>
      return
    }"""
    try:
        ptx = tileir.build(tileir.parse(text), target="simt", arch="sm_80").kernel("kernel").ptx
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    said = "line 5: assert: block (%d, %d, %d): assertion failed at element [%u, %u]: 100%% of them\n"
    assert "trap;" in ptx and ", ".join(map(str, said.encode())).replace(" ", "") in ptx.replace(" ", "")


class Emulated:
    """An example's kernels compiled by NVIDIA's front end and run by emulated threads."""

    target = "emulated"

    def __init__(self, name: str):
        self.name = name

    def kernel(self, expression: str):
        module, entry = front_end(self.name, expression)
        return tileir.build(module, target="emulated", num_threads=4, options=("-O1",)).kernel(entry)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", EMULATED)
def test_runs_emulated(name: str) -> None:
    problem, common = made(name), importlib.import_module("_common")
    task = common.Run(Emulated(name), problem)
    task.launch()
    assert task.error() <= problem.tolerance
