"""Optimization hints in modules of the open front end: those that NVIDIA's compiler has in its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Constant, Scalar, walk

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using index = ct::tile<int, ct::shape<4>>;
using tile = ct::tile<float, ct::shape<4>>;
constexpr int six = 6;
#define NINE [[cutile::hint(0, latency=9)]]
__tile__ tile two(float* p) { [[cutile::hint(0, latency=2)]] return ct::load(p + ct::iota<index>()); }
__tile__ tile none(float* p) { return ct::load(p + 10 + ct::iota<index>()); }
template <int L>
__tile__ void put(float* p, tile x) {
  [[cutile::hint(0, latency=L)]] ct::store(p + 20 + ct::iota<index>(), x);
}

[[using cutile : hint(0, occupancy=15), hint(900, occupancy=22, num_worker_warps_per_cta=8)]]
[[cutile::hint(1000, num_cta_in_cga=8, latency=3)]]
[[cutile::hint(0, num_cta_in_cga=4)]] [[cutile::hint(0, num_cta_in_cga=2, occupancy=33)]]
__tile_global__ void k(float* p, int n) {
  auto i = ct::iota<index>();
  tile a = two(p), b;
  [[cutile::hint(0, latency=3)]] b = none(p);
  [[cutile::hint(0, latency=4)]] if (n > 3) ct::store(p + 30 + i, a);
  [[cutile::hint(0, latency=5)]] { ct::store(p + 40 + i, b); }
  put<7>(p, a);
  put<8>(p, b);
  [[cutile::hint(0, latency=six)]] [[cutile::hint(1200, latency=1)]] a = ct::load(p + 50 + i);
  NINE ct::store(p + 60 + i, a);
  if (n > 5)
    [[cutile::hint(0, latency=10)]] ct::store(p + 70 + i, a);
  [[cutile::hint(0, latency=10)]] ct::atomic_add(p, 1.0f, ct::memory_order_relaxed_t{});
  [[cutile::hint(0, latency=11)]] ct::store(p + 80 + i, a);
  [[cutile::hint(0, allow_tma=false)]] ct::store(p + 90 + i, a);
  ct::partition_view v{ct::tensor_span{p, ct::shape{128_ic}}, ct::shape{4_ic}};
  [[cutile::hint(0, allow_tma=false, latency=2)]]
  a = v.load(0);
  [[cutile::hint(900, allow_tma=true)]] v.store_masked(a + ct::load(p + i), 1);
}
"""
ACCESSES = ("load_ptr_tko", "store_ptr_tko", "load_view_tko", "store_view_tko", "atomic_rmw_tko")


def hints(made: tileir.Module) -> list[tuple[str, dict]]:
    (entry,) = made.entries
    found = [(op.name, op.attributes.get("optimization_hints") or {}) for op in walk(entry.body)]
    return [("entry", entry.hints), *(pair for pair in found if pair[0] in ACCESSES)]


def test_hints():
    made = hints(module(SOURCE))
    assert str(made[0][1]["sm_90"]["occupancy"].bits) == "22"
    values = [h.get("default", {}).get("latency") for _, h in made[1:]]
    assert [v and v.bits for v in values] == [
        2,
        None,
        None,
        None,
        7,
        8,
        6,
        9,
        10,
        None,
        None,
        None,
        2,
        None,
        None,
    ]
    assert made[-1][1] == {"sm_90": {"allow_tma": Constant(Scalar("i1"), 1)}}


def test_they_are_those_of_nvidias_compiler():
    try:
        theirs = pct.build(SOURCE, target="tile", arch="sm_90").tileir
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert sorted(map(str, hints(module(SOURCE)))) == sorted(map(str, hints(tileir.read_bytecode(theirs))))


def test_values_of_template_parameters():
    made = module(
        '#include "cuda_tile.h"\ntemplate <int A, int O> [[cutile::hint(A, occupancy = O + 1)]]\n'
        "__tile_global__ void k(float* x) { x[0] = O; }\n"
        "template <int... O> [[cutile::hint(900, occupancy = O) ...]] __tile_global__ void p() {}\n",
        "k<900, 4>",
        "k<0, 32>",
        "p<3, 7>",
    )
    found = [{arch: h["occupancy"].bits for arch, h in entry.hints.items()} for entry in made.entries]
    assert found == [{"sm_90": 5}, {}, {"sm_90": 7}]


def test_hints_in_headers(tmp_path: Path):
    (tmp_path / "kernel.cuh").write_text(
        '#include "cuda_tile.h"\n[[cutile::hint(0, occupancy=3)]]\n__tile_global__ void k(float* x) {\n'
        "  [[cutile::hint(900, latency=2)]] cuda::tiles::store(x, x[4]);\n}\n"
    )
    made = module('#include "kernel.cuh"\n', "k", include_dirs=[tmp_path])
    entry, _, store = hints(made)
    assert entry[1] == {"default": {"occupancy": Constant(Scalar("i32"), 3)}}
    assert store[1] == {"sm_90": {"latency": Constant(Scalar("i32"), 2)}}
