"""Assumptions [2.15] by the open front end: the operations `assume` that NVIDIA's compiler makes of them."""

from __future__ import annotations

import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Bounded, DivBy, SameElements, walk

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
__tile_global__ void k(float* p, int n, unsigned u, float* y, long long l, short s) {
  auto i = ct::iota<ct::tile<int, ct::shape<16>>>();
  p = ct::assume_aligned(p, 16_ic);
  n = ct::assume_bounded<0, 100>(n);
  u = ct::assume_bounded_above<1000>(u);
  l = ct::assume_bounded_below<-5ll>(l);
  l = ct::assume_divisible<8>(l);
  u = ct::assume_divisible<16>(u);
  s = ct::assume_bounded_below<3>(s);
  auto j = ct::assume_divisible_strided<4, 4, 0>(i + n);
  auto q = ct::assume_aligned_strided<16, 4, 0>(p + j);
  auto r = ct::assume_aligned<4>(y + i);
  auto b = ct::assume_blocked<ct::shape<4>>(i / 4 + (int)u);
  auto c = ct::assume_bounded<-3, 7>(i);
  auto sum = ct::load(q) + ct::element_cast<float>(b) + ct::element_cast<float>(c);
  ct::store(r, sum + (float)n + (float)l + (float)s);
}
"""
EXPECTED = [
    (DivBy(16), "tile<ptr<f32>>"),
    (Bounded(0, 100), "tile<i32>"),
    (Bounded(0, 1000), "tile<i32>"),
    (Bounded(-5), "tile<i64>"),
    (DivBy(8), "tile<i64>"),
    (DivBy(16), "tile<i32>"),
    (Bounded(3), "tile<i16>"),
    (DivBy(4, 4, 0), "tile<16xi32>"),
    (DivBy(16, 4, 0), "tile<16xptr<f32>>"),
    (DivBy(4), "tile<16xptr<f32>>"),
    (SameElements((4,)), "tile<16xi32>"),
    (Bounded(-3, 7), "tile<16xi32>"),
]


def assumptions(made: tileir.Module) -> list[tuple[object, str]]:
    operations = [op for op in walk(made.entries[0].body) if op.name == "assume"]
    return [(op.attributes["predicate"], str(op.results[0].type)) for op in operations]


def test_assumptions():
    assert list(map(str, assumptions(module(SOURCE)))) == list(map(str, EXPECTED))


def test_they_are_those_of_nvidias_compiler():
    try:
        theirs = pct.build(SOURCE, target="tile", arch="sm_90").tileir
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert list(map(str, assumptions(tileir.read_bytecode(theirs)))) == list(map(str, EXPECTED))
