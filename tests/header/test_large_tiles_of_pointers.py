"""Tiles of many pointers with one thread per block. Atomic additions to few locations are summed first, those
to floats that are neighbours are made together, and loads of neighbours are combined. None of that may change
results, whatever the pointers."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SIZE = 512
FAR = 1 << 20
SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using S = ct::shape<512>;
__tile_global__ void add(int* data, const long long* place, const int* value, const bool* kept, int* old) {
  auto lane = ct::iota<ct::tile<int, S>>();
  auto before = ct::atomic_add_masked(data + ct::load(place + lane), ct::load(value + lane),
                                      ct::load(kept + lane), ct::memory_order_relaxed_t{});
  ct::store(old + lane, before);
}
template <typename E, int rows, int columns>
__tile_global__ void gather(const E* data, const long long* place, E* out) {
  auto lane = ct::reshape(ct::iota<ct::tile<int, ct::shape<rows * columns>>>(), ct::shape<rows, columns>{});
  ct::store(out + lane, ct::load(data + ct::load(place + lane)));
}
template <typename E, int rows, int columns>
__tile_global__ void masked(E* data, const long long* place, const bool* kept, E* out) {
  auto lane = ct::reshape(ct::iota<ct::tile<int, ct::shape<rows * columns>>>(), ct::shape<rows, columns>{});
  auto ptrs = data + ct::load(place + lane);
  auto mask = ct::load(kept + lane);
  ct::store(out + lane, ct::load_masked(ptrs, mask, ct::element_cast<E>(lane % 50)));
  ct::store_masked(ptrs, ct::element_cast<E>(lane % 90), mask);
}
"""
RUNS = """
#include <cuda_fp16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using S = ct::shape<64>;
template <typename E>
__tile_global__ void add(E* data, const long long* place, const E* value, const bool* kept, E* old) {
  auto lane = ct::iota<ct::tile<int, S>>();
  auto ptrs = data + ct::load(place + lane);
  auto relaxed = ct::memory_order_relaxed_t{};
  ct::store(old + lane, ct::atomic_add_masked(ptrs, ct::load(value + lane), ct::load(kept + lane), relaxed));
}
template <typename E>
__tile_global__ void count(E* data) {
  auto lane = ct::iota<ct::tile<int, S>>();
  ct::atomic_add(data + ct::bid().x % 3 + lane, ct::full<ct::tile<E, S>>(1), ct::memory_order_relaxed_t{});
}
"""
SHAPES = [("float", 32, 16), ("double", 8, 64), ("signed char", 16, 128), ("short", 64, 2), ("int", 128, 1)]


@pytest.fixture(scope="module")
def module():
    given = [f"<{t}, {rows}, {columns}>" for t, rows, columns in SHAPES]
    names = ["add", *(f"{name}{arguments}" for name in ("gather", "masked") for arguments in given)]
    return pct.build(SOURCE, target="cpu", kernels=names)


def _places(case: str, rng: np.random.Generator, data: np.ndarray) -> np.ndarray:
    if case == "across":  # locations whose addresses differ in many bits
        block = 1 << 16
        middle = (-data.ctypes.data % block + block) // 4
        return middle + rng.integers(-20, 20, SIZE)
    if case == "far":
        return rng.integers(0, 2 * FAR, SIZE) // 100 * 100
    if case == "one":
        return np.full(SIZE, 7)
    return FAR + rng.integers(0, 100, SIZE)


@pytest.mark.parametrize("values", ["ones", "any"])
@pytest.mark.parametrize("mask", ["all", "some", "none", "left out lies far"])
@pytest.mark.parametrize("case", ["near", "across", "far", "one"])
def test_atomic_additions_of_many_elements(module, case, mask, values):
    rng = np.random.default_rng(SIZE)
    data = rng.integers(-1000, 1000, 2 * FAR).astype(np.int32)
    place = _places(case, rng, data).astype(np.int64)
    value = np.ones(SIZE, np.int32) if values == "ones" else rng.integers(-(2**31), 2**31, SIZE, np.int32)
    kept = np.full(SIZE, mask == "all")
    if mask not in ("all", "none"):
        kept[:] = rng.random(SIZE) < 0.7
        kept[0] = False
    if mask == "left out lies far":
        place[~kept] = rng.integers(0, 2 * FAR, (~kept).sum())
    expected, before = data.copy(), np.zeros(SIZE, np.int32)
    for i in np.flatnonzero(kept):
        before[i] = expected[place[i]]
        expected[place[i]] = (int(before[i]) + int(value[i]) + 2**31) % 2**32 - 2**31  # wraps around
    old = np.full(SIZE, 77, np.int32)
    module.kernel("add")[1](data, place, value, kept, old)
    np.testing.assert_array_equal(data, expected)
    np.testing.assert_array_equal(old[kept], before[kept])


