"""sin, cos and tan of tiles: a large angle has tiles computed element by element, with the same results."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
#include "cuda_fp16.h"
namespace ct = cuda::tiles;
template <typename E>
__tile_global__ void functions(const E* x, E* sin, E* cos, E* tan, int n) {
  auto of = [n](auto* p) { return ct::partition_view{ct::tensor_span{p, ct::extents{n}}, ct::shape<256>{}}; };
  auto angle = of(x).load(ct::bid().x);
  of(sin).store(ct::sin(angle), ct::bid().x);
  of(cos).store(ct::cos(angle), ct::bid().x);
  of(tan).store(ct::tan(angle), ct::bid().x);
}
"""
TYPES = {"float": np.float32, "double": np.float64, "__half": np.float16}


@pytest.fixture(scope="module", params=[True, False], ids=["fused", "by operation"])
def module(request):
    names = [f"functions<{name}>" for name in TYPES]
    return pct.build(SOURCE, target="cpu", kernels=names, optimize=request.param)


@pytest.mark.parametrize("name", TYPES)
def test_large_angles_change_no_other(module, name: str):
    rng, dtype = np.random.default_rng(5), TYPES[name]
    magnitudes = np.exp(rng.uniform(-30, np.log(min(2**20, float(np.finfo(dtype).max)) / 8), 4096))
    x = (magnitudes * rng.choice([-1, 1], 4096)).astype(dtype)
    x[:4] = [0.0, -0.0, np.finfo(dtype).smallest_subnormal, -1]
    mixed = x.copy()
    mixed[7::16] = np.finfo(dtype).max
    mixed[9::128], mixed[11::128] = np.nan, np.inf
    for y, z in zip(_functions(module, name, x), _functions(module, name, mixed), strict=True):
        same = mixed == x
        bits = [each[same].view(f"u{dtype().itemsize}") for each in (y, z)]
        np.testing.assert_array_equal(*bits)
        assert np.isnan(z[~np.isfinite(mixed)]).all()
    wide = mixed[np.isfinite(mixed)].astype(np.float64)
    for function, z in zip((np.sin, np.cos, np.tan), _functions(module, name, mixed), strict=True):
        wanted = function(wide)
        bound = np.spacing(np.abs(wanted).astype(dtype)).astype(np.float64) * 2
        assert (np.abs(z[np.isfinite(mixed)] - wanted) <= bound).all()


def _functions(module, name: str, x: np.ndarray) -> list[np.ndarray]:
    results = [np.empty_like(x) for _ in range(3)]
    module[f"functions<{name}>"][x.size // 256](x, *results, x.size)
    return results
