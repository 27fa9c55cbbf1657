"""kernel.attributes says what multiplies matrices in a kernel, before it is launched, also from the cache."""

from __future__ import annotations

import importlib.util
import platform

import pytest

import pycuda_tile as pct

SOURCE = """
#include <cuda_bf16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;

template <typename E, int... Lengths>
__tile__ auto view(E* p) {
  return ct::partition_view{ct::tensor_span{p, ct::shape<Lengths...>{}}, ct::shape<Lengths...>{}};
}
template <typename E, typename A, int M>
__tile_global__ void one(const E* a, A* c) {
  auto x = view<const E, M, M>(a).load(0, 0);
  view<A, M, M>(c).store(ct::mma(x, x, ct::zeros<ct::tile<A, ct::shape<M, M>>>()), 0, 0);
}
template <typename T>
__attribute__((noinline)) __tile__ void square(T const* x, T* y) {
  *y = ct::mma(*x, *x, *x);
}
__tile_global__ void called(const float* a, float* c) {
  auto x = view<const float, 64, 64>(a).load(0, 0), y = x;
  square(&x, &y);
  view<float, 64, 64>(c).store(y, 0, 0);
}
__tile_global__ void both(const __nv_bfloat16* a, float* c) {
  auto x = view<const __nv_bfloat16, 64, 64>(a).load(0, 0);
  auto y = ct::mma(x, x, ct::zeros<ct::tile<float, ct::shape<64, 64>>>());
  view<float, 64, 64>(c).store(ct::mma(y, y, y), 0, 0);
}
__tile_global__ void none(float* c) {
  auto x = view<float, 64, 64>(c);
  x.store(x.load(0, 0) * 2.0f, 0, 0);
}
"""
SMALL, FLOATS, BYTES = "one<float, float, 4>", "one<float, float, 64>", "one<signed char, int, 64>"
GPU = {
    "sm_75": {SMALL: "FMA", FLOATS: "FMA", BYTES: "mma.sync", "both": "FMA", "none": None},
    "sm_80": {SMALL: "FMA", FLOATS: "FMA", BYTES: "mma.sync", "both": "FMA, mma.sync", "none": None},
    "sm_90a": {SMALL: "FMA", FLOATS: "FMA", BYTES: "wgmma", "both": "FMA, wgmma", "none": None},
}
BLOCKS = dict.fromkeys((SMALL, FLOATS, BYTES, "called", "both"), "blocks") | {"none": None}
HOST = {
    "cpu": ({"target": "cpu", "arch": "x86-64-v3", "optimize": False}, BLOCKS),
    "amx": (
        {"target": "cpu", "defines": {"CUDA_TILE_EMULATE_AMX": "1"}, "optimize": False},
        BLOCKS | {BYTES: "AMX", "both": "blocks, AMX"},
    ),
    "emulated": (
        {"target": "emulated", "num_threads": 128, "options": ("-O1",)},
        GPU["sm_80"] | {"called": "FMA"},
    ),
    "emulated warp groups": (
        {"target": "emulated", "num_threads": 128, "options": ("-O1", "-DCUDA_TILE_WARP_GROUPS=1")},
        GPU["sm_90a"] | {"called": "FMA"},
    ),
}


def check(wanted: dict[str, str | None], **options: object) -> None:
    module = pct.build(SOURCE, kernels=tuple(wanted), **options)
    assert {name: module.kernel(name).attributes.get("mma") for name in wanted} == wanted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HOST)
def test_host(name):
    options, wanted = HOST[name]
    if options.get("arch") and platform.machine() not in ("x86_64", "AMD64"):
        options = {**options, "arch": "native"}
    for _ in ("compiled", "from the cache"):
        check(wanted, **options)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", GPU)
def test_gpu(arch):
    if importlib.util.find_spec("cuda") is None:
        pytest.skip("needs cuda-python and NVRTC")
    for _ in ("compiled", "from the cache"):
        check(GPU[arch] | {"called": "FMA"}, target="simt", arch=arch, num_threads=128)
