"""Launches: their grids, the number of their arguments, the order of their blocks."""

import functools
import os
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

VECTOR_ADD = Path(__file__).resolve().parents[2] / "examples" / "vector_add.cu"
HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
BLOCKS = (
    HEAD
    + """
__tile_global__ void blocks(int* out) {
  auto block = ct::bid();
  auto grid = ct::num_blocks();
  out[(block.z * grid.y + block.y) * grid.x + block.x] = 100 * block.z + 10 * block.y + block.x;
}
"""
)
F = np.float32


def test_grid(host_target):
    kernel = host_target.build(BLOCKS).kernel("blocks")
    for grid, size in ((5, 5), ((5,), 5), ((3, 2), 6), ((3, 2, 4), 24), ([2, 2], 4), (np.int64(3), 3)):
        out = np.full(size + 1, -1, np.int32)
        kernel[grid](out)
        x, y, z = (*(grid if isinstance(grid, (tuple, list)) else (grid,)), 1, 1)[:3]
        expected = [100 * k + 10 * j + i for k in range(z) for j in range(y) for i in range(x)]
        assert out.tolist() == [*expected, -1]


def test_schedule_seed_changes_the_order_only(host_target):
    source = (
        HEAD
        + """
    __tile_global__ void order(int* next, int* out) {
      using one = ct::shape<1>;
      auto place = out + static_cast<int>(ct::bid().x) + ct::zeros<ct::tile<int, one>>();
      ct::store(place, ct::atomic_add(next + ct::zeros<ct::tile<int, one>>(), ct::ones<ct::tile<int, one>>(),
                                      ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}));
    }
    """
    )
    kernel = host_target.build(source).kernel("order")
    pct.set_num_workers(1)
    try:
        orders = []
        for seed in (None, 1, np.uint64(1), 2):
            out = np.zeros(64, np.int32)
            kernel.launch(64, np.zeros(1, np.int32), out, schedule_seed=seed)
            orders.append(out.tolist())
    finally:
        pct.set_num_workers(None)
    assert orders[0] == list(range(64)) and orders[1] == orders[2]
    assert orders[1] != orders[3] and all(sorted(order) == orders[0] for order in orders)
    with pytest.raises(pct.LaunchError, match=r"schedule_seed"):
        kernel.launch(1, np.zeros(1, np.int32), np.zeros(1, np.int32), schedule_seed=-1)


@pytest.mark.parametrize(
    ("grid", "builtin", "words"),
    [
        (0, ValueError, "0 blocks along x, allowed are 1 to 2147483647"),
        (-1, ValueError, "-1 blocks along x"),
        (2**31, ValueError, "along x"),
        ((1, 65536), ValueError, "65536 blocks along y, allowed are 1 to 65535"),
        ((1, 1, 0), ValueError, "0 blocks along z"),
        ((), TypeError, "one to three"),
        ((1, 1, 1, 1), TypeError, "one to three"),
        (1.0, TypeError, "one to three"),
        ("1", TypeError, "one to three"),
        (None, TypeError, "one to three"),
    ],
)
def test_wrong_grids(vector_add, grid, builtin: type, words: str):
    with pytest.raises(pct.LaunchError, match=words) as caught:
        vector_add[grid]
    assert isinstance(caught.value, builtin)
    with pytest.raises(pct.LaunchError, match=words):
        vector_add.launch(grid, None, None, None, 0)


def test_grids_that_equal_known_ones(vector_add):
    """Functions are cached by their grid, and 1.0 == 1."""
    assert vector_add[2] is vector_add[2] and vector_add[2, 3] is vector_add[2, 3]
    assert vector_add[(2, True)] is vector_add[2, 1]
    for wrong in (2.0, (2.0, 3), (2, np.float32(3))):
        with pytest.raises(pct.LaunchError, match="one to three"):
            vector_add[wrong]


def test_launch_needs_a_grid(vector_add):
    with pytest.raises(pct.LaunchError, match=r"kernel\[grid\]"):
        vector_add(None, None, None, 0)


@pytest.mark.parametrize("count", [0, 3, 5])
def test_wrong_number_of_arguments(vector_add, count: int):
    with pytest.raises(
        pct.LaunchError, match=rf"takes 4 arguments \(const float\* a, .* int n\), got {count}"
    ):
        vector_add[1](*[None] * count)


@pytest.mark.parametrize("checked", [False, True])
def test_arguments_by_name(vector_add, make_target, checked: bool):
    if checked:
        vector_add = make_target("cpu").build(VECTOR_ADD, checked=True)["vector_add"]
    a = np.zeros(4, F)
    words = r"^vector_add takes 4 arguments \(const float\* a, .* int n\), got 3 and by name n: .* position$"
    for launch in (vector_add[1], functools.partial(vector_add.launch, 1)):
        with pytest.raises(pct.LaunchError, match=words) as caught:
            launch(a, a, a, n=4)
        assert isinstance(caught.value, TypeError)
    with pytest.raises(
        pct.LaunchError, match=r"schedule_seed can be passed to kernel\.launch\(grid, \.\.\.\)"
    ):
        vector_add[1](a, a, a, 4, schedule_seed=1)
    with pytest.raises(pct.LaunchError, match=r"kernel\[grid\]"):
        vector_add(a, a, a, n=4)


def test_no_streams_on_the_host(vector_add):
    with pytest.raises(pct.LaunchError, match=r"no streams"):
        vector_add.launch(1, None, None, None, 0, stream=1)


def test_number_of_workers(vector_add):
    from pycuda_tile.launching import launcher

    pct.set_num_workers(1)
    assert launcher.num_workers() == 1
    pct.set_num_workers(np.int64(2))
    assert launcher.num_workers() == 2
    pct.set_num_workers(None)
    assert launcher.num_workers() == len(os.sched_getaffinity(0))
    for count in (0, -1, 10**9, 1.0):
        with pytest.raises(pct.LaunchError, match=r"workers"):
            pct.set_num_workers(count)


def test_one_worker_while_debugging(monkeypatch):
    """PYCUDA_TILE_DEBUG=1 is enough: a script in gdb need not be started by `pycuda-tile run`."""
    from pycuda_tile.launching import launcher

    monkeypatch.setenv("PYCUDA_TILE_DEBUG", "1")
    launcher.library.cache_clear()
    try:
        assert launcher.num_workers() == 1
    finally:
        pct.set_num_workers(None)
