"""Atomic additions whose old values nothing needs: blocks add to tiles that they share."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct

HEAD = """
#include "cuda_tile.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace ct = cuda::tiles;
using relaxed = ct::memory_order_relaxed_t;
using device = ct::thread_scope_device_t;
template <int... N>
using positions = ct::tile<int, ct::shape<N...>>;
"""
SOURCE = (
    HEAD
    + """
// each block adds its number, 1, 2, ..., to the first `count` elements of one of so many rows
template <typename T>
__tile_global__ void rows(T* y, int count, int rows) {
  auto i = ct::iota<positions<64>>();
  int row = static_cast<int>(ct::bid().x) % rows;
  auto x = ct::full<ct::tile<T, ct::shape<64>>>(static_cast<T>(ct::bid().x % 8 + 1));
  ct::atomic_add_masked(y + (row * 64 + i), x, i < count, relaxed{}, device{});
}
// other elements in each block, of a matrix whose rows are `pitch` apart
__tile_global__ void others(int* y, int pitch) {
  auto i = ct::reshape(ct::iota<positions<16>>(), ct::shape<16, 1>{});
  auto j = ct::reshape(ct::iota<positions<8>>(), ct::shape<1, 8>{});
  int block = static_cast<int>(ct::bid().x) + static_cast<int>(ct::bid().y) * 7;
  ct::atomic_add_masked(y + (i * pitch + j), i * 8 + j, (i + j) % 5 == block % 5, relaxed{}, device{});
}
// two sums, one of all elements
__tile_global__ void two(float* x, float* y, double* z) {
  auto i = ct::iota<positions<128>>();
  auto v = ct::load(x + i);
  ct::atomic_add(y + i, v, relaxed{}, device{});
  ct::atomic_add(z + (127 - i), ct::element_cast<double>(v) * 2.0, relaxed{}, device{});
}
// at places that are read; only those from 0 on exist
template <typename T>
__tile_global__ void scattered(const int* places, T* y) {
  auto i = static_cast<int>(ct::bid().x) * 128 + ct::iota<positions<128>>();
  auto place = ct::load(places + i);
  auto x = ct::element_cast<T>(ct::element_cast<float>(i % 8 + 1));
  ct::atomic_add_masked(y + place, x, place >= 0, relaxed{}, device{});
}
// the same, with a loop over all tiles
template <typename T>
__tile_global__ void strided(const int* __restrict__ places, T* __restrict__ y, int tiles) {
  for (int t = ct::bid().x; t < tiles; t += static_cast<int>(ct::num_blocks().x)) {
    auto i = t * 128 + ct::iota<positions<128>>();
    auto place = ct::load(places + i);
    auto x = ct::element_cast<T>(ct::element_cast<float>(i % 8 + 1));
    if (t % 5 != 4)
      ct::atomic_add_masked(y + place, x, place >= 0, relaxed{}, device{});
  }
}
// rows of 16 elements
__tile_global__ void scattered_rows(const int* rows, float* y) {
  auto i = static_cast<int>(ct::bid().x) * 8 + ct::iota<positions<8>>();
  auto row = ct::reshape(ct::load(rows + i), ct::shape<8, 1>{});
  auto j = ct::reshape(ct::iota<positions<16>>(), ct::shape<1, 16>{});
  auto x = ct::element_cast<float>(ct::reshape(i % 8, ct::shape<8, 1>{}) + j);
  ct::atomic_add(y + (row * 16 + j), x, relaxed{}, device{});
}
"""
)
TYPES = {"int": np.int32, "long long": np.int64, "float": np.float32, "double": np.float64}
TYPES |= {"__half": np.float16, "__nv_bfloat16": ml_dtypes.bfloat16}
NAMES = [f"{kernel}<{name}>" for name in TYPES for kernel in ("rows", "scattered", "strided")]


@pytest.fixture(scope="module")
def module():
    return pct.build(SOURCE, target="cpu", kernels=[*NAMES, "others", "two", "scattered_rows"])


@pytest.fixture(params=[1, 2, 5], ids="{} workers".format)
def workers(request):
    pct.set_num_workers(request.param)
    yield request.param
    pct.set_num_workers(None)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("count, rows", [(64, 1), (33, 3), (0, 2), (64, 40)])
def test_rows(module, workers, name: str, count: int, rows: int):
    """More rows than there are tiles to share. All sums are numbers of each type, bfloat16 among them."""
    y = np.full((rows, 64), -2, TYPES[name])
    blocks = 40
    module[f"rows<{name}>"][blocks](y, count, rows)
    wanted = np.full((rows, 64), -2, np.int64)
    for block in range(blocks):
        wanted[block % rows, :count] += block % 8 + 1
    np.testing.assert_array_equal(y.astype(np.int64), wanted)


@pytest.mark.parametrize("grid", [1, (7, 1), (5, 4)])
@pytest.mark.parametrize("pitch", [8, 20, -9])
def test_other_elements_in_each_block(module, workers, grid, pitch: int):
    y = np.zeros(600, np.int32)
    module["others"][grid](y[200:], pitch)
    wanted = np.zeros(600, np.int32)
    i, j = np.mgrid[:16, :8]
    columns, rows = grid if isinstance(grid, tuple) else (grid, 1)
    for block in (x + 7 * z for z in range(rows) for x in range(columns)):
        chosen = (i + j) % 5 == block % 5
        np.add.at(wanted, (200 + i * pitch + j)[chosen], (i * 8 + j)[chosen])
    np.testing.assert_array_equal(y, wanted)


#: Places of the elements of each block: a few, those of some blocks or elements far away, too many, and none.
PLACES = {
    "few": lambda rng, i: rng.integers(0, 40, i.shape),
    "in_turn": lambda rng, i: i // 128 % 3 * 50 + rng.integers(0, 30, i.shape),
    "downward": lambda rng, i: 200_000 - i // 128 * 900 + rng.integers(0, 20, i.shape),
    "two_ranges": lambda rng, i: i // 128 % 2 * 250_000 + rng.integers(0, 20, i.shape),
    "two_near_ranges": lambda rng, i: i // 128 % 2 * 450 + rng.integers(0, 70, i.shape),
    "far": lambda rng, i: i % 2 * 250_000 + rng.integers(0, 20, i.shape),
    "many": lambda rng, i: rng.integers(0, 250_000, i.shape),
    "some": lambda rng, i: rng.integers(-1_000_000, 20, i.shape),
    "none": lambda rng, i: i - 1_000_000,
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("which", PLACES)
def test_places_that_are_read(module, workers, name: str, which: str):
    """All sums are numbers of each type: those of half below 2048, and of bfloat16 with few terms each."""
    blocks, rng = 64, np.random.default_rng(7)
    i = np.arange(blocks * 128)
    places = PLACES[which](rng, i).astype(np.int32)
    if name == "__nv_bfloat16":
        places[rng.integers(0, 64, i.size) > 0] = -1
    y = np.full(250_100, 3, TYPES[name])
    module[f"scattered<{name}>"][blocks](places, y)
    wanted = np.full(y.shape, 3, np.int64)
    np.add.at(wanted, places[places >= 0], i[places >= 0] % 8 + 1)
    np.testing.assert_array_equal(y.astype(np.int64), wanted)


@pytest.mark.parametrize("name", ["int", "double"])
@pytest.mark.parametrize("which", PLACES)
@pytest.mark.parametrize("blocks", [1, 8, 61])
def test_places_in_a_loop(module, workers, name: str, which: str, blocks: int):
    tiles, rng = 200, np.random.default_rng(7)
    i = np.arange(tiles * 128)
    places = PLACES[which](rng, i).astype(np.int32)
    y = np.full(250_100, 3, TYPES[name])
    module[f"strided<{name}>"][blocks](places, y, tiles)
    kept = (i // 128 % 5 != 4) & (places >= 0)
    wanted = np.full(y.shape, 3, np.int64)
    np.add.at(wanted, places[kept], i[kept] % 8 + 1)
    np.testing.assert_array_equal(y.astype(np.int64), wanted)


def test_rows_that_are_read(module, workers):
    rows = np.random.default_rng(3).integers(0, 9, 800).astype(np.int32)
    y = np.full((12, 16), -5, np.float32)
    module["scattered_rows"][100](rows, y)
    wanted = np.full((12, 16), -5, np.float32)
    np.add.at(wanted, rows, np.arange(800)[:, None] % 8 + np.arange(16))
    np.testing.assert_array_equal(y, wanted)


def test_scattered_zeros_keep_their_signs(module):
    """Of places within the range that blocks add to, no other is written."""
    source = (
        HEAD
        + """
