"""The order of memory operations: what may touch the same element stays in the order of the program, whatever
else happens in another order, and what cannot needs no token."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

SEEDS = range(12)
SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using eight = ct::tile<int, ct::shape<8>>;
using relaxed = ct::memory_order_relaxed_t;
using acquire = ct::memory_order_acquire_t;
using release = ct::memory_order_release_t;
using device = ct::thread_scope_device_t;

__tile_global__ void same_array(int* x, int* y) { y[0] = x[1] + 1; y[1] = x[0] + 1; x[2] = y[1] + 1; }
__tile_global__ void const_without_restrict(const int* x, int* y) { y[0] = 5; y[1] = x[0]; y[0] = x[1] + 1; }
__tile_global__ void one_restrict(int* __restrict__ x, int* y) {
  ct::store(x + ct::iota<eight>(), ct::iota<eight>());
  ct::store(y + ct::iota<eight>(), ct::load(x + ct::iota<eight>()) + 1);
  x[8] = x[7];
}
__tile_global__ void pointer_arithmetic(int* x, int n) {
  int* p = x + n;
  *p = 3;
  x[1] = x[0] + 1;
  p[1] = x[1] + p[0];
}
__tile_global__ void through_numbers(int* __restrict__ x, unsigned long long bytes) {
  int* p = reinterpret_cast<int*>(reinterpret_cast<unsigned long long>(x) + bytes);
  *p = 7;
  x[0] = x[1] + 1;
  *p = x[0] + 1;
}
__tile_global__ void as_bytes(int* x, unsigned char* bytes) {
  x[0] = 0;
  bytes[1] = 1;
  x[1] = x[0];
  bytes[0] = 1;
}
__tile_global__ void tiles_that_overlap(int* __restrict__ x) {
  auto at = x + ct::iota<eight>();
  ct::store(at, ct::iota<eight>());
  auto moved = ct::load(at + 4);
  ct::store(at + 2, moved);
  x[0] = x[5];
}
__tile_global__ void views_of_one_span(int* __restrict__ x, int n) {
  ct::tensor_span span{x, ct::extents{n}};
  ct::partition_view by_8{span, ct::shape<8>{}};
  ct::partition_view by_4{span, ct::shape<4>{}};
  by_8.store(ct::iota<eight>(), 0);
  auto t = by_4.load(1);
  by_4.store(t + t, 0);
  by_8.store(by_8.load(0) + 1, 1);
}
__tile_global__ void next_round(int* __restrict__ x, int n) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{n + 1}}, ct::shape<1>{}};
  for (int i = 0; i < n; ++i) view.store(view.load(i) + 2, i + 1);
  view.store(view.load(n), 0);
}
__tile_global__ void read_before_the_write_of_the_round(int* __restrict__ x, int n) {
  for (int i = 0; i < n; ++i) {
    auto at = x + i + ct::iota<eight>();
    ct::store(at + 1, ct::load(at) + 2);
  }
}
__tile_global__ void loop_with_a_break(int* __restrict__ x, int n) {
  int i = 0;
  while (true) {
    x[i] += 1;
    if (x[i + 1] == n) break;
    x[i + 1] = x[i];
    if (++i > 5) { x[9] = x[0]; return; }
  }
  x[8] = x[i];
}
__tile_global__ void one_branch(int* x, int* y, int n) {
  x[0] = 1;
  if (n > 3) y[0] = x[0] + 1;
  x[1] = x[0];
  if (n < 3) { y[1] = 4; } else { y[0] = x[1]; }
  x[2] = y[0] + y[1];
}
__tile_global__ void atomics_then_loads(int* __restrict__ x, int* __restrict__ y) {
  auto at = x + ct::zeros<eight>();
  y[0] = 1;
  ct::atomic_add(at, ct::iota<eight>(), relaxed{}, device{});
  y[1] = x[0];
  y[2] = ct::atomic_max(x, 100, relaxed{}, device{});
  y[3] = x[0] + y[0];
}
__device__ int number = 4;
__tile_global__ void global_variable(int* x) {
  auto at = &number + ct::iota<ct::tile<int, ct::shape<1>>>();
  ct::store(at, ct::iota<ct::tile<int, ct::shape<1>>>() + 9);
  ct::store(at, ct::load(at) + 1);
  x[1] = number;
}

__tile_global__ void handed_over(int* __restrict__ data, int* __restrict__ flag, int* __restrict__ seen) {
  if (ct::bid().x == 0) {
    ct::store(data + ct::iota<eight>(), ct::iota<eight>() + 1);
    ct::atomic_store(flag, 1, release{}, device{});
  } else {
    while (ct::atomic_load(flag, acquire{}, device{}) == 0) {}
    ct::store(seen + ct::iota<eight>(), ct::load(data + ct::iota<eight>()));
  }
}

__tile_global__ void all_restrict(const int* __restrict__ x, int* __restrict__ y, int* __restrict__ z,
                                  int n) {
  ct::partition_view in{ct::tensor_span{x, ct::extents{n}}, ct::shape<8>{}};
  auto t = ct::zeros<eight>();
  for (int i = 0; i < n; ++i) t = t + in.load(i) + ct::load(x + ct::iota<eight>());
  ct::store(y + ct::iota<eight>(), t);
  ct::store(z + ct::iota<eight>(), t);
}
__tile_global__ void only_read(int* x, int* y, float* z) { *z = x[0] + y[0] + x[1]; }
__tile_global__ void types_apart(int* x, float* y, double* z) { *x = 1; *y = 2; *z = 3; }
__tile_global__ void other_elements(int* x) { x[0] = 1; x[1] = 2; x[3] = x[2]; }
__tile_global__ void other_tiles(int* __restrict__ x, int n) {
  ct::partition_view view{ct::tensor_span{x, ct::extents{n}}, ct::shape<8>{}};
  auto i = static_cast<int>(ct::bid().x);
  view.store(view.load(i) + 1, i + 1);
}
"""


