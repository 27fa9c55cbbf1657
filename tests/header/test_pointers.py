"""Pointer arithmetic and comparison [2.2.25] to [2.2.31], and assumptions [2.15], which change nothing."""

from __future__ import annotations

import numpy as np
import pytest
import targets

POINTERS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using i32x32 = ct::tile<int, ct::shape<32>>;

// 2.2.25/operator+ 2.2.26/operator+/1 2.2.26/operator+/2 2.2.27/operator- 2.2.28/operator-
__tile_global__ void arithmetic(double* data, long long* out) {
  auto lane = ct::iota<i32x32>();
  ct::tile<double*, ct::shape<32>> up = +(data + lane);
  auto other_order = lane + data;
  auto down = up - ct::element_cast<short>(lane);
  ct::store(out + lane, up - data);
  ct::store(out + 32 + lane, other_order - up);
  ct::store(out + 64 + lane, down - data);
  ct::store(out + 96 + lane, ct::element_cast<long long>(up - (data + lane)));
}

// 2.2.29/operator==/1 2.2.29/operator!=/2 2.2.29/operator</3 2.2.29/operator<=/4 2.2.29/operator>/5
// 2.2.29/operator>=/6 2.2.30/operator==/1 2.2.30/operator==/2 2.2.31/operator!=/1 2.2.31/operator!=/2
__tile_global__ void comparison(const int* data, bool* out) {
  auto lane = ct::iota<i32x32>();
  auto p = data + lane;
  auto middle = data + 16;
  ct::store(out + lane, p == middle);
  ct::store(out + 32 + lane, p != middle);
  ct::store(out + 64 + lane, p < middle);
  ct::store(out + 96 + lane, p <= middle);
  ct::store(out + 128 + lane, p > middle);
  ct::store(out + 160 + lane, p >= middle);
  auto nothing = ct::full<ct::tile<int*, ct::shape<32>>>(nullptr);
  auto some = ct::select(lane < 16, nothing, ct::full<ct::tile<int*, ct::shape<32>>>(const_cast<int*>(data)));
  ct::store(out + 192 + lane, some == nullptr);
  ct::store(out + 224 + lane, nullptr == some);
  ct::store(out + 256 + lane, some != nullptr);
  ct::store(out + 288 + lane, nullptr != some);
}

__tile_global__ void assumptions(const int* data, int* out) {
  auto lane = ct::iota<i32x32>();
  auto x = ct::assume_bounded(lane, 0_ic, 31_ic) + ct::assume_bounded_above(lane, 31_ic);
  x = x + ct::assume_bounded_below(lane, -1_ic) + ct::assume_divisible(lane * 4, 4_ic);
  auto blocks = ct::assume_blocked(lane / 4, ct::shape{4_ic});
  auto runs = ct::assume_divisible_strided(lane, 8_ic, 8_ic, 0_ic);
  auto aligned = ct::assume_aligned_strided(ct::assume_aligned(data, 4_ic) + lane, 4_ic, 32_ic, 0_ic);
  ct::store(out + lane, x + blocks + runs + ct::load(aligned));
  const int* null = ct::assume_aligned<16>(static_cast<const int*>(nullptr));
  ct::store_masked(out + lane, lane, null != nullptr);
}
"""


@pytest.mark.every_target
def test_pointer_arithmetic(target):
    out = np.zeros((4, 32), np.int64)
    module = targets.build(POINTERS, target)
    module["arithmetic"][1](np.zeros(32), out)
    np.testing.assert_array_equal(out, [np.arange(32), np.zeros(32), np.zeros(32), np.zeros(32)])


@pytest.mark.every_target
def test_pointer_comparison(target):
    out = np.zeros((10, 32), bool)
    targets.build(POINTERS, target)["comparison"][1](np.zeros(32, np.int32), out)
    i = np.arange(32)
    expected = [i == 16, i != 16, i < 16, i <= 16, i > 16, i >= 16, i < 16, i < 16, i >= 16, i >= 16]
    np.testing.assert_array_equal(out, expected)


def test_assumptions_return_their_argument(target):
    data, out = np.arange(32, dtype=np.int32) * 100, np.zeros(32, np.int32)
    targets.build(POINTERS, target)["assumptions"][1](data, out)
    i = np.arange(32)
    np.testing.assert_array_equal(out, 3 * i + 4 * i + i // 4 + i + data)
