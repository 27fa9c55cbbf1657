"""Promises of operations: LLVM speculates what may be undefined, and Tile IR must then not promise that it is
defined; what is undefined in the source is still found."""

from __future__ import annotations

import numpy as np
import pytest
from open_front_end import Kernels

import pycuda_tile as pct
from pycuda_tile import tileir

SOURCE = """
#include <bit>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using eight = ct::tile<int, ct::shape<8>>;
__tile_global__ void product(int* y, int n) { *y = n < 1000 && n > -1000 ? n * 1000000 : 7; }
__tile_global__ void sum(int* y, int n) { int s = 0; if (n < 2000000000) s = n + 2000000; *y = s; }
__tile_global__ void negated(int* y, int n) { *y = n == -2147483647 - 1 ? 1 : n < 0 ? -n : n; }
__tile_global__ void shifted(int* y, int n) {
  int s = n;
  if (n >= 0 && n < 31) s = 1 << n;
  *y = s + 1;
}
__tile_global__ void shifted_down(unsigned* y, unsigned n) { *y = n < 32 ? 0x80000000u >> n : 0; }
__tile_global__ void power(unsigned* y, unsigned n) { *y = std::bit_ceil(n); }
__tile_global__ void whole(float* y, float v) {
  *y = __builtin_isfinite(v) && v < 1e6f && v > -1e6f ? static_cast<float>(static_cast<int>(v)) : 0;
}
__tile_global__ void hoisted(int* y, const int* x, int a, int b, int n) {
  int s = 0;
  for (int k = 0; k < n; ++k) if (x[k] > 0) s ^= a * b + k;
  *y = s;
}
__tile_global__ void last(int* y, int start, int step) {
  int next = start;
  for (int k = 0; k < 3; ++k) { y[k] = next; next = k < 2 ? next + step : 0; }
}

__tile_global__ void bad_product(int* y, int n) { y[0] = n * 1000000; }
__tile_global__ void bad_sum(int* y, int n) {
  int s = n + 2000000000;
  if (y[1] > 0) { y[1] = 5; s ^= 1; }
  y[0] = s;
}
__tile_global__ void bad_tile(int* y, int n) {
  auto i = ct::iota<eight>();
  ct::store(y + i, i * n + n);
}
__tile_global__ void bad_shift(int* y, int n) { y[0] = 1 << n; }
__tile_global__ void bad_index(int* y, int n) { if (y[n * n] == 0) y[0] = 1; }
__tile_global__ void bad_branch(int* y, int n) { if (n * n > y[0]) y[0] = 1; else y[1] = 2; }
__tile_global__ void bad_rounds(int* y, int n) {
  int s = 1;
  for (int k = 0; k < n; ++k) s *= 1000;
  y[0] = s;
}
__tile_global__ void bad_whole(int* y, float v) { y[0] = static_cast<int>(v); }
__tile_global__ void stopped(int* y, int n) { int m = n * 1000000; assert(n < 1000); y[0] = m; }
"""


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return Kernels(SOURCE)


def _power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


RIGHT = {
    "product": lambda n: n * 1000000 if abs(n) < 1000 else 7,
    "sum": lambda n: n + 2000000 if n < 2000000000 else 0,
    "negated": lambda n: 1 if n == -(2**31) else abs(n),
    "shifted": lambda n: (1 << n if 0 <= n < 31 else n) + 1,
    "shifted_down": lambda n: 2**31 >> n,
    "power": _power,
    "whole": lambda v: int(v) if abs(v) < 1e6 else 0,
}
GIVEN = {
    **{"product": [5, 5000], "sum": [1, 2**31 - 1], "negated": [-5, -(2**31)], "shifted": [3, 40, -1]},
    **{
        "shifted_down": [5, 32, 2**32 - 1],
        "power": [0, 1, 5],
        "whole": [-1.5, 1e30, np.inf, -np.inf, np.nan],
    },
}


@pytest.mark.parametrize(("name", "n"), [(name, n) for name, given in GIVEN.items() for n in given])
def test_what_is_not_used_may_be_undefined(kernels, name, n):
    y = np.zeros(1, {"whole": np.float32, "shifted_down": np.uint32, "power": np.uint32}.get(name, np.int32))
    kernels[name][1](y, n)
    assert y[0] == RIGHT[name](n)


@pytest.mark.parametrize(("x", "n"), [([1, 1], 0), ([0, 0], 2)])
def test_what_llvm_moves_in_front_of_a_loop_may_be_undefined(kernels, x, n):
    y = np.ones(1, np.int32)
    kernels["hoisted"][1](y, np.array(x, np.int32), 1 << 20, 1 << 20, n)
    assert y[0] == 0


def test_the_last_round_may_compute_what_is_undefined(kernels):
    y = np.zeros(3, np.int32)
    kernels["last"][1](y, 2**30, 2**29 - 1)
    assert y.tolist() == [2**30, 2**30 + 2**29 - 1, 2**31 - 2]


@pytest.mark.parametrize(
    ("name", "n", "kind"),
    [
        ("bad_product", 5000, "integer-overflow"),
        ("bad_sum", 2000000000, "integer-overflow"),
        ("bad_tile", 2**29, "integer-overflow"),
        ("bad_shift", 32, "shift-range"),
        ("bad_index", 50000, "integer-overflow"),
        ("bad_branch", 50000, "integer-overflow"),
        ("bad_rounds", 4, "integer-overflow"),
        ("bad_whole", np.inf, "conversion-range"),
    ],
)
def test_what_is_undefined_in_the_source_is_found(kernels, name, n, kind):
    y = np.zeros(8, np.int32)
    with pytest.raises(pct.UndefinedBehaviorError) as caught:
        kernels[name][1](y, n)
    assert caught.value.kind == kind


def test_an_assertion_comes_before_what_it_forbids(kernels):
    with pytest.raises(tileir.AssertionFailed):
        kernels["stopped"][1](np.zeros(1, np.int32), 5000)
