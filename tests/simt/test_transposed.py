"""Transposed tiles, whose elements have not moved: every operation finds the right ones."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

using element = ELEMENT;
using square = ct::shape<32, 32>;
using wide = ct::shape<16, 64>;
using tall = ct::shape<64, 16>;

template <typename S>
__tile__ auto pointers(element* p) {
  return p + ct::iota<ct::tile<int, ct::shape<1024>>>();
}
template <typename S>
__tile__ auto get(const element* p) {
  return ct::partition_view{ct::tensor_span{p, S{}}, S{}}.load(0, 0);
}
template <typename T>
__tile__ void put(element* p, T const& x) {
  using S = typename T::shape_type;
  ct::partition_view{ct::tensor_span{p, S{}}, S{}}.store(x, 0, 0);
}

__tile_global__ void stored(const element* in, element* out) { put(out, ct::transpose(get<wide>(in))); }
__tile_global__ void twice(const element* in, element* out) {
  put(out, ct::transpose(ct::transpose(get<wide>(in))));
}
__tile_global__ void mapped(const element* in, element* out) {
  auto x = ct::transpose(get<wide>(in));
  put(out, ct::select(x > 0.5f, x * 2.0f + x, -x));
}
__tile_global__ void converted(const element* in, element* out) {
  auto x = ct::transpose(get<wide>(in));
  auto y = ct::element_cast<float>(x) + ct::tile<float, tall>(x);
  put(out, ct::element_cast<element>(y) + x);
}
__tile_global__ void mixed(const element* in, element* out) {
  auto x = get<square>(in);
  put(out, ct::transpose(x) - x * 3.0f);
}
__tile_global__ void broadcast(const element* in, element* out) {
  auto x = ct::transpose(get<wide>(in));
  auto row = ct::element_cast<element>(ct::iota<ct::tile<int, ct::shape<16>>>());
  put(out, x + ct::reshape(row, ct::shape<1, 16>{}));
}
__tile_global__ void reduced(const element* in, element* out) {
  auto x = ct::transpose(get<wide>(in));
  put(out, ct::broadcast(ct::sum(x, ct::integral_constant<0>{}), tall{}) +
               ct::broadcast(ct::sum(x, ct::integral_constant<1>{}), tall{}));
}
__tile_global__ void scanned(const element* in, element* out) {
  put(out, ct::partial_sum(ct::transpose(get<wide>(in)), ct::integral_constant<0>{}));
}
__tile_global__ void reshaped(const element* in, element* out) {
  put(out, ct::reshape(ct::transpose(get<wide>(in)), square{}));
}
__tile_global__ void joined(const element* in, element* out) {
  auto x = get<wide>(in);
  put(out, ct::cat(ct::transpose(x), ct::reshape(x, tall{}), ct::integral_constant<1>{}));
}
__tile_global__ void taken(const element* in, element* out) {
  put(out, ct::extract(ct::transpose(get<wide>(in)), ct::shape<16, 8>{}, 2, 1));
}
__tile_global__ void batched(const element* in, element* out) {
  ct::shape<2, 16, 32> s;
  auto x = ct::partition_view{ct::tensor_span{in, s}, s}.load(0, 0, 0);
  ct::shape<2, 32, 16> r;
  auto y = ct::permute(x, ct::dimension_map<0, 2, 1>{});
  ct::partition_view{ct::tensor_span{out, r}, r}.store(y + 1.0f, 0, 0, 0);
}
__tile_global__ void through_pointers(element* in, element* out) {
  auto from = ct::transpose(ct::reshape(pointers<wide>(in), wide{}));
  auto to = ct::transpose(ct::reshape(pointers<tall>(out), tall{}));
  ct::store(ct::reshape(pointers<tall>(out), tall{}), ct::load(from));
  ct::store_masked(to, ct::load(to) + 1.0f, ct::load(to) > 0.5f);
}
__tile_global__ void added_atomically(const element* in, element* out) {
  auto to = ct::reshape(pointers<tall>(out), tall{});
  ct::atomic_add<ct::memory_order::relaxed>(to, ct::transpose(get<wide>(in)));
  auto old = ct::atomic_add<ct::memory_order::relaxed>(ct::transpose(to), get<wide>(in));
  ct::atomic_add_masked<ct::memory_order::relaxed>(to, ct::transpose(old), ct::transpose(old) > 0.5f);
}
__tile_global__ void multiplied(const element* in, element* out) {
  auto x = get<square>(in);
  auto y = ct::transpose(x);
  put(out, ct::mma(x, y, ct::mma(y, x, y)));
}
__tile_global__ void carried(const element* in, element* out, int n) {
  auto x = get<square>(in);
  for (int i : ct::irange(0, n))
    x = ct::transpose(x) + static_cast<element>(i);
  put(out, x);
}
"""

