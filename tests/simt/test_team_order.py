"""The threads of an emulated block: their order between barriers, and barriers that not all of them reach."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

THREADS = 16
SEEDS = range(8)

# Each thread reads the value of the previous one. Without a barrier, that is correct only if threads take
# turns in ascending order.
NEIGHBOURS = """
#include "cuda_tile.h"
namespace platform = cuda::tiles::platform;
__tile_global__ void neighbours(int* out) {{
  unsigned const t = platform::thread();
  int* shared = static_cast<int*>(platform::scratch<4 * platform::block_threads>());
  platform::barrier();
  shared[t] = static_cast<int>(t);
  {barrier}
  out[t] = t == 0 ? -1 : shared[t - 1];
}}
"""


def _build(source: str):
    (info,) = (module := pct.build(source, target="emulated", num_threads=THREADS)).kernels
    return module.kernel(info.name)


def _neighbours(barrier: str) -> list[bool]:
    """Whether the result is correct, without a seed and with each seed."""
    kernel = _build(NEIGHBOURS.format(barrier=barrier))
    right = []
    for seed in (None, *SEEDS):
        out = np.zeros(THREADS, np.int32)
        kernel.launch(1, out, schedule_seed=seed)
        right.append((out == np.arange(THREADS) - 1).all())
    return right


def test_a_missing_barrier_is_found_by_some_order():
    found = _neighbours("")
    assert found[0]  # in ascending order it goes unnoticed
    assert not all(found)


def test_with_its_barrier_every_order_gives_the_same():
    assert all(_neighbours("platform::barrier();"))


@pytest.mark.parametrize("seed", [None, 5])
def test_threads_that_wait_in_different_barriers_are_an_error(seed):
    kernel = _build("""
    #include "cuda_tile.h"
    namespace platform = cuda::tiles::platform;
    __tile_global__ void apart(int* out) {
      if (platform::thread() < 4)
        platform::barrier();
      else
        platform::barrier();
      out[platform::thread()] = 1;
    }
    """)
    with pytest.raises(pct.LaunchError) as raised:
        kernel.launch(1, np.zeros(THREADS, np.int32), schedule_seed=seed)
    text = str(raised.value)
    assert "after 0 barriers, threads 0-3 wait in the barrier at" in text
    assert ":6 while threads 4-15 wait in the barrier at" in text and ":8; all threads" in text


def test_a_shuffle_that_only_some_threads_take_part_in_is_an_error():
    kernel = _build("""
    #include "cuda_tile.h"
    namespace platform = cuda::tiles::platform;
    __tile_global__ void some(int* out) {
      int value = static_cast<int>(platform::thread());
      if (value % 2 == 0)
        value = platform::shuffle_xor(value, 2);
      else
        platform::barrier(), platform::barrier();
      out[platform::thread()] = value;
    }
    """)
    with pytest.raises(
        pct.LaunchError, match=r"threads 0, 2, .* wait in the barrier at emulated\.h:\d+ while"
    ):
        kernel[1](np.zeros(THREADS, np.int32))


def test_a_thread_that_leaves_is_an_error():
    kernel = _build("""
    #include "cuda_tile.h"
    namespace platform = cuda::tiles::platform;
    __tile_global__ void leaves(int* out) {
      out[platform::thread()] = 1;
      if (platform::thread() != 1)
        platform::barrier();
    }
    """)
    with pytest.raises(
        pct.LaunchError, match=r"threads 1 ended while threads 0, 2-15 wait in the barrier at"
    ):
        kernel[1](np.zeros(THREADS, np.int32))
