"""Each operation builds with checks, on every kind of element type."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pycuda_tile as pct

sys.path.append(str(Path(__file__).parents[1] / "nvrtc"))
import operation_kernels

# A sample contains each operation on some element type.
SOURCES = {f"sample {number}": operation_kernels.source_of_a_sample(number) for number in (0, 3)}
SOURCES |= {element: operation_kernels.source(element) for element in ("__half", "int", "__nv_fp8_e4m3")}


@pytest.mark.wide
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_all_operations_build(source):
    module = pct.build(source, target="cpu", checked=True, options=["-O0"])
    assert len(module.kernels) == source.count("__tile_global__")
