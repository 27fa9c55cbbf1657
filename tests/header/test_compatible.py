"""Fallback versions of cuda_fp16.h and similar headers: values and arithmetic, on each target."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import reference
from pycuda_tile.compilers import nvrtc
from pycuda_tile.spec.element_types import CXX_TYPES, HEADERS, NUMPY_TYPES

#: All but tf32, which NumPy does not have.
TYPES = {e.cxx: e.dtype for e in NUMPY_TYPES.values() if e.header}
INCLUDES = "".join(f"#include <{header}>\n" for header in sorted(set(HEADERS.values())))
SOURCE = (
    INCLUDES
    + """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using indices = ct::tile<int, ct::shape<256>>;

template <typename T> __tile_global__ void to_float(const T* x, float* y) {
  auto i = static_cast<int>(ct::bid().x) * 256 + ct::iota<indices>();
  ct::store(y + i, ct::element_cast<float>(ct::load(x + i)));
}
template <typename From, typename T> __tile_global__ void from(const From* x, T* y) {
  auto i = static_cast<int>(ct::bid().x) * 256 + ct::iota<indices>();
  ct::store(y + i, ct::element_cast<T>(ct::load(x + i)));
}
// Scalars of the type, as parameters and in C++ expressions
template <typename T> __tile_global__ void scalars(T a, T b, T* y) {
  T one = 1, half = 0.5f;
  y[0] = a + b;
  y[1] = a - b;
  y[2] = a * b;
  y[3] = a / b;
  y[4] = -a;
  y[5] = a < b ? one : half;
  a += b;
  y[6] = a;
  y[7] = T(static_cast<float>(a) + 0.25f);
}
__tile_global__ void names(__half* x, nv_bfloat16* y, __nv_fp8_e4m3* z, __nv_tf32* t) {
  x[0] = __float2half(1.5f);
  x[1] = __float2half_rn(__half2float(x[0]) * 2.0f);
  y[0] = __float2bfloat16(2.5f);
  y[1] = __float2bfloat16_rn(__bfloat162float(y[0]) * 2.0f);
  z[0] = __nv_fp8_e4m3(1.5f);
  z[1] = static_cast<__nv_fp8_e4m3>(static_cast<float>(z[0]) * 2.0f);
  auto two = ct::full<ct::tile<__nv_tf32, ct::shape<2>>>(ct::element_cast<__nv_tf32>(1.0f + 0x1p-11f));
  ct::store(t + ct::iota<ct::tile<int, ct::shape<2>>>(), two);
}
"""
)
EXPRESSIONS = [
    "names",
    *(f"to_float<{t}>" for t in TYPES),
    *(f"from<{w}, {t}>" for t in TYPES for w in ("float", "double", "long long")),
    *(f"scalars<{t}>" for t in ("__half", "__nv_bfloat16")),
]


def build(without_nvidia: bool, **target) -> pct.Module:
    with pytest.MonkeyPatch.context() as patch:
        if without_nvidia:
            patch.setattr(nvrtc, "include_dirs", lambda: [])
        return pct.build(SOURCE, kernels=tuple(EXPRESSIONS), **target)


@pytest.fixture(scope="module", params=["own", "nvidia"])
def module(request) -> pct.Module:
    if request.param == "nvidia" and not nvrtc.host_include_dirs():
        pytest.skip('NVIDIA\'s headers are not installed: pip install -e ".[gpu]"')
    return build(request.param == "own", target="cpu", options=("-O1",))


def patterns(dtype: np.dtype) -> np.ndarray:
    """Every value of the type."""
    bits = NUMPY_TYPES[dtype.name].bits
    count = max(256, 2**bits)
    return (np.arange(count) % 2**bits).astype(f"u{dtype.itemsize}").view(dtype)


@np.errstate(invalid="ignore")  # NumPy warns of signalling NaN
def same(got: np.ndarray, expected: np.ndarray) -> None:
    """Values are equal, including the signs of zeros; any NaN matches NaN."""
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(got, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("name", TYPES)
def test_every_value_as_float(name, module):
    x = patterns(np.dtype(TYPES[name]))
    y = np.empty(x.size, np.float32)
    module.kernel(f"to_float<{name}>")[x.size // 256](x, y)
    with np.errstate(invalid="ignore"):
        same(y, x.astype(np.float32))


@pytest.mark.parametrize("name", [name for name in TYPES if name != "__nv_fp8_e8m0"])
@pytest.mark.parametrize("wide", ["float", "double"])
def test_rounding_to_nearest_even(name, wide, module):
    """Many values, their midpoints and the neighbours of both; the reference is slow for double."""
    dtype = np.dtype(TYPES[name])
    wide_type = np.dtype({"float": np.float32, "double": np.float64}[wide])
    values = patterns(dtype)
    with np.errstate(invalid="ignore"):
        values = np.unique(values[np.isfinite(values)].astype(wide_type))
    x = np.concatenate([values, values[1:] / 2 + values[:-1] / 2])
    x = np.concatenate([x, np.nextafter(x, -np.inf), np.nextafter(x, np.inf), -x])
    x = x[np.abs(x) <= values.max()]  # larger ones are tested below
    some = np.random.default_rng(0).integers(0, x.size, 2048 if wide == "double" else 8192)
    x = x[some].astype(wide_type)
    y = np.empty(x.size, dtype)
    module.kernel(f"from<{wide}, {name}>")[x.size // 256](x, y)
    same(y, reference.element_cast(x, dtype))


def test_what_is_too_great(module):
    """half and bfloat16 become infinite, smaller types their largest value [1.7.2]; NaN stays NaN."""
    x = np.resize(np.array([3.4e38, -3.4e38, np.inf, -np.inf, np.nan], np.float32), 256)
    for name, dtype in TYPES.items():
        if name == "__nv_fp8_e8m0":
            continue
        y = np.empty(256, dtype)
        module.kernel(f"from<float, {name}>")[1](x, y)
        element = CXX_TYPES[name]
        most = element.greatest if element.saturates else np.inf
        nan = np.nan if "nan" in element.specials else most
        same(y[:5], np.array([most, -most, most, -most, nan]))


def test_e8m0_rounds_up_to_a_power_of_two(module):
    x = np.resize(np.array([1.0, 1.0001, -3.0, 0.0, 2.0**-130, 3.4e38, np.inf, np.nan], np.float32), 256)
    y = np.empty(256, TYPES["__nv_fp8_e8m0"])
    module.kernel("from<float, __nv_fp8_e8m0>")[1](x, y)
    same(y[:8], np.array([1, 2, 4, 2.0**-127, 2.0**-127, 2.0**127, 2.0**127, np.nan]))


@pytest.mark.parametrize("name", ["__half", "__nv_bfloat16"])
def test_integers_round_once(name, module):
    """2^24 + 1 and similar integers, which would be rounded twice through float."""
    x = np.array([1, -3, 257, 2049, 4097, (1 << 24) + 1, (1 << 40) + (1 << 32) + 1], np.int64)
    x = np.resize(x[np.abs(x) < 60000] if name == "__half" else x, 256)
    y = np.empty(256, TYPES[name])
    module.kernel(f"from<long long, {name}>")[1](x, y)
    same(y, reference.element_cast(x, np.dtype(TYPES[name])))


@pytest.mark.parametrize("name", ["__half", "__nv_bfloat16"])
def test_scalars_compute(name, module):
    dtype = np.dtype(TYPES[name])
    a, b = dtype.type(1.1), dtype.type(2.3)
    y = np.empty(8, dtype)
    module.kernel(f"scalars<{name}>")[1](a, b, y)
    one, quarter = dtype.type(1), np.float32(0.25)
    same(y, np.array([a + b, a - b, a * b, a / b, -a, one, a + b, np.float32(a + b) + quarter], dtype))


def test_names_of_the_headers(module):
    half, bfloat = np.empty(2, np.float16), np.empty(2, ml_dtypes.bfloat16)
    e4m3, tf32 = np.empty(2, ml_dtypes.float8_e4m3fn), np.empty(2, np.float32)
    module.kernel("names")[1](half, bfloat, e4m3, tf32)
    assert [list(map(float, x)) for x in (half, bfloat, e4m3)] == [[1.5, 3.0], [2.5, 5.0], [1.5, 3.0]]
    assert list(tf32) == [1.0, 1.0]  # 2^-11 is half of the last bit that counts: a tie, to even


@pytest.mark.parametrize("target", ["emulated", "simt-sm_75", "simt-sm_90"])
def test_other_targets_take_them(target):
    name, _, arch = target.partition("-")
    try:
        module = build(True, target=name, arch=arch or None)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert module.kernel("names").binary
