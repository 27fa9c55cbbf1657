"""A source with a template and a plain kernel, and functions that run its kernels."""

import numpy as np

import pycuda_tile as pct

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
TEMPLATE = (
    HEAD
    + """
namespace ns {
template <typename T, int N = 4>
__tile_global__ void fill(T* out, T value) {
  ct::store(out + ct::iota<ct::tile<int, ct::shape<N>>>(), ct::full<ct::tile<T, ct::shape<N>>>(value));
}
}
extern "C" __tile_global__ void plain(float* out) { out[0] = 1; }
"""
)


def run(kernel: pct.Kernel, dtype=np.int32, size=1, *more):
    out = np.zeros(size, dtype)
    kernel[1](out, *more)
    return out
