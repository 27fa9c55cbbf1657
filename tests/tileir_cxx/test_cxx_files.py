"""Whole files as people write them, with host halves, kernels of threads and macros; standard headers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from open_front_end import Interpreted, module

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc

FILES = Path(__file__).parent / "whole_files"
#: Files, requested instances and overloads, and the number of kernels besides these.
INSTANCES = {
    "saxpy": ((), 1),
    "sums": (("sum_any<float>", "sum_any<double, 32>", "(void (*)(float*, float))scale"), 4),
    "functors": ((), 4),
    "both_kinds": ((), 2),
    "gemm": (("gemm::kernel<>", "gemm::kernel<gemm::Default, __nv_bfloat16>"), 1),
    "blur": ((), 2),
    "softmax": (("softmax_rows<100>",), 1),
    "folds": ((), 2),
    "attend": ((), 2),
    "old_style": ((), 2),
}


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.sampled(10)
def test_whole_files(name: str):
    instances, others = INSTANCES[name]
    assert len(module(FILES / f"{name}.cu").entries) == others
    if instances:
        assert len(module(FILES / f"{name}.cu", *instances).entries) == len(instances)


def test_kernels_of_a_file_with_a_host_half():
    kernels = Interpreted(FILES / "both_kinds.cu")
    x, total = np.arange(300, dtype=np.float32), np.zeros(1, np.float32)
    kernels.kernel("tile_reduce")[2](x, total, 300)
    assert total[0] == x.sum()


def test_pointers_to_structures():
    kernels = Interpreted(FILES / "attend.cu")
    v = np.arange(16, dtype=np.float32).reshape(4, 4)
    expected = v.copy()
    expected[:3, :2] += 2
    kernels.kernel("vectors")[1](v.view(np.int8), 4, 0.5)
    np.testing.assert_array_equal(v, expected)


HEADERS = """
#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuComplex.h>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda_fp16.h>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <math_constants.h>
#include <new>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <stdbool.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <vector_types.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
struct pair { int a, b; };
struct version { int major, minor; auto operator<=>(version const&) const = default; };
__tile__ std::optional<int> half_of(int n) {
  if (n % 2) return std::nullopt;
  return n / 2;
}
template <std::size_t... I> __tile__ int added(std::index_sequence<I...>) { return (0 + ... + int(I)); }
__tile__ int total(std::initializer_list<int> values) {
  int sum = 0;
  for (int value : values) sum += value;
  return sum;
}
std::vector<std::string> names() { return {"host"}; }
__tile_global__ void k(int* y, int n, float* x) {
  std::array<int, 4> a{1, 2, 3, n};
  int i = 0;
  auto put = [&](auto value) { y[i++] = static_cast<int>(value); };
  put(a[1] + a.back() + std::get<2>(a) + a.size());
  auto [p, q] = std::pair{n, 2.5f};
  put(p + q);
  auto [r, s, t] = std::make_tuple(1, n, 4);
  put(r + s + t);
  put(std::apply([](int u, int v) { return u * v; }, std::tuple{n, 3}));
  put(std::popcount(7u) + std::bit_width(9u) + std::countl_zero(1u) + std::countr_zero(8u));
  put(std::bit_cast<int>(x[0]));
  put(std::gcd(12, n * 6) + std::midpoint(2, 8) + std::accumulate(a.begin(), a.end(), 0));
  put(std::plus<>{}(n, 2) + std::multiplies<int>{}(n, 3) + std::max({1, n, 2}) + std::clamp(n, 0, 3));
  put(total({1, 2, n}) + added(std::make_index_sequence<4>{}));
  int copy[4];
  memcpy(copy, &a[0], sizeof copy);
  put(copy[3] + offsetof(pair, b) + (std::numeric_limits<std::int64_t>::max() > INT_MAX) + SHRT_MAX);
  std::int64_t wide = INT64_C(5) + n;
  put(wide + std::abs(-n) + std::signbit(x[1]) + std::exchange(i, i));
  cuda::std::array<int, 2> c{n, 6};
  put(c[0] + c[1]);
  int4 v = make_int4(1, 2, 3, n);
  put(v.w + dim3(n, 2).y + make_uint3(1, 2, 3).z + alignof(float4) + sizeof(double3));
  __half2 h = __halves2half2(__half(x[0]), __half(2.0f));
  put(__low2float(h) + float(__hadd(h.x, h.y)));
  put(half_of(n).value_or(9) + *half_of(n + 1) + cuda::std::optional<int>().has_value());
  std::span<int> part(&a[0], 3);
  put(part.subspan(1).back() + std::size(copy) + *std::next(a.begin(), 2) + part.size());
  put((version{1, n} < version{1, 6}) + 2 * (version{2, 0} > version{1, n}) + 4 * (n <=> 5 == 0));
  put(std::numbers::pi * 100 + std::numbers::ln2_v<float> * 10 + (CUDART_INF_F > x[0]) + sizeof(cuComplex));
  int pages[2][2][3]{{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {n, 11, 12}}};
  std::swap(pages[0], pages[1]);
  std::swap(pages[0][0], pages[1][1]);
  put(pages[0][0][1] + 10 * pages[0][1][0] + 100 * pages[1][0][2] + 1000 * pages[1][1][1]);
}
"""


def expected(n: int, x: np.ndarray) -> list[int]:
    return [
        *(2 + n + 3 + 4, int(n + 2.5), 1 + n + 4, n * 3, 3 + 4 + 31 + 3),
        *(int(x[:1].view(np.int32)[0]), np.gcd(12, n * 6) + 5 + 6 + n, n + 2 + n * 3 + max(n, 2) + min(n, 3)),
        *(3 + n + 6, n + 4 + 1 + 32767, 5 + n + n + 1 + 10, n + 6, n + 2 + 3 + 16 + 24),
        int(x[0] + x[0] + 2),
        *((n // 2 if n % 2 == 0 else 9) + (n + 1) // 2, 3 + 4 + 3 + 3, (n < 6) + 2 + 4 * (n == 5)),
        int(np.pi * 100 + np.log(2) * 10 + 1 + 8),
        5 + 10 * n + 300 + 8000,
    ]


def check_headers(kernel) -> None:
    y, x = np.zeros(32, np.int32), np.array([1.5, -2.0], np.float32)
    kernel[1](y, 5, x)
    results = expected(5, x)
    assert list(y[: len(results)]) == results


BUILT_IN = """
#include <cmath>
#include <cstdlib>
#include "cuda_tile.h"
using namespace std;
using namespace cuda::tiles;
__tile_global__ void k(int* y, int n, float* x) {
  double d = x[0];
  y[0] = min(n, 3) + max(n, 7) + min(n, 4u) + abs(-n);
  y[1] = __popc(n) + __clz(n) + __ffs(n) + (__float_as_int(x[2]) == 0x3f800000) + __brev(0x80000000u);
  y[2] = 4 * (sqrt(d) + pow(d, 2.0) + pow(x[0], 0.5f)) + floor(x[1]) + fabs(x[1]) + __ldg(x + 2);
  y[3] = isnan(x[0]) + 2 * isinf(x[3]) + 4 * isnan(x[4]) + (int)max(x[0], 9.0f);
  y[3] += (int)__fdividef(x[0], x[2]) + (int)__expf(0);
  y[4] = 100 * lroundf(x[5]) + 10 * lrintf(x[5]) + llround(-x[5] * 1.0) + llrint(x[1] * 1.0);
}
"""


def check_built_in(kernel) -> None:
    """They need no header, and stand beside those of std."""
    y, x = np.zeros(5, np.int32), np.array([2.25, -1.5, 1, np.inf, np.nan, 2.5], np.float32)
    kernel[1](y, 5, x)
    first = [3 + 7 + 4 + 5, 2 + 29 + 1 + 1 + 1, 6 + 20 + 6 - 2 + 1 + 1, 2 + 4 + 9 + 2 + 1]
    assert list(y) == [*first, 300 + 20 - 3 - 2]


def test_functions_that_cuda_has_built_in():
    check_built_in(Interpreted(BUILT_IN).kernel("k"))


def test_standard_headers():
    check_headers(Interpreted(HEADERS).kernel("k"))


@pytest.mark.parametrize("target", ["cpu", "emulated"])
@pytest.mark.parametrize("nvidia", [True, False], ids=["nvidia", "own"])
@pytest.mark.sampled(4)
def test_the_same_on_hosts(target: str, nvidia: bool, monkeypatch):
    """With NVIDIA's headers where they are installed, and with those of this project."""
    if not nvidia:
        monkeypatch.setattr(nvrtc, "include_dirs", lambda: [])
    check_headers(pct.build(HEADERS, target=target, options=("-O0",)).kernel("k"))
    check_built_in(pct.build(BUILT_IN, target=target, options=("-O0",)).kernel("k"))
