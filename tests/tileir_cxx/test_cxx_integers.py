"""Sums, differences and products that saturate or say that they wrap, against Python's integers."""

from __future__ import annotations

import numpy as np
from open_front_end import Kernels

SOURCE = """
#include <climits>
template <typename T, typename Wide> __tile__ void limited(T const* x, T* y, int n, Wide low, Wide high) {
  for (int i = 0; i < n; ++i) {
    Wide const a = x[2 * i], b = x[2 * i + 1], sum = a + b, difference = a - b;
    y[2 * i] = static_cast<T>(sum > high ? high : sum < low ? low : sum);
    y[2 * i + 1] = static_cast<T>(difference > high ? high : difference < low ? low : difference);
  }
}
__tile_global__ void limited_bytes(signed char const* x, signed char* y, int n) {
  limited<signed char, int>(x, y, n, SCHAR_MIN, SCHAR_MAX);
}
__tile_global__ void limited_ints(int const* x, int* y, int n) {
  limited<int, long long>(x, y, n, INT_MIN, INT_MAX);
}
__tile_global__ void limited_unsigned(unsigned const* x, unsigned* y, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned const a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a + b < a ? UINT_MAX : a + b;
    y[2 * i + 1] = a > b ? a - b : 0;
  }
}
template <typename T> __tile__ void checked(T const* x, T* y, int n) {
  for (int i = 0; i < n; ++i) {
    T const a = x[2 * i], b = x[2 * i + 1];
    T results[3];
    y[6 * i] = __builtin_add_overflow(a, b, results);
    y[6 * i + 1] = __builtin_sub_overflow(a, b, results + 1);
    y[6 * i + 2] = __builtin_mul_overflow(a, b, results + 2);
    for (int k = 0; k < 3; ++k)
      y[6 * i + 3 + k] = results[k];
  }
}
__tile_global__ void checked_ints(int const* x, int* y, int n) { checked(x, y, n); }
__tile_global__ void checked_longs(long long const* x, long long* y, int n) { checked(x, y, n); }
__tile_global__ void checked_unsigned(unsigned long long const* x, unsigned long long* y, int n) {
  checked(x, y, n);
}
"""


def pairs(dtype: type) -> np.ndarray:
    info = np.iinfo(dtype)
    root = int(np.sqrt(float(info.max)))
    values = [info.min, info.min + 1, info.min // 2, 0, 1, 2, 3, root, root + 1, info.max // 2, info.max]
    values += [-1, -2, -root] if info.min else []
    return np.array([(a, b) for a in values for b in values], dtype)


def test_numbers_that_saturate():
    kernels = Kernels(SOURCE)
    for name, dtype in {"bytes": np.int8, "ints": np.int32, "unsigned": np.uint32}.items():
        x = pairs(dtype)
        y = np.zeros_like(x)
        kernels[f"limited_{name}"][1](x.reshape(-1), y.reshape(-1), len(x))
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        exact = [(a + b, a - b) for a, b in x.tolist()]
        assert y.tolist() == [[min(max(value, low), high) for value in pair] for pair in exact]


def test_numbers_that_wrap():
    kernels = Kernels(SOURCE)
    for name, dtype in {"ints": np.int32, "longs": np.int64, "unsigned": np.uint64}.items():
        x = pairs(dtype)
        y = np.zeros((len(x), 6), dtype)
        kernels[f"checked_{name}"][1](x.reshape(-1), y.reshape(-1), len(x))
        low, size = np.iinfo(dtype).min, 1 << 8 * np.dtype(dtype).itemsize
        for got, (a, b) in zip(y.tolist(), x.tolist(), strict=True):
            exact = (a + b, a - b, a * b)
            wrapped = [(value - low) % size + low for value in exact]
            assert got == [value != kept for value, kept in zip(exact, wrapped, strict=True)] + wrapped
