"""What addresses are made of: products stay products, and signed integers do not overflow, so that tileiras
can tell which elements are neighbours."""

from __future__ import annotations

from open_front_end import module

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
