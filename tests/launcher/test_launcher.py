"""The CPU launcher alone: hand-written kernels (kernels.cpp) run each block and thread once and in order."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from launcher_library import (
    DIVERGENCE,
    INVALID,
    SUCCESS,
)

# ---- shared memory -------------------------------------------------------------------------------


@pytest.mark.wide
def test_blocks_share_memory(launch):
    """It begins with zeros, also where an earlier launch had it."""
    for _ in range(2):
        before = np.zeros(100, np.uint64)
        assert launch("share", (10, 10), before) == (SUCCESS, "")
        assert sorted(before) == list(range(100))


# ---- every block once, in order ------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("grid", [(1,), (2,), (1000,), (7, 11), (5, 3, 13), (1, 1, 64), (65536,)])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_each_block_runs_exactly_once(launch, grid, seed, workers):
    launch.workers = workers
    counts = np.zeros(np.prod(grid), np.uint32)
    assert launch("count_blocks", grid, counts, seed=seed) == (SUCCESS, "")
    assert (counts == 1).all()


def test_no_blocks_is_no_error(launch):
    assert launch("count_blocks", (0, 5, 5), np.zeros(1, np.uint32)) == (SUCCESS, "")


def start_order(launch, count, seed):
    """The blocks in the order in which they started, on one worker."""
    launch.workers = 1
    place = np.full(count, -1, np.int64)
    assert launch("record_order", (count,), np.zeros(1, np.uint64), place, seed=seed)[0] == SUCCESS
    return np.argsort(place).tolist()


def test_blocks_start_in_ascending_order(launch):
    assert start_order(launch, 1000, 0) == list(range(1000))


@pytest.mark.parametrize("count", [2, 3, 64, 1000])
def test_a_seed_shuffles_the_same_way_each_time(launch, count):
    orders = [start_order(launch, count, seed) for seed in range(1, 21)]
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert orders == [start_order(launch, count, seed) for seed in range(1, 21)]
    assert len(set(map(tuple, orders))) > 1
    if count == 1000:
        assert len(set(map(tuple, orders))) == 20
        firsts = np.array(orders)[:, :100]  # spread over the grid, differently for each seed
        assert 300 < firsts.mean() < 700


def test_blocks_may_wait_for_lower_numbered_ones(launch):
    total = np.zeros(1, np.uint64)
    assert launch("wait_for_previous", (2000,), np.zeros(1, np.uint64), total)[0] == SUCCESS
    assert total[0] == 2000 * 1999 // 2


# ---- blocks of several threads -------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("threads", [4, 32, 128])
def test_barriers_order_what_threads_write(launch, threads, seed):
    out = np.zeros((50, threads), np.uint64)
    assert launch(f"rotate_{threads}", (50,), out, seed=seed) == (SUCCESS, "")
    thread = np.arange(threads)
    assert (out == (thread + 10) % threads + np.arange(50)[:, None]).all()


def thread_order(launch, seed):
    log = np.zeros((3, 8), np.uint64)
    assert launch("thread_order", (1,), np.zeros(1, np.uint64), log, seed=seed)[0] == SUCCESS
    return log.tolist()


def test_threads_take_turns_in_order(launch):
    assert thread_order(launch, 0) == [list(range(8))] * 3


def test_a_seed_shuffles_the_threads_between_barriers(launch):
    order = thread_order(launch, 11)
    assert all(sorted(section) == list(range(8)) for section in order)
    assert order == thread_order(launch, 11)
    assert order != thread_order(launch, 12)
    assert len(set(map(tuple, order))) > 1


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("seed", [0, 3])
def test_threads_that_disagree_about_barriers_are_an_error(launch, workers, seed):
    launch.workers = workers
    for _ in range(20):
        status, message = launch("diverge", (4, 4), seed=seed)
        assert status == DIVERGENCE
        assert message == (
            "kernel 'diverge', block (1, 2, 0): after 1 barriers, threads 1-2 ended while threads 0, 3-7 "
            "wait in a barrier; all threads of a block must pass the same barriers"
        )
    assert launch("rotate_32", (5,), np.zeros(5 * 32, np.uint64)) == (SUCCESS, "")


def test_scratch_memory_does_not_pass_from_block_to_block(launch):
    launch.workers = 1
    out = np.zeros(4, np.uint64)
    assert launch("read_scratch", (3,), out)[0] == SUCCESS
    assert out.tolist() == [255] * 4


# ---- misuse --------------------------------------------------------------------------------------


def test_a_kernel_without_threads_and_too_many_blocks_are_refused(launch):
    message = "no kernel, a kernel without threads, or too many blocks"
    assert launch("no_threads", (1,)) == (INVALID, message)
    assert launch("count_blocks", (2**32 - 1,) * 3) == (INVALID, message)


def test_messages_fit_the_buffer(launch):
    kernel = ctypes.byref(ctypes.c_char.in_dll(launch.kernels, "kernel_no_threads"))
    buffer = ctypes.create_string_buffer(b"x" * 16)
    status = launch.library.cuda_tile_launch(
        kernel, None, (ctypes.c_uint * 3)(1, 1, 1), ctypes.c_ulonglong(0), None, buffer, ctypes.c_uint(10)
    )
    assert status == INVALID
    assert buffer.raw == b"no kernel\0xxxxxx\0"
