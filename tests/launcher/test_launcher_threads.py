"""The CPU launcher's own threads: stacks, their number, launches from many threads, fork, interruption."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time

import numpy as np
import pytest
from launcher_library import (
    INTERRUPTED,
    SUCCESS,
    resident_bytes,
    run_alone,
)

# ---- stacks --------------------------------------------------------------------------------------


def test_kernels_have_big_stacks_and_give_the_memory_back(launch):
    launch.workers = 2
    sums = np.zeros(4, np.uint64)
    before = resident_bytes()
    for _ in range(3):
        assert launch("big_stack", (4,), sums)[0] == SUCCESS
    assert (sums == (256 << 20) // 4096).all()
    deadline = time.monotonic() + 60  # the helper returns its memory shortly after the launch
    while resident_bytes() - before > 32 << 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert resident_bytes() - before < 32 << 20


def test_stacks_are_used_again(launch):
    launch.workers = 1
    addresses = np.zeros(100, np.uint64)
    for i in range(100):
        launch("stack_address", (1,), addresses[i:])
    assert len(set(addresses.tolist())) == 1


def test_less_address_space_gives_smaller_stacks(built):
    body = """
        import resource
        limit = 1 << 30  # less than one stack of the usual size, beyond what is in use
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
        counts = np.zeros(100, np.uint32)
        print(launch("count_blocks", (100,), counts), counts.min(), counts.max())
    """
    assert run_alone(built, body).strip() == "(0, '') 1 1"


def test_no_memory_is_an_error(built):
    body = """
        import resource
        counts = np.zeros(100, np.uint32)
        launch.workers = 1
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), used + (1 << 20)))
        print(launch("rotate_128", (1,), counts), counts.max())
    """
    status_and_message = run_alone(built, body)
    assert status_and_message.startswith("(2, 'could not get memory"), status_and_message


# ---- many threads, fork, interruption ------------------------------------------------------------


def test_many_threads_launch_at_once(launch):
    failures = []

    def work():
        for _ in range(50):
            counts, out = np.zeros(300, np.uint32), np.zeros((10, 4), np.uint64)
            results = launch("count_blocks", (300,), counts), launch("rotate_4", (10,), out)
            right = (counts == 1).all() and (out == (np.arange(4) + 10) % 4 + np.arange(10)[:, None]).all()
            if results != ((SUCCESS, ""), (SUCCESS, "")) or not right:
                failures.append(results)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_launches_after_fork(built):
    body = """
        counts = np.zeros(500, np.uint32)
        for generation in range(3):
            assert launch("count_blocks", (500,), counts) == (0, "")
            assert launch("rotate_32", (4,), np.zeros(4 * 32, np.uint64)) == (0, "")
            child = os.fork()
            if child:
                assert launch("count_blocks", (500,), counts) == (0, "")
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                os._exit(0)
            counts[:] = 0
        print("grandchild", flush=True)
        os._exit(0)
    """
    assert run_alone(built, body) == "grandchild\n"


def test_fork_during_a_launch_ends_it_in_the_child(built):
    body = """
        children = []
        def poll():
            if not children:
                children.append(os.fork())
            return 0
        launch.workers = 2
        ran = np.zeros(1, np.uint64)
        result = launch("slow", (100,), ran, poll=poll)
        if children[0]:
            assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
            print("parent", result, ran[0])
        else:
            print("child", result[0], launch("slow", (4,), np.zeros(1, np.uint64)), flush=True)
            os._exit(0)
    """
    assert run_alone(built, body).splitlines() == ["child 1 (0, '')", "parent (0, '') 100"]


@pytest.mark.parametrize("kernel", ["slow", "slow_emulated"])
@pytest.mark.parametrize("workers", [1, 3])
def test_poll_interrupts_between_blocks(launch, kernel, workers):
    launch.workers = workers
    calls = []

    def poll():
        calls.append(threading.get_ident())
        return len(calls) == 2

    ran = np.zeros(1, np.uint64)
    assert launch(kernel, (10000,), ran, poll=poll) == (INTERRUPTED, "the launch was interrupted")
    assert calls == [threading.get_ident()] * 2
    assert 0 < ran[0] < 1000
    seen = ran[0]
    time.sleep(0.05)
    assert ran[0] == seen  # no block keeps running


def signal_seen():
    """Yields 1 once a signal handler has raised, else 0. A generator that waits inside `try` catches the
    handler's exception as soon as Python runs; in a function it would escape before the first statement."""
    seen = 0
    while True:
        try:
            yield seen
        except KeyboardInterrupt:
            seen = 1


