"""How modules, kernels, launches, parameters and diagnostics look: as text, and as HTML in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir

SOURCE = """#include "cuda_tile.h"
template <typename T, int N> [[cutile::hint(0, occupancy = 4)]]
__tile_global__ void scale(T const* x, T* out, T factor, int) {}
"""


@pytest.fixture(scope="module")
def module() -> pct.Module:
    return pct.build(SOURCE, target="cpu", kernels=["scale<float, 4>"])


@pytest.fixture(scope="module")
def kernel(module) -> pct.Kernel:
    return module["scale<float, 4>"]


def texts(shown: object) -> list[str]:
    """The texts of an object's HTML, which must be well-formed."""
    return list(ElementTree.fromstring(f"<p>{shown._repr_html_()}</p>").itertext())


def test_as_text(module, kernel):
    signature = "scale<float,4>(const float* x, float* out, float factor, int)"
    assert repr(module) == f"<pycuda_tile.Module <source> for cpu ({module.arch}), 1 kernel>"
    assert repr(kernel) == f"<pycuda_tile.Kernel {signature} for cpu>"
    assert repr(kernel[3]) == f"<pycuda_tile.Launch scale<float,4>[3]: 3 blocks of {signature}>"
    assert repr(kernel[1, 2, 1]).startswith("<pycuda_tile.Launch scale<float,4>[1, 2]: 2 blocks of ")
    assert repr(module.kernels[0]) == (
        "<pycuda_tile.KernelInfo scale<typename T, int N>(T const* x, T* out, T factor, int) at <source>:3>"
    )
    assert [repr(parameter) for parameter in kernel.parameters[1:]] == [
        "<pycuda_tile.Parameter 2 of scale<float,4>: float* out, an array of float32>",
        "<pycuda_tile.Parameter 3 of scale<float,4>: float factor, float32>",
        "<pycuda_tile.Parameter 4 of scale<float,4>: int, int32>",
    ]


def test_as_html(module, kernel):
    assert texts(module)[:2] == ["<source>", f" for cpu ({module.arch})"]
    assert "scale<typename T, int N>(T const* x, T* out, T factor, int)" in texts(module)
    table = ["1", "x", "const float*", "an array of float32", "2", "out", "float*", "an array of float32"]
    for shown, name in ((kernel, "scale<float,4>"), (kernel[3], "scale<float,4>[3]")):
        assert texts(shown)[0] == name and texts(shown)[6:14] == table
    assert "path" in texts(kernel) and texts(kernel[2, 3])[1] == " for cpu, 6 blocks"
    assert texts(kernel.parameters[0])[4:] == table[:4]


def test_modules_of_tile_ir():
    module = tileir.parse("entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) { return }")
    assert repr(module) == "<pycuda_tile.tileir.Module: k(tile<ptr<f32>>, tile<i32>)>"
    assert repr(module.entries) == "[<pycuda_tile.tileir.Entry k(tile<ptr<f32>>, tile<i32>)>]"
    assert repr(tileir.parse("")) == "<pycuda_tile.tileir.Module: no entries>"
    assert texts(module) == [str(module)]


def test_text_of_users_is_escaped():
    found = pct.Diagnostic("<b>.cu", 3, 0, "error", "no 'vector<int>' & no\nmore", ("<script>",))
    assert str(found) == "<b>.cu:3: error: no 'vector<int>' & no\nmore\n  <script>"
    assert texts(found)[4:] == ["<b>.cu:3", "error", "no 'vector<int>' & no\nmore", "<script>"]


def test_a_launch_is_called_as_before(kernel):
    launch = kernel[1]
    assert launch is kernel[1] and launch.kernel is kernel and launch.grid == (1, 1, 1)
    x = np.zeros(4, np.float32)
    assert launch(x, x, 2.0, 4) is None
    with pytest.raises(pct.LaunchError, match="got 2 and by name factor"):
        launch(x, x, factor=2.0)
    with pytest.raises(AttributeError):
        launch.grid_size = 3
