"""The CPU launcher alone: launches hand-written kernels (kernels.cpp) through its C interface."""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from pycuda_tile.compilers.toolchain import find_compiler

ROOT = Path(__file__).resolve().parents[2]
SUCCESS, INTERRUPTED, OUT_OF_RESOURCES, DIVERGENCE, INVALID = range(5)
POLL = ctypes.CFUNCTYPE(ctypes.c_int)


class Launcher:
    """Launches the kernels of kernels.cpp by name."""

    def __init__(self, folder: Path):
        self.library = ctypes.CDLL(str(folder / "launcher.so"))
        self.kernels = ctypes.CDLL(str(folder / "kernels.so"))

    def __call__(self, name, grid, *arrays, seed=0, poll=None):
        """Returns (status, message). The kernel's parameters point to `arrays`."""
        addresses = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        arguments = (ctypes.c_void_p * max(1, len(arrays)))(*map(ctypes.addressof, addresses))
        blocks = (ctypes.c_uint * 3)(*grid, *[1] * (3 - len(grid)))
        message = ctypes.create_string_buffer(512)
        kernel = ctypes.byref(ctypes.c_char.in_dll(self.kernels, f"kernel_{name}"))
        callback = POLL(poll) if poll else None
        status = self.library.cuda_tile_launch(
            kernel,
            arguments,
            blocks,
            ctypes.c_ulonglong(seed),
            callback,
            message,
            ctypes.c_uint(len(message)),
        )
        return status, message.value.decode()

    @property
    def workers(self):
        return self.library.cuda_tile_num_workers()

    @workers.setter
    def workers(self, count):
        self.library.cuda_tile_set_num_workers(ctypes.c_uint(count))


def build(folder: Path, *options: str) -> Path:
    """Compiles the launcher and the kernels into `folder`."""
    compiler = find_compiler()
    common = [
        "-std=c++20",
        "-O1",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-pthread",
        "-I",
        str(ROOT / "include"),
    ]
    together = folder / "together.cpp"
    files = sorted((ROOT / "lib").glob("*.cpp"))
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    for name, sources in [
        ("launcher", [together]),
        ("kernels", [ROOT / "tests/launcher/kernels.cpp"]),
    ]:
        output = ["-o", str(folder / f"{name}.so")]
        result = compiler.run([*compiler.flags, *common, *options, *map(str, sources), *output])
        assert result.returncode == 0, result.stdout
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    # The usual warnings, and a check of jumps between stacks that some systems enable by default.
    options = ("-Wall", "-Wextra", "-Wshadow", "-Werror", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")
    return build(tmp_path_factory.mktemp("launcher"), *options)


@pytest.fixture
def launch(built):
    launcher = Launcher(built)
    launcher.workers = 4  # more than a small machine has cores, so that threads are interrupted anywhere
    yield launcher
    launcher.workers = 0


def run_alone(built, body: str) -> str:
    """Runs `body` in a fresh process, where `launch` is a Launcher; returns what it prints."""
    script = f"""
        import os, sys, numpy as np
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from test_launcher import Launcher
        launch = Launcher(Path({str(built)!r}))
    """
    program = textwrap.dedent(script) + textwrap.dedent(body)
    result = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120, cwd=ROOT
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


# ---- shared memory -------------------------------------------------------------------------------


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


# ---- stacks --------------------------------------------------------------------------------------


def test_kernels_have_big_stacks_and_give_the_memory_back(launch):
    launch.workers = 2
    sums = np.zeros(4, np.uint64)
    before = resident_bytes()
    for _ in range(3):
        assert launch("big_stack", (4,), sums)[0] == SUCCESS
    assert (sums == (256 << 20) // 4096).all()
    deadline = time.monotonic() + 10  # the helper returns its memory shortly after the launch
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
        end = time.monotonic() + 10
        while restricted() and time.monotonic() < end:
            time.sleep(0.01)
        print("restricted:", restricted())
    """
    assert run_alone(built, body) == "restricted: []\n"


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
