"""Each operation builds with checks, on every kind of element type."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pycuda_tile as pct

sys.path.append(str(Path(__file__).parents[1] / "nvrtc"))
import operation_kernels

# A sample contains each operation on some element type.
SOURCES = {"sample 0": operation_kernels.source_of_a_sample(0)}
WIDE = {element: operation_kernels.source(element) for element in ("__half", "int", "__nv_fp8_e4m3")}
WIDE["sample 3"] = operation_kernels.source_of_a_sample(3)
CASES = [pytest.param(source, id=name) for name, source in SOURCES.items()]
CASES += [pytest.param(source, id=name, marks=pytest.mark.wide) for name, source in WIDE.items()]


@pytest.mark.parametrize("source", CASES)
@pytest.mark.wide
def test_all_operations_build(source):
    module = pct.build(source, target="cpu", checked=True, options=["-O0"])
    assert len(module.kernels) == source.count("__tile_global__")
