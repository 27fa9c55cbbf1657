"""Data races between blocks, whatever order they ran in, and waits that cannot end.

Kernels are in races.cu.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

SOURCE = Path(__file__).parent / "races.cu"
RELAXED, ACQUIRE, RELEASE = 0, 1, 2  # memory_order
DEVICE, BLOCK = 1, 2  # thread_scope
PUBLISH = {
    (store, load, scope): f"publish<{store}, {load}, {scope}>"
    for store, load, scope in [
        (RELEASE, ACQUIRE, DEVICE),
        (RELAXED, ACQUIRE, DEVICE),
        (RELEASE, RELAXED, DEVICE),
        (RELEASE, ACQUIRE, BLOCK),
    ]
}


@pytest.fixture(scope="module")
def module():
    return pct.build(SOURCE, target="cpu", checked=True, options=("-O1",), kernels=tuple(PUBLISH.values()))


@pytest.fixture(params=[None, 0, 1], ids=lambda seed: f"seed {seed}")
def seed(request):
    """The order in which blocks run: ascending, or shuffled."""
    return request.param


def zeros(n: int, dtype=np.int32) -> np.ndarray:
    return np.zeros(n, dtype)


def race(module, name, grid, *arguments, seed=None) -> str:
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        module.kernel(name).launch(grid, *arguments, schedule_seed=seed)
    assert error.value.kind == "data-race"
    return str(error.value)


# ---- without an order


def test_two_blocks_write(module, seed):
    text = race(module, "all_write", 2, zeros(64), seed=seed)
    assert "block (0, 0, 0)" in text and "block (1, 0, 0)" in text
    assert text.count("ct::store(out + ct::iota<ints>(), ct::full<ints>(1));") == 2  # both places
    module.kernel("all_write")[1](zeros(64))


def test_parts_overlap(module, seed):
    text = race(module, "neighbours_overlap", 3, zeros(200), seed=seed)
    assert "element 63 of 'out'" in text or "element 126 of 'out'" in text


def test_one_reads_what_another_writes(module, seed):
    data = zeros(8)
    text = race(module, "read_while_written", 8, data, data, seed=seed)
    assert "read" in text and "write" in text
    module.kernel("read_while_written").launch(8, zeros(8), data, schedule_seed=seed)


def test_atomic_meets_plain(module, seed):
    text = race(module, "plain_and_atomic", 2, zeros(1), seed=seed)
    assert "atomic update" in text


def test_partitions_overlap(module, seed):
    race(module, "views_overlap", 4, zeros(40, np.float32), 40, seed=seed)


@pytest.mark.parametrize("name", ["count_in_own_variable", "read_own_variable_while_written"])
def test_own_variables(module, seed, name):
    text = race(module, name, 8, seed=seed)
    assert "of 4 bytes in one of the kernel's own variables" in text
    assert text.count(str(SOURCE)) == 2  # both places
    module.kernel(name)[1]()


@pytest.mark.parametrize("orders", list(PUBLISH)[1:])
def test_orders_and_scopes_that_do_not_suffice(module, orders):
    race(module, PUBLISH[orders], 4, zeros(1), zeros(1), zeros(4))


def test_order_does_not_depend_on_the_run(module):
    """One worker runs blocks one after the other, but the race is the same."""
    pct.set_num_workers(1)
    try:
        race(module, "all_write", 2, zeros(64))
        race(module, "read_while_written", 8, *[zeros(8)] * 2)
    finally:
        pct.set_num_workers(None)


def test_ignored(module):
    lenient = pct.build(SOURCE, target="cpu", checked=True, options=("-O1",), ignore=["data-race"])
    out = zeros(64)
    lenient.kernel("all_write")[4](out)
    assert (out == 1).all()


# ---- with an order


def test_publication(module):
    out = zeros(4)
    module.kernel(PUBLISH[RELEASE, ACQUIRE, DEVICE])[4](zeros(1), zeros(1), out)
    assert out.tolist() == [0, 42, 42, 42]


def test_own_parts(module, seed):
    module.kernel("own_parts").launch(10, zeros(640), zeros(640), schedule_seed=seed)


def test_own_parts_of_own_variables(module, seed):
    module.kernel("own_parts_of_own_variable").launch(64, schedule_seed=seed)


def test_atomic_counts(module, seed):
    counts = zeros(10)
    module.kernel("histogram").launch(10, np.arange(640, dtype=np.int32) % 10, counts, schedule_seed=seed)
    assert (counts == 64).all()


def test_locks(module, seed):
    data = zeros(64)
    module.kernel("locked").launch(100, zeros(1), data, schedule_seed=seed)
    assert (data == 100).all()


def test_locks_in_own_variables(module, seed):
    data = zeros(1)
    module.kernel("locked_by_own_variable").launch(100, data, schedule_seed=seed)
    assert data[0] == 100


def test_last_block(module, seed):
    out = zeros(1)
    module.kernel("last_block_sums").launch(30, zeros(64), zeros(1), out, schedule_seed=seed)
    assert out[0] == sum(range(30))


def test_blocks_wait_for_lower_numbered_ones(module):
    sums = zeros(100)
    module.kernel("chained_scan")[100](zeros(100), sums)
    np.testing.assert_array_equal(sums, np.cumsum(np.arange(100)))
    value = zeros(1)
    module.kernel("handed_on")[100](zeros(100), value)
    assert value[0] == 100


# ---- waits


@pytest.mark.parametrize(
    "name, grid, size",
    [
        ("wait_for_nobody", 1, 1),
        ("wait_for_nobody", 5, 1),
        ("lock_twice", 1, 1),
        ("lock_twice", 3, 1),
        ("wait_for_each_other", 2, 2),
    ],
)
def test_waits_that_cannot_end(module, name, grid, size):
    with pytest.raises(pct.LaunchError, match="never end") as error:
        module.kernel(name)[grid](zeros(size))
    assert str(SOURCE) in str(error.value) and "while (" in str(error.value)


def test_waits_that_end(module):
    count = zeros(1)
    module.kernel("wait_a_while")[4](count, 200_000)
    assert count[0] == 4