__tile_global__ void zeros(const int* places, float* y) {
  auto place = ct::load(places + ct::iota<positions<128>>());
  ct::atomic_add(y + place, ct::full<ct::tile<float, ct::shape<128>>>(-0.0f), relaxed{}, device{});
}
"""
    )
    y = np.full(200, -0.0, np.float32)
    y[3] = np.frombuffer(np.uint32(0x7F800001).tobytes(), np.float32)[0]  # a signalling NaN
    before = y.tobytes()
    pct.build(source, target="cpu").kernel("zeros")[100](np.arange(128, dtype=np.int32) + 4, y)
    assert y.tobytes() == before


def test_several_sums_and_launches(module, workers):
    x = np.arange(128, dtype=np.float32)
    y, z = np.zeros(128, np.float32), np.zeros(128)
    for launches, grid in [(1, 100), (3, 9), (1, 2)]:
        for _ in range(launches):
            module["two"][grid](x, y, z)
    np.testing.assert_array_equal(y, x * 129)
    np.testing.assert_array_equal(z, x[::-1] * 258.0)


def test_they_are_fused_code(module):
    """Whether or not there is a loop, too."""
    assert {module.kernel(name).attributes["path"] for name in [*NAMES, "others", "two"]} == {"fused"}


def test_zeros_keep_their_signs(module):
    y, z = np.full(128, -0.0, np.float32), np.full(128, -0.0)
    module["two"][20](np.full(128, -0.0, np.float32), y, z)
    assert np.signbit(y).all()
    assert np.signbit(z).all()
    module["rows<float>"][20](y, 0, 1)
    assert np.signbit(y).all()


KERNEL = """
__tile_global__ void k(float* x, float* y, int n) {
  auto i = ct::iota<positions<64>>();
  auto v = ct::load(x + i);
  BODY
}
"""
ADD = "ct::atomic_add(y + i, v, relaxed{}, device{});"


@pytest.mark.parametrize(
    "body, shared",
    [
        (ADD, 1),
        (ADD + "ct::atomic_add(x + i, v, relaxed{}, device{});", 2),
        ("ct::atomic_sub(y + i, v, relaxed{}, device{});", 1),
        ("ct::atomic_add(y + i, v, ct::memory_order_acq_rel_t{}, device{});", 0),
        ("ct::store(x + i, ct::atomic_add(y + i, v, relaxed{}, device{}));", 0),
        (ADD + "ct::store(x + i, ct::load(y + i));", 0),
        (ADD + "ct::atomic_load(x + i, relaxed{}, device{});", 0),
        ("if (n > 0) { " + ADD + " }", 1),
        ("if (n > 0) { " + ADD + " } ct::store(x + i, v);", 0),
        ("if (n > 0) return; " + ADD, 1),
        ("for (int k = 0; k < n; ++k) { " + ADD + " }", 1),
        ("for (int k = 0; k < n; ++k) { v = v + ct::load(x + i); " + ADD + " }", 0),
        ("for (int k = 0; k < n; ++k) { " + ADD + " } ct::store(x + i, v);", 0),
        ("ct::atomic_add(y + i * i, v, relaxed{}, device{});", 1),
        ("ct::store(y + i, v); ct::atomic_add(x + i * i, v, relaxed{}, device{});", 1),
        ("auto p = y + i * i; ct::atomic_add(p, v, relaxed{}, device{}); ct::store(x + i, ct::load(p));", 0),
        ("ct::atomic_add(y, 1.0f, relaxed{}, device{});", 0),
    ],
    ids=[
        *("one", "two", "difference", "ordered", "used", "loaded_later", "another_atomic"),
        *(
            "sometimes",
            "sometimes_before_a_store",
            "early_end",
            "loop",
            "loop_with_loads",
            "loop_before_a_store",
            "squares",
            "after_a_store",
            "squares_loaded_later",
            "one_element",
        ),
    ],
)
def test_which_are_shared(tmp_path, capsys, body: str, shared: int):
    """Where nothing can tell when memory changes."""
    from pycuda_tile.cli import main

    file = tmp_path / "kernel.cu"
    file.write_text(HEAD + KERNEL.replace("BODY", body))
    main(["compile", str(file), "--emit", "loops"])
    assert capsys.readouterr().out.count("> sums") == shared


def test_after_a_launch_that_fails():
    """What its blocks have added to shared tiles is gone."""
    body = """
  int block = ct::bid().x;
  float* to = n == 0 ? x : nullptr;
  ct::store_masked(to + i, v, block == 30);
  ct::atomic_add(y + i, v, relaxed{}, device{});"""
    kernel = pct.build(HEAD + KERNEL.replace("BODY", body), target="cpu").kernel("k")
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(pct.LaunchError):
        kernel[40](x, y, 1)
    y[:] = 0
    kernel[40](x, y, 0)
    np.testing.assert_array_equal(y, 40)
