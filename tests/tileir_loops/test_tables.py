"""tables: arrays of a kernel's own that only hold a constant are that constant; others stay arrays."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.translate import constants_of

TABLE = """global private constant @t <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
entry @k(%p: tile<ptr<f32>>) {
  %a = alloca num_elem = 4, alignment = 8 : tile<ptr<f32>>
  %g = get_global @t : tile<ptr<f32>>
  %i = iota : tile<4xi32>
  %one = constant <i32: 1> : tile<i32>
  %g1 = reshape %g : tile<ptr<f32>> -> tile<1xptr<f32>>
  %gs = broadcast %g1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %from = offset %gs, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %x, %t0 = load_ptr_tko weak %from : tile<4xptr<f32>> -> tile<4xf32>, token
  %a1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %as = broadcast %a1 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %to = offset %as, %i : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %t1 = store_ptr_tko weak %to, %x token = %t0 : tile<4xptr<f32>>, tile<4xf32> -> token
  %second = offset %a, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  // between
  %y, %t2 = load_ptr_tko weak %second token = %t1 : tile<ptr<f32>> -> tile<f32>, token
  %t3 = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""
READ_IN_LOOP = """%n = constant <i32: 2> : tile<i32>
  %z = constant <i32: 0> : tile<i32>
  for %j in (%z to %n, step %one) : tile<i32> {
    %at = offset %a, %j : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %t4 = load_ptr_tko weak %at : tile<ptr<f32>> -> tile<f32>, token
    %q = offset %p, %j : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t5 = store_ptr_tko weak %q, %v : tile<ptr<f32>>, tile<f32> -> token
    continue
  }"""
CARRIED = """%n = constant <i32: 2> : tile<i32>
  %z = constant <i32: 0> : tile<i32>
  %last = for %j in (%z to %n, step %one) : tile<i32> iter_values(%r = %a) -> (tile<ptr<f32>>) {
    %next = offset %r, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    continue %next : tile<ptr<f32>>
  }
  %t5 = store_ptr_tko weak %last, %z1 : tile<ptr<f32>>, tile<f32> -> token"""
STORED_LATER = """%z1 = constant <f32: 9.0> : tile<f32>
  %t5 = store_ptr_tko weak %second, %z1 : tile<ptr<f32>>, tile<f32> -> token"""
UPDATED = """%z1 = constant <f32: 9.0> : tile<f32>
  %b, %t5 = atomic_rmw_tko relaxed device %second, xchg, %z1 : tile<ptr<f32>>, tile<f32> ->
    tile<f32>, token"""
ESCAPED = """%bits = ptr_to_int %second : tile<ptr<f32>> -> tile<i64>
  %w = int_to_ptr %bits : tile<i64> -> tile<ptr<f32>>
  %z1 = constant <f32: 9.0> : tile<f32>
  %t5 = store_ptr_tko weak %w, %z1 : tile<ptr<f32>>, tile<f32> -> token"""


def edited(edits: dict[str, str]) -> tileir.Module:
    text = TABLE
    for before, after in edits.items():
        assert before in text
        text = text.replace(before, after)
    return tileir.parse(text)


def masked(load: str, store: str) -> dict[str, str]:
    """An array of three elements, which is copied under masks."""
    masks = """%m = constant <i1: [true, true, true, false]> : tile<4xi1>
  %o = constant <i1: [false, true, true, false]> : tile<4xi1>
  %g1 ="""
    return {
        "num_elem = 4": "num_elem = 3",
        "%g1 =": masks,
        "weak %from : tile<4xptr<f32>>": f"weak %from, {load} : tile<4xptr<f32>>, tile<4xi1>",
        "weak %to, %x": f"weak %to, %x, {store}",
        "tile<4xf32> -> token": "tile<4xf32>, tile<4xi1> -> token",
    }


@pytest.mark.parametrize(
    "edits, arrays, result",
    [
        ({}, 0, [2, 0]),
        ({"// between": READ_IN_LOOP}, 0, [2, 2]),
        (masked("%m", "%m"), 0, [2, 0]),
        (masked("%m", "%o"), 1, [2, 0]),
        ({"private constant": "private"}, 1, [2, 0]),
        ({"num_elem = 4": "num_elem = 5"}, 1, [2, 0]),
        ({"// between": STORED_LATER}, 1, [9, 0]),
        ({"// between": UPDATED}, 1, [9, 0]),
        ({"// between": ESCAPED}, 1, [9, 0]),
        ({"// between": "%z1 = constant <f32: 9.0> : tile<f32>\n" + CARRIED}, 1, [2, 0]),
        ({"offset %gs, %i": "offset %gs, %k", "%one = ": "%k = muli %i, %i : tile<4xi32>\n%one = "}, 1, None),
    ],
    ids=[
        *(
            "plain",
            "in_loop",
            "masked",
            "in_part",
            "variable",
            "shorter",
            "stored",
            "updated",
            "escaped",
            "carried",
        ),
        "other_elements",
    ],
)
def test_tables(edits: dict[str, str], arrays: int, result: list[int] | None):
    module = edited(edits)
    simple = simplify(module.entries[0], constants_of(module)).body
    assert [op.name for op in walk(simple)].count("alloca") == arrays
    if result is None:  # it reads beyond the constant
        return
    for kernel in (*built(module), interpreted(module)):
        out = np.zeros(2, np.float32)
        kernel(out)
        assert out.tolist() == result


def built(module: tileir.Module) -> list:
    return [tileir.build(module, optimize=way)["k"][1] for way in ("auto", False)]


def interpreted(module: tileir.Module):
    return functools.partial(tileir.interpret, module, "k", 1)


def test_the_copy_comes_before_what_reads_it():
    """An array of a loop's body may hold another round's values."""
    first = "%t1 = store_ptr_tko weak %to, %x token = %t0 : tile<4xptr<f32>>, tile<4xf32> -> token"
    read = "%y, %t2 = load_ptr_tko weak %second token = %t1 : tile<ptr<f32>> -> tile<f32>, token"
    late = {first: "", read: read.replace("token = %t1 ", "") + "\n" + first}
    module = edited(late)
    simple = simplify(module.entries[0], constants_of(module)).body
    assert "alloca" in [op.name for op in walk(simple)]


WEIGHTS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
__tile_global__ void smooth(float const* x, float* y, int n) {
  float const weights[] = {0.25f, 0.5f, 0.25f};
  auto i = int(ct::bid().x) * 1024 + ct::iota<ct::tile<int, ct::shape<1024>>>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<1024>>>();
  for (int k = 0; k < 3; ++k)
    sum = sum + weights[k] * ct::load_masked(x + i + k, i < n, 0.0f);
  ct::store_masked(y + i, sum, i < n);
}
__tile_global__ void first(int* out, int n) {
  int const primes[4] = {2, 3, 5, 7};
  *out = primes[n];
}
"""


def test_arrays_of_cpp():
    pytest.importorskip("ziglang")
    module = pct.build(WEIGHTS, target="cpu", optimize=True)
    x, y = np.arange(2050, dtype=np.float32), np.zeros(2048, np.float32)
    module.kernel("smooth")[2](x, y, 2048)
    assert np.array_equal(y, np.arange(1, 2049))
    assert module.kernel("first").attributes["path"] == "fused"
    for n, prime in enumerate([2, 3, 5, 7]):
        out = np.zeros(1, np.int32)
        module.kernel("first")[1](out, n)
        assert out[0] == prime
