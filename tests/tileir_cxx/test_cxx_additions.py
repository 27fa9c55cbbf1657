"""What CUDA Tile C++ has since 13.4: the open front end makes the operations that Tile IR has for it."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

SOURCE = """
#include "cuda_tile.h"
#include <cuda_fp4.h>
#include <cuda_fp8.h>
namespace ct = cuda::tiles;
using namespace ct::literals;
using relaxed = ct::memory_order_relaxed_t;
using device = ct::thread_scope_device_t;
template <int N> using numbers = ct::tile<int, ct::shape<N>>;
using bytes = ct::tile<unsigned char, ct::shape<64>>;

__tile_global__ void gather(float const* x, long long const* rows, float* y, int m, int n) {
  ct::gather_scatter_view from{ct::tensor_span{x, ct::extents{m, n}}, ct::shape<4, 4>{}, 0_ic};
  ct::partition_view to{ct::tensor_span{y, ct::extents{8_ic, 4_ic}}, ct::shape<4, 4>{}};
  auto some = ct::load(rows + ct::iota<numbers<4>>());
  to.store(from.load(some, 1), 0, 0);
  to.store(from.load_masked(ct::view_padding_negative_inf_t{}, some + 4ll, 5), 1, 0);
}
__tile_global__ void scatter(float const* x, short const* columns, float* y, int m, int n) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{2_ic, 8_ic}}, ct::shape<2, 8>{}};
  ct::gather_scatter_view to{ct::tensor_span{y, ct::extents{m, n}}, ct::shape<2, 8>{}, 1_ic};
  to.store_masked(from.load(0, 0), 2, ct::load(columns + ct::iota<numbers<8>>()));
}
__tile_global__ void update(int* x, unsigned* y, float* z, int n) {
  ct::partition_view at{ct::tensor_span{x, ct::extents{32_ic}}, ct::shape<8>{}};
  auto i = ct::iota<numbers<8>>();
  at.atomic_add(i, relaxed{}, device{}, 0);
  at.atomic_sub(i, relaxed{}, device{}, 1);
  at.atomic_min(-i, relaxed{}, device{}, 2);
  at.atomic_xor(i, relaxed{}, device{}, 3);
  ct::partition_view{ct::tensor_span{y, ct::extents{8_ic}}, ct::shape<8>{}}.atomic_max(
      ct::full<ct::tile<unsigned, ct::shape<8>>>(1u << 31), relaxed{}, device{}, 0);
  ct::strided_view{ct::tensor_span{z, ct::extents{n}}, ct::shape<8>{}, ct::strides{3_ic}}.atomic_sub_masked(
      ct::full<ct::tile<float, ct::shape<8>>>(0.5f), relaxed{}, device{}, ct::bid().x);
}
__tile_global__ void overlapping(float* x) {
  ct::strided_view at{ct::tensor_span{x, ct::extents{64_ic}}, ct::shape<8>{}, ct::strides{3_ic}};
  at.store(at.load(0) + 1.0f, 1);
  at.store(at.load(2) * 2.0f, 4);
  at.store(at.load(3), 0);
  ct::gather_scatter_view by{ct::tensor_span{x, ct::extents{4_ic, 16_ic}}, ct::shape<2, 8>{}, 0_ic};
  auto rows = ct::iota<numbers<2>>() * 2;
  by.store(by.load(rows, 0) + 1.0f, rows, 4);
  by.store(by.load(rows, 1), rows + 1, 2);
}
__tile_global__ void inserted(int* x, unsigned i, int j) {
  auto all = x + ct::reshape(ct::iota<numbers<32>>(), ct::shape<4, 8>{});
  auto part = ct::reshape(ct::element_cast<short>(ct::iota<numbers<8>>()), ct::shape<2, 4>{});
  ct::store(all, ct::insert(ct::load(all), part, i, j));
}
__tile_global__ void powers(float* x, int n) {
  auto at = x + ct::iota<numbers<4>>();
  auto t = ct::load(at);
  ct::store(at, ct::powi(t, n) * ct::powi(t, t > 1.5f) * ct::powi(t, ct::element_cast<short>(t)));
}
__tile_global__ void repacked(int const* x, unsigned char* y, float* z) {
  auto t = ct::reshape(ct::load(x + ct::iota<numbers<16>>()), ct::shape<4, 4>{});
  ct::store(y + ct::iota<bytes>(), ct::reshape(ct::repack<unsigned char>(t, 0_ic), ct::shape<64>{}));
  auto bits = ct::repack<bool>(ct::repack<unsigned short>(t, 1_ic), 1_ic);
  ct::store(y + ct::iota<bytes>() + 64, ct::reshape(ct::repack<unsigned char>(bits, 1_ic), ct::shape<64>{}));
  auto small = ct::repack<__nv_fp4_e2m1>(ct::reshape(t, ct::shape<16>{}), 0_ic);
  ct::store(z + ct::iota<numbers<128>>(), ct::element_cast<float>(small));
}
__tile_global__ void listed(int* x, int n) {
  for (int i = 0; i < n; ++i) {
    ct::tile<int, ct::shape<2, 2>> t{{{x[0], 3}, {i, x[1]}}};
    ct::store(x + ct::iota<numbers<4>>(), ct::reshape(t, ct::shape<4>{}));
  }
}
__tile_global__ void scaled(unsigned char const* x, float* y) {
  auto at = x + ct::reshape(ct::iota<numbers<64>>(), ct::shape<2, 32>{});
  auto lhs = ct::repack<__nv_fp4_e2m1>(ct::load(at), 1_ic);
  auto rhs = ct::transpose(ct::repack<__nv_fp4_e2m1>(ct::load(at + 64), 1_ic));
  auto scale = [&](int first) {
    auto four = ct::load(x + first + ct::iota<numbers<4>>());
    return ct::element_bitcast<__nv_fp8_e8m0>(ct::reshape(four, ct::shape<2, 2>{}));
  };
  auto one = ct::ones<ct::tile<float, ct::shape<2, 2>>>();
  auto sum = ct::scaled_mma(lhs, scale(128), rhs, scale(132), one);
  ct::store(y + ct::iota<numbers<4>>(), ct::reshape(sum, ct::shape<4>{}));
}
"""
MADE_OF = {
    "gather": {"make_gather_scatter_view": 2, "load_view_tko": 2, "load_ptr_tko": 1},
    "scatter": {"make_gather_scatter_view": 1, "store_view_tko": 1, "store_ptr_tko": 0},
    "update": {"atomic_red_view_tko": 6, "make_strided_view": 1, "atomic_rmw_tko": 0},
    "inserted": {"insert": 1, "select": 0},
    "powers": {"fpowi": 3, "fpowf": 0},
    "repacked": {"pack": 4, "unpack": 3, "shri": 0},
    "scaled": {"mmaf_scaled": 1, "mmaf": 0, "unpack": 2, "pack": 0},
}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6] * 2) * np.repeat([1, -1], 8)
rng = np.random.default_rng(22)


@functools.cache
def entries() -> dict[str, tileir.Module]:
    made = module(SOURCE, api="13.5")
    return {str(entry.expression): tileir.Module([entry], made.globals) for entry in made.entries}


def launch(name: str, grid: int, *arguments, seed: int | None = None) -> None:
    made = entries()[name]
    tileir.interpret(made, made.entries[0].name, grid, *arguments, seed=seed)


@pytest.mark.parametrize("name", MADE_OF)
def test_operations(name: str):
    found = [op.name for op in walk(entries()[name].entries[0].body)]
    assert {op: found.count(op) for op in MADE_OF[name]} == MADE_OF[name]


def test_versions():
    """The lowest that have these operations."""
    versions = {name: tileir.write_bytecode(made)[8:10] for name, made in entries().items()}
    assert {versions[name][1] for name in ("inserted", "powers")} == {4}
    assert versions["scaled"][1] == 3


def test_gather():
    x, rows = rng.normal(size=(6, 7)).astype(np.float32), np.array([3, 0, 3, 1])
    y = np.zeros((8, 4), np.float32)
    launch("gather", 1, x, rows, y, *x.shape)
    padded = np.full((8, 9), -np.inf, np.float32)
    padded[:6, :7] = x
    np.testing.assert_array_equal(y, np.concatenate([x[rows, 1:5], padded[rows + 4, 5:9]]))


def test_scatter():
    x, columns = rng.normal(size=(2, 8)).astype(np.float32), np.array([9, 0, 2, -1, 12, 4, 3, 99], np.int16)
    y = np.zeros((3, 10), np.float32)
    launch("scatter", 1, x, columns, y, *y.shape)
    expected = np.zeros_like(y)
    for value, column in zip(x[0], columns, strict=True):
        if 0 <= column < 10:
            expected[2, column] = value
    np.testing.assert_array_equal(y, expected)


def test_updates():
    x, y = rng.integers(-9, 9, 32).astype(np.int32), np.array([0, 2**32 - 1] * 4, np.uint32)
    z, i = np.zeros(11, np.float32), np.arange(8)
    expected = np.concatenate([x[:8] + 2 * i, x[8:16] - 2 * i, np.minimum(x[16:24], -i), x[24:]])
    launch("update", 2, x, y, z, z.size)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(y, [2**31, 2**32 - 1] * 4)
    np.testing.assert_array_equal(z, [-0.5] * 3 + [-1] * 5 + [-0.5] * 3)


def test_overlapping_chunks_keep_their_order():
    start = rng.normal(size=64).astype(np.float32)
    expected = start.copy()
    for source, to, f in ((0, 3, lambda t: t + 1), (6, 12, lambda t: t * 2), (9, 0, lambda t: t)):
        expected[to : to + 8] = f(expected[source : source + 8].copy())
    rows = expected.reshape(4, 16)
    rows[::2, 4:12] = rows[::2, :8] + 1
    rows[1::2, 2:10] = rows[::2, 1:9]
    for seed in range(12):
        x = start.copy()
        launch("overlapping", 1, x, seed=seed)
        np.testing.assert_array_equal(x, expected, f"seed {seed}")


def test_insert():
    x = np.arange(100, 132, dtype=np.int32).reshape(4, 8)
    expected = x.copy()
    expected[2:, :4] = np.arange(8).reshape(2, 4)
    launch("inserted", 1, x, 1, 0)
    np.testing.assert_array_equal(x, expected)


def test_lists_of_elements_that_are_not_constants():
    x = np.array([7, 8, 9, 10], np.int32)
    launch("listed", 1, x, 2)
    np.testing.assert_array_equal(x, [7, 3, 1, 3])


def test_powers():
    x = np.array([1, 2, 4, -1], np.float32)  # of which all powers are exact
    launch("powers", 1, x, -3)
    np.testing.assert_array_equal(x, [1, 2**-3 * 2 * 2**2, 4**-3 * 4 * 4**4, 1])


def test_repack():
    x = rng.integers(-(2**31), 2**31, 16).astype(np.int32)
    y, z = np.zeros(128, np.uint8), np.zeros(128, np.float32)
    launch("repacked", 1, x, y, z)
    by_columns = x.reshape(4, 4).T.copy().view(np.uint8).reshape(4, 16).T
    np.testing.assert_array_equal(y, np.concatenate([by_columns.reshape(64), x.view(np.uint8)]))
    halves = np.stack([x.view(np.uint8) & 15, x.view(np.uint8) >> 4], -1).reshape(128)
    np.testing.assert_array_equal(z, E2M1[halves])


def test_scaled_mma():
    x = rng.integers(0, 256, 136).astype(np.uint8)
    x[128:] = rng.integers(124, 131, 8)
    y = np.zeros((2, 2), np.float32)
    launch("scaled", 1, x, y)
    lhs, rhs = (E2M1[np.stack([t & 15, t >> 4], -1).reshape(2, 64)] for t in (x[:64], x[64:128]))
    scales = 2.0 ** (x[128:].astype(int) - 127)
    lhs = lhs * np.repeat(scales[:4].reshape(2, 2), 32, 1)
    rhs = rhs.T * np.repeat(scales[4:].reshape(2, 2), 32, 0)
    np.testing.assert_array_equal(y, lhs @ rhs + 1)
