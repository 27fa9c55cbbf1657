"""Each operation builds with checks, on element types of every kind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pycuda_tile as pct

sys.path.append(str(Path(__file__).parents[1] / "nvrtc"))
import operation_kernels

SOURCES = {element: operation_kernels.source(element) for element in ("__half", "__nv_fp8_e4m3", "int")}
SOURCES |= {f"sample {number}": operation_kernels.source_of_a_sample(number) for number in (0, 3)}


@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_all_operations_build(source):
    module = pct.build(source, target="cpu", checked=True, options=["-O0"])
    assert len(module.kernels) == source.count("__tile_global__")
