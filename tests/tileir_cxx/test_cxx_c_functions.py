"""Functions of C that Tile IR has no operation for: of numbers, beside Python's, and on memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from open_front_end import Kernels

import pycuda_tile as pct
from pycuda_tile import tileir

REFERENCES = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "erf": math.erf,
    "erfc": math.erfc,
    "expm1": np.expm1,
    "log10": np.log10,
    "log1p": np.log1p,
    "normcdf": lambda x: 0.5 * math.erfc(x / -math.sqrt(2)),
}
NUMBERS = [0.0, -0.0, 5e-324, -1e-300, 1e-9, 0.3, -0.7, 1.0, -1.0, 1.7, 2.5, -2.6, 4.2, -9.0, 28.0, 1e10]
NUMBERS += [1e300, math.inf, -math.inf, math.nan]
MATH = '#include "cuda_tile.h"\n' + "".join(
    f"__tile_global__ void k_{f}(const double* x, double* y, float* z, int n) {{\n"
    f"  for (int i = 0; i < n; ++i) {{ y[i] = {f}(x[i]); z[i] = {f}f(static_cast<float>(x[i])); }}\n}}\n"
    for f in REFERENCES
)
OTHERS = """#include "cuda_tile.h"
#include <cstring>
__tile_global__ void lengths(const double* x, double* y, float* z, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = hypot(x[i], x[n - 1 - i]);
    z[i] = hypotf(static_cast<float>(x[i]), static_cast<float>(x[n - 1 - i]));
  }
}
__tile_global__ void powers(const double* x, double* y, float* z, int n, int e) {
  for (int i = 0; i < n; ++i) { y[i] = ldexp(x[i], e); z[i] = ldexpf(static_cast<float>(x[i]), e); }
}
__tile_global__ void copies(char* p, const char* q, long n) { memcpy(p, q, n); }
__tile_global__ void moves(char* p, long to, long from, long n) { memmove(p + to, p + from, n); }
__tile_global__ void fills(char* p, int value, long n) { memset(p, value, n); memset(p + n, value, 3); }
__tile_global__ void stops(int* y) { if (y[0]) __trap(); y[1] = 1; }
"""


@pytest.fixture(scope="module")
def others() -> Kernels:
    return Kernels(OTHERS)


def values(function, numbers: np.ndarray) -> list[float]:
    with np.errstate(all="ignore"):
        return [float(function(x)) for x in numbers]


def check(y: np.ndarray, z: np.ndarray, exact: list[float], of_floats: list[float]) -> None:
    np.testing.assert_array_equal(np.isnan(y), np.isnan(exact))
    np.testing.assert_allclose(y, exact, rtol=2e-14, atol=1e-320)
    np.testing.assert_array_equal(np.signbit(y[~np.isnan(y)]), np.signbit(exact)[~np.isnan(y)])
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(z, np.array(of_floats).astype(np.float32), rtol=1.2e-7, atol=2e-45)


def test_numbers():
    kernels, all_numbers = Kernels(MATH), np.array(NUMBERS)
    for name, function in REFERENCES.items():
        x = all_numbers[::3].copy() if "erf" in name or name == "normcdf" else all_numbers  # which have loops
        with np.errstate(over="ignore"):
            floats = x.astype(np.float32).astype(float)
        y, z = np.empty_like(x), np.empty(x.size, np.float32)
        kernels[f"k_{name}"][1](x, y, z, x.size)
        check(y, z, values(function, x), values(function, floats))


def test_lengths_and_powers_of_two(others: Kernels):
    x = np.array([3.0, -5e-324, 1e300, 0.0, math.nan, math.inf, 1e300, 0.1, 4.0])
    y, z = np.empty_like(x), np.empty(x.size, np.float32)
    with np.errstate(over="ignore"):
        floats = x.astype(np.float32)
        others["lengths"][1](x, y, z, x.size)
        check(y, z, np.hypot(x, x[::-1]), np.hypot(floats.astype(float), floats[::-1].astype(float)))
        for exponent in (0, 1, -149, -1074, 1023, -2098, 2147483647, -2147483648):
            others["powers"][1](x, y, z, x.size, exponent)
            n = max(-3000, min(3000, exponent))
            assert y.tobytes() == np.ldexp(x, n).tobytes()
            assert z.tobytes() == np.ldexp(floats, n).tobytes()


@pytest.mark.parametrize("n", [0, 1, 1024, 2500])
def test_copies_whose_length_is_not_known(others: Kernels, n: int):
    x, p = np.arange(6000).astype(np.uint8), np.zeros(6000, np.uint8)
    others["copies"][1](p, x, n)
    assert np.array_equal(p, np.where(np.arange(6000) < n, x, 0))
    for to, source in ((7, 2000), (2000, 7), (1, 0), (0, 1)):
        p, expected = x.copy(), x.copy()
        expected[to : to + n] = x[source : source + n]
        others["moves"][1](p, to, source, n)
        assert np.array_equal(p, expected)
    p = x.copy()
    others["fills"][1](p, 0x1FE, n)
    assert np.array_equal(p, np.where(np.arange(6000) < n + 3, 0xFE, x))


def test_a_trap_ends_the_kernel(others: Kernels):
    y = np.zeros(2, np.int32)
    others["stops"][1](y)
    with pytest.raises(tileir.AssertionFailed, match="__trap"):
        others["stops"][1](np.array([1, 0], np.int32))
    assert list(y) == [0, 1]


STANDARD = """
#include <cmath>
#include <numeric>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void standard(const float* x, const double* d, double* y, int* sizes, long n) {
  auto i = ct::iota<ct::tile<int, ct::shape<64>>>();
  ct::store(y + 32 + i, ct::exp(ct::load(d + i)) * 2.0);
  int j = 0;
  y[j++] = std::nearbyint(x[0]); y[j++] = std::fdim(x[1], x[0]); y[j++] = std::fdim(d[0], d[1]);
  y[j++] = std::lround(x[0]); y[j++] = std::lround(d[0]); y[j++] = std::llround(x[1]);
  y[j++] = std::lrint(x[0]); y[j++] = std::llrint(d[0]); y[j++] = std::ldexp(x[0], static_cast<int>(n));
  y[j++] = std::ldexp(d[0], -1000); y[j++] = std::scalbn(d[0], static_cast<int>(n));
  y[j++] = std::abs(n - 100); y[j++] = std::pow(2.0f, static_cast<float>(n)); y[j++] = std::exp2(double(n));
  y[j++] = std::midpoint(x[2], x[2]); y[j++] = std::midpoint(x[3], x[4]); y[j++] = std::midpoint(d[0], d[1]);
  y[j++] = std::acosh(d[0]); y[j++] = std::asinh(d[0]); y[j++] = std::atanh(d[0] / 4);
  y[j++] = std::erfc(d[0]);
  y[j++] = std::hypot(d[0], d[1]); y[j++] = std::hypot(3, 4.0f);
  sizes[0] = sizeof(std::lround(x[0])); sizes[1] = sizeof(std::hypot(x[0], x[1]));
  sizes[2] = sizeof(std::erfc(x[0])); sizes[3] = sizeof(std::abs(n));
}
"""


def test_names_of_the_standard_library():
    x = np.array([2.5, -7.25, 3e38, 1e-45, 4e-45], np.float32)
    d = np.linspace(2.5, -3.0, 64)
    d[1] = -7.25
    exact = [2, 0, 9.75, 3, 3, -7, 2, 2, 2.5 * 128, math.ldexp(2.5, -1000), 2.5 * 128, 93, 128, 128]
    exact += [float(x[2]), float(np.float32(3e-45)), (2.5 - 7.25) / 2]
    near = [math.acosh(2.5), math.asinh(2.5), math.atanh(0.625), math.erfc(2.5), math.hypot(2.5, 7.25), 5]
    kernels = [pct.build(STANDARD, target="cpu", optimize=way).kernel("standard") for way in (True, False)]
    for kernel in kernels:
        y, sizes = np.zeros(96), np.zeros(4, np.int32)
        kernel[1](x, d, y, sizes, 7)
        assert y[: len(exact)].tolist() == exact
        # Within about 50 units in the last place: neither library rounds these correctly.
        np.testing.assert_allclose(y[len(exact) :][: len(near)], near, rtol=1e-14)
        assert sizes.tolist() == [8, 4, 4, 8]
    assert kernels[0].attributes["path"] == "fused"


@pytest.mark.wide
def test_names_of_the_standard_library_on_gpus():
    """They compile; without NVRTC its message is the reason to skip."""
    try:
        pct.build(STANDARD, target="simt")
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