def _rows(type_name: str, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dtype = {"float": np.float32, "double": np.float64, "signed char": np.int8, "short": np.int16}.get(
        type_name, np.int32
    )
    rng = np.random.default_rng(rows)
    data = rng.integers(-100, 100, 10000).astype(dtype)
    place = rng.integers(0, 9000, (rows, 1)) + np.arange(columns)
    place[2::4] = place[2::4, :1]  # the same place for a row
    for row in [*range(1, rows, 2), *range(6, rows, 8)]:  # except for one
        place[row, rng.integers(columns)] = rng.integers(0, 10000)
    return data, place, np.zeros((rows, columns), dtype)


@pytest.mark.parametrize("type_name, rows, columns", SHAPES)
def test_rows_with_masks(module, type_name, rows, columns):
    data, place, out = _rows(type_name, rows, columns)
    kept = np.random.default_rng(columns).random((rows, columns)) < 0.8
    kept[0::2], kept[1::4] = True, np.arange(columns) < columns // 3
    kept[rows // 2] = False
    lane = np.arange(rows * columns).reshape(rows, columns)
    expected = np.where(kept, data[place], lane % 50).astype(data.dtype)
    stored = data.copy()
    for i, j in np.argwhere(kept):  # the last element of a place remains
        stored[place[i, j]] = lane[i, j] % 90
    module.kernel(f"masked<{type_name}, {rows}, {columns}>")[1](
        data, np.where(kept, place, 1 << 45).astype(np.int64), kept, out
    )
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(data, stored)


@pytest.mark.parametrize("type_name, rows, columns", SHAPES)
def test_rows_of_which_some_are_neighbours_or_the_same(module, type_name, rows, columns):
    data, place, out = _rows(type_name, rows, columns)
    module.kernel(f"gather<{type_name}, {rows}, {columns}>")[1](data, place.astype(np.int64), out)
    np.testing.assert_array_equal(out, data[place])


TYPES = {
    "float": np.float32,
    "__half": np.float16,
    "double": np.float64,
    "int": np.int32,
    "long long": np.int64,
}


@pytest.fixture(scope="module")
def runs():
    names = [f"{name}<{kind}>" for name in ("add", "count") for kind in TYPES]
    return pct.build(RUNS, target="cpu", kernels=names)


@pytest.mark.parametrize("first", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.filterwarnings("ignore:overflow encountered")  # integers wrap around in NumPy, too
def test_atomic_additions_to_neighbours(runs, kind, first):
    rng = np.random.default_rng(first)
    data = rng.integers(-50, 50, 100).astype(TYPES[kind])
    place = first + np.arange(64)
    place[rng.integers(0, 64, 6)] = rng.integers(0, 100, 6)  # not all are neighbours, and some occur twice
    value = rng.integers(-50, 50, 64).astype(TYPES[kind])
    floating = np.issubdtype(TYPES[kind], np.floating)
    value[[5, 20]] = (np.nan, np.inf) if floating else (np.iinfo(TYPES[kind]).min, np.iinfo(TYPES[kind]).max)
    kept = rng.random(64) < 0.9
    kept[:16] = True
    expected, before = data.copy(), np.zeros(64, TYPES[kind])
    for i in np.flatnonzero(kept):
        before[i] = expected[place[i]]
        expected[place[i]] += value[i]
    old = np.full(64, 77, TYPES[kind])
    runs.kernel(f"add<{kind}>")[1](data, place.astype(np.int64), value, kept, old)
    np.testing.assert_array_equal(data, expected)
    np.testing.assert_array_equal(old, before)


@pytest.mark.parametrize("kind", TYPES)
def test_blocks_count_together_whatever_bytes_they_update_at_once(runs, kind):
    data = np.zeros(66, TYPES[kind])
    runs.kernel(f"count<{kind}>")[1800](data)
    expected = 600 * np.convolve(np.ones(64), np.ones(3))
    np.testing.assert_array_equal(data, expected)
