"""What addresses are made of: products stay products, and signed integers do not overflow, so that tileiras
can tell which elements are neighbours."""

from __future__ import annotations

import numpy as np
from open_front_end import Kernels, module

from pycuda_tile.tileir.ir import walk

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using row = ct::tile<int, ct::shape<1024>>;

__tile_global__ void copy(const float* __restrict__ x, float* __restrict__ y) {
  auto place = static_cast<int>(ct::bid().x) * 1024 + ct::iota<row>();
  ct::store(y + place, ct::load(x + place));
}
__tile_global__ void unsigned_numbers(unsigned* __restrict__ x, unsigned n) { *x = *x * 8 + n; }
__tile_global__ void negated(row::element_type* __restrict__ x) {
  auto p = x + ct::iota<row>();
  ct::store(p, -ct::load(p));
}
"""


def overflow(kernel: str) -> dict[str, str]:
    """What the integer operations of a kernel say about overflow."""
    made = module(SOURCE, kernel)
    return {
        op.name: op.attributes["overflow"] for op in walk(made.entries[0].body) if "overflow" in op.attributes
    }


def test_signed_integers_do_not_overflow():
    assert overflow("copy") == dict.fromkeys(["muli", "addi"], "no_signed_wrap")
    assert overflow("negated") == {"negi": "no_signed_wrap"}


def test_unsigned_integers_wrap():
    assert overflow("unsigned_numbers") == dict.fromkeys(["muli", "addi"], "none")


def test_pointers_are_offset_by_numbers():
    made = module(SOURCE, "copy")
    names = [op.name for op in made.entries[0].body.ops]
    assert names.count("offset") == 2 and "iota" in names and not {"ptr_to_int", "shli"} & set(names)


COPIES = """
#include "cuda_tile.h"
#include <cstring>
struct record { int id; float x, y; };
__tile_global__ void records(record* p) { record t = p[0]; t.id = 7; p[1] = t; }
__tile_global__ void vectors(float4* p, int n) {
  for (int i = 0; i + 1 < n; ++i) {
    float4 t = p[i];
    t.x += t.w;
    p[i] = p[i + 1];
    p[i + 1] = t;
  }
}
__tile_global__ void moved(int* p) { std::memcpy(p + 5, p + 1, 8); }
__tile_global__ void anywhere(char* p, int n) {
  int v;
  std::memcpy(&v, p + n, 4);
  std::memcpy(p + 7, &v, 4);
  std::memcpy(p + 9, p + n, 3);
}
"""


def test_accesses_are_aligned():
    """clang copies numbers by way of wider ones with their alignment; Tile IR has no unaligned accesses."""
    kernels = Kernels(COPIES)
    records, vectors = np.arange(6, dtype=np.int32), np.arange(16, dtype=np.float32)
    moved, bytes_ = np.arange(8, dtype=np.int32), np.arange(16, dtype=np.int8)
    kernels["records"][1](records.view(np.int8))
    assert records.tolist() == [0, 1, 2, 7, 1, 2]
    kernels["vectors"][1](vectors.view(np.int8), 4)
    assert vectors.tolist() == [*range(4, 16), 3 * 3, 1, 2, 3]
    kernels["moved"][1](moved)
    assert moved.tolist() == [0, 1, 2, 3, 4, 1, 2, 7]
    kernels["anywhere"][1](bytes_, 1)
    assert bytes_.tolist() == [0, 1, 2, 3, 4, 5, 6, 1, 2, 1, 2, 3, 12, 13, 14, 15]