def ints(*values: int) -> np.ndarray:
    return np.array(values or np.arange(20), np.int32)


def twice(x: np.ndarray) -> list:
    return [x, x]


def with_zeros(*others: object) -> Callable:
    return lambda x: [x, *others]


#: What kernels get of an array x: most of them get it, or a part of it, twice.
GIVEN: dict[str, Callable[[np.ndarray], list]] = {
    "same_array": twice,
    "const_without_restrict": twice,
    "one_restrict": twice,
    "pointer_arithmetic": with_zeros(0),
    "through_numbers": with_zeros(4),
    "as_bytes": lambda x: [x, x.view(np.uint8)],
    "tiles_that_overlap": with_zeros(),
    "views_of_one_span": with_zeros(20),
    "next_round": with_zeros(9),
    "read_before_the_write_of_the_round": with_zeros(9),
    "loop_with_a_break": with_zeros(3),
    "one_branch": lambda x: [x, x, 7],
    "atomics_then_loads": lambda x: [x, x[10:]],
    "global_variable": with_zeros(),
}


@functools.cache
def translated() -> tileir.Module:
    return module(SOURCE)


@functools.cache
def without_tokens() -> tileir.Module:
    made = tileir.read_bytecode(tileir.write_bytecode(translated()))
    for entry in made.entries:
        for op in walk(entry.body):
            if op.name.endswith("_tko"):
                op.operands.pop("token", None)
    return made


def symbol(kernel: str) -> str:
    (name,) = [e.name for e in translated().entries if e.name.startswith(f"_Z{len(kernel)}{kernel}")]
    return name


def results(made: tileir.Module, kernel: str, seed: int | None) -> list[int]:
    x = ints()
    tileir.interpret(made, symbol(kernel), 1, *GIVEN[kernel](x), seed=seed)
    return x.tolist()


@pytest.mark.parametrize("kernel", GIVEN)
def test_accesses_of_one_element_stay_in_order(kernel: str):
    expected = results(translated(), kernel, None)
    assert [results(translated(), kernel, seed) for seed in SEEDS] == [expected] * len(SEEDS)
    # The test would see it if there were no order.
    assert any(results(without_tokens(), kernel, seed) != expected for seed in SEEDS)


def test_program_order_is_that_of_python():
    assert results(translated(), "same_array", None)[:3] == [2, 3, 4]
    assert results(translated(), "next_round", None)[:10] == [18, 2, 4, 6, 8, 10, 12, 14, 16, 18]
    assert results(translated(), "as_bytes", None)[:2] == [257, 256]


def test_release_and_acquire_order_all_memory():
    for seed in SEEDS:
        data, flag, seen = np.zeros(8, np.int32), np.zeros(1, np.int32), np.zeros(8, np.int32)
        tileir.interpret(translated(), symbol("handed_over"), 2, data, flag, seen, seed=seed)
        assert seen.tolist() == list(range(1, 9))


@pytest.mark.parametrize(
    "kernel", ["all_restrict", "only_read", "types_apart", "other_elements", "other_tiles"]
)
def test_what_is_apart_needs_no_token(kernel: str):
    (entry,) = [e for e in translated().entries if e.name == symbol(kernel)]
    ops = list(walk(entry.body))
    assert not [op.name for op in ops if op.operands.get("token") or op.name in ("make_token", "join_tokens")]