rng = np.random.default_rng(3)
WIDE = rng.integers(0, 256, (16, 64)).astype(np.float32) / 256  # so that all results are exact
SQUARE = rng.integers(-3, 4, (32, 32)).astype(np.float32)


def _carried(n: int) -> np.ndarray:
    x = SQUARE
    for i in range(n):
        x = x.T + np.float32(i)
    return x


def _pointers() -> np.ndarray:
    out = WIDE.T
    return np.where(out > 0.5, out + np.float32(1), out)


def _atomic() -> np.ndarray:
    old = WIDE.T
    return old + old + np.where(old > 0.5, old, np.float32(0))


CASES = {
    "stored": (WIDE, WIDE.T, ()),
    "twice": (WIDE, WIDE, ()),
    "mapped": (WIDE, np.where(WIDE > 0.5, WIDE * np.float32(2) + WIDE, -WIDE).T, ()),
    "converted": (WIDE, 3 * WIDE.T, ()),
    "mixed": (SQUARE, SQUARE.T - SQUARE * 3, ()),
    "broadcast": (WIDE, WIDE.T + np.arange(16, dtype=np.float32), ()),
    "reduced": (SQUARE[:16].repeat(2, 1), None, ()),
    "scanned": (SQUARE[:16].repeat(2, 1), None, ()),
    "reshaped": (WIDE, WIDE.T.reshape(32, 32), ()),
    "joined": (WIDE, np.concatenate([WIDE.T, WIDE.reshape(64, 16)], 1), ()),
    "taken": (WIDE, WIDE.T[32:48, 8:16], ()),
    "batched": (WIDE.reshape(2, 16, 32), WIDE.reshape(2, 16, 32).transpose(0, 2, 1) + np.float32(1), ()),
    "through_pointers": (WIDE, _pointers(), ()),
    "added_atomically": (WIDE, _atomic(), ()),
    "multiplied": (SQUARE, SQUARE @ SQUARE.T + SQUARE.T @ SQUARE + SQUARE.T, ()),
    "carried": (SQUARE, _carried(5), (5,)),
}
_x = CASES["reduced"][0].T  # small integers, which sum exactly in any order
CASES["reduced"] = (_x.T, _x.sum(0, keepdims=True) + _x.sum(1, keepdims=True), ())
CASES["scanned"] = (_x.T, _x.cumsum(0), ())


# Doubles stay in place, floats move at once.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("threads", "forms", "element"),
    [(4, 1, "double"), (32, 1, "double"), (128, 1, "double"), (128, 0, "double"), (128, 1, "float")],
)
def test_transposed_tiles(threads, forms, element):
    options = ("-O1", f"-DCUDA_TILE_FORMS={forms}", f"-DELEMENT={element}")
    module = pct.build(SOURCE, target="emulated", num_threads=threads, options=options)
    dtype = np.float64 if element == "double" else np.float32
    for name, (values, expected, rest) in CASES.items():
        out = np.zeros(expected.shape, dtype)
        module.kernel(name)[1](np.ascontiguousarray(values, dtype), out, *rest)
        np.testing.assert_array_equal(out, expected.astype(dtype), err_msg=name)


def test_transposing_twice_moves_nothing():
    options = ("-DELEMENT=double",)
    module = pct.build(SOURCE, target="simt", arch="sm_80", kernels=(), options=options)
    assert module.kernel("twice").attributes["shared_bytes"] == 0
    assert module.kernel("stored").attributes["shared_bytes"] > 0