def test_ctrl_c_ends_a_launch(launch, request):
    # SIGINT is ignored if the tests run in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    poll = signal_seen()
    next(poll)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    status, _ = launch("slow", (4000,), np.zeros(1, np.uint64), poll=functools.partial(next, poll))
    timer.join()
    assert status == INTERRUPTED


def test_poll_may_launch(launch):
    inner = []

    def poll():
        counts = np.zeros(100, np.uint32)
        inner.append((launch("count_blocks", (100,), counts), counts.sum()))
        return 0

    assert launch("slow", (60,), np.zeros(1, np.uint64), poll=poll) == (SUCCESS, "")
    assert inner and all(result == ((SUCCESS, ""), 100) for result in inner)


# ---- workers -------------------------------------------------------------------------------------


def test_number_of_workers(launch):
    launch.workers = 0
    assert launch.workers == len(os.sched_getaffinity(0))
    launch.workers = 3
    assert launch.workers == 3
    launch.workers = 2**32 - 1
    assert launch.workers == 4096


def test_threads_come_when_needed_and_stay_within_the_number_of_workers(built):
    body = """
        import contextlib, time
        def pool_threads():
            count = 0
            for path in Path("/proc/self/task").glob("*/comm"):
                with contextlib.suppress(OSError):  # a thread that has ended meanwhile
                    count += path.read_text() == "cuda_tile\\n"
            return count
        ran = np.zeros(1, np.uint64)
        launch.workers = 6
        for blocks in (1, 3, 100):
            launch("slow", (blocks,), ran)
            print(blocks, "blocks:", pool_threads())
        for workers in (3, 1):
            launch.workers = workers
            while pool_threads() > workers - 1:
                time.sleep(0.01)
            launch("slow", (100,), ran)
            print(workers, "workers:", pool_threads())
    """
    lines = ["1 blocks: 0", "3 blocks: 2", "100 blocks: 5", "3 workers: 2", "1 workers: 0"]
    assert run_alone(built, body).splitlines() == lines


def test_as_many_blocks_run_at_once_as_workers(built):
    body = """
        launch.workers = 8
        for _ in range(100):
            assert launch("meet", (8,), np.zeros(1, np.uint64)) == (0, "")
        print("met")
    """
    assert run_alone(built, body) == "met\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="threads are placed on Linux only")
@pytest.mark.parametrize("cpus", ["all", "one"])
def test_threads_may_run_where_they_might_before(built, cpus):
    body = f"""
        import os, time
        allowed = os.sched_getaffinity(0) if {cpus == "all"} else {{min(os.sched_getaffinity(0))}}
        os.sched_setaffinity(0, allowed)
        launch.workers = 3
        ran = np.zeros(1, np.uint64)
        for _ in range(100):
            assert launch("slow", (20,), ran) == (0, "")
            time.sleep(0.001)  # threads fall asleep, and have to be woken
        def restricted():
            pool = [path.parent for path in Path("/proc/self/task").glob("*/comm")
                    if path.read_text() == "cuda_tile\\n"]
            return [path for path in ["0", *pool] if os.sched_getaffinity(int(Path(path).name)) != allowed]
        end = time.monotonic() + 60
        while restricted() and time.monotonic() < end:
            time.sleep(0.01)
        print("restricted:", restricted())
    """
    assert run_alone(built, body) == "restricted: []\n"
