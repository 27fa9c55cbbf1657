"""gdb stops in kernels by name, shows the user's lines, and prints the values of tiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")

SCRIPT = '''
import numpy as np
import pycuda_tile as pct

SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, int N>
__tile_global__ void scale(const T* x, T* out, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<2, N>>>();
  auto values = ct::load(x + i);
  auto positive = values > T(0);
  ct::tile<T, ct::shape<>> one = T(1);
  ct::extents size{n, 3_ic};
  ct::partition_view view{ct::tensor_span{out, ct::extents{n}}, ct::shape{4_ic}};
  auto factor = 2_ic;
  ct::store(out + i, values);
}
"""
module = pct.build(SOURCE, target="cpu")
x = np.arange(-2, 6).astype(np.float16)
module["scale<__half, 4>"][1](x, np.zeros_like(x), 8)
print("the end")
'''


def gdb(*arguments: str, commands: str, cwd: Path) -> str:
    """The output of `pycuda-tile run --debug` for these commands."""
    done = subprocess.run(
        [sys.executable, "-m", "pycuda_tile", "run", *arguments, "--debug"],
        input=commands,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert "hit Breakpoint" in done.stdout, done.stdout + done.stderr
    return done.stdout


def test_example_stops_in_its_kernel(tmp_path):
    commands = "next\nnext\nnext\nnext\nprint x\nprint in_view\nprint row\n"
    text = gdb("softmax", "--rows", "2", "--columns", "5", commands=commands, cwd=tmp_path)
    assert "softmax.cu:14" in text
    assert "auto exponentials = ct::exp(x - ct::reduce_max(x, 1_ic));" in text  # the user's lines
    assert "= tile<float, 1x1024> [[" in text and "-inf, -inf, -inf, ...]]" in text
    assert "extents(2, 5), layout_right), shape(1, 1024))" in text


def test_values_of_a_source_given_as_text(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    names = ("values", "positive", "one", "size", "view", "factor", "x")
    # A script's kernels are not known before it runs: gdb starts when the breakpoint is set.
    commands = "break scale\nrun\n" + "next\n" * 7
    commands += "".join(f"print {name}\n" for name in names) + "list\ncontinue\n"
    text = gdb("script.py", commands=commands, cwd=tmp_path)
    assert text.count("the end") == 1, text  # the script ran once
    for shown in (
        "tile<__half, 2x4> [[-2, -1, 0, 1], [2, 3, 4, 5]]",
        "tile<bool, 2x4> [[false, false, false, true], [true, true, true, true]]",
        "tile<__half, one element> 1",
        "extents(8, 3)",
        "extents(8), layout_right), shape(4,))",
        "2_ic",
        "auto values = ct::load(x + i);",
    ):
        assert shown in text, text


def printers() -> Path:
    from pycuda_tile.debug import GDB_PRINTERS

    return GDB_PRINTERS


def test_small_floats_decode_as_their_types_do(monkeypatch):
    """Compares every value with ml_dtypes; gdb's own module is not needed for that."""
    import importlib.util
    import types

    import numpy as np

    fake = types.SimpleNamespace(pretty_printers=[], execute=lambda *a, **k: None)
    monkeypatch.setitem(sys.modules, "gdb", fake)
    spec = importlib.util.spec_from_file_location("gdb_printers", printers())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from pycuda_tile.spec.element_types import CXX_TYPES
    from pycuda_tile.tileir.elements import doubles

    formats = {name: e for name, e in CXX_TYPES.items() if e.header and e.bits <= 16}
    assert len(formats) >= 6
    for name, e in formats.items():
        dtype = e.dtype
        raw = np.arange(1 << e.bits, dtype=f"<u{e.size}")
        with np.errstate(invalid="ignore"):
            expected = doubles(raw.view(dtype))
        got = [module.small_float(name, int(bits).to_bytes(e.size, "little")) for bits in raw]
        np.testing.assert_array_equal(got, expected)
    assert module.small_float("__nv_tf32", np.float32(-2.5).tobytes()) == -2.5
