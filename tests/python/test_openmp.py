"""Launches on the threads of an OpenMP runtime that the process has loaded: when they take place, and that
nothing else about a launch changes."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain

pytestmark = pytest.mark.fused

REGION = """
extern "C" void in_region(void (*call)(), int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    call();
  }
}
extern "C" void nothing() {}
"""

START = """
import ctypes, os, signal, sys, threading, time
import numpy as np
import pycuda_tile as pct

openmp = ctypes.CDLL(sys.argv[1])
CALL = ctypes.CFUNCTYPE(None)
nothing = CALL(lambda: None)
SOURCE = '''
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void twice(const float* in, float* out, int n) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{n}}, ct::shape<1024>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{n}}, ct::shape<1024>{}};
  auto i = ct::bid().x;
  auto x = from.load_masked(i);
  to.store_masked(x + x, i);
}
__tile_global__ void counted(const float* in, float* out, int* counter, int n) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{n}}, ct::shape<1024>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{n}}, ct::shape<1024>{}};
  auto i = ct::bid().x;
  auto x = from.load_masked(i);
  to.store_masked(x + x, i);
  ct::atomic_add(counter, 1, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
}
'''
x = np.arange(1 << 20, dtype=np.float32)
module = None

def launch(name="twice"):
    global module
    if module is None:
        module = pct.build(SOURCE, target="cpu", optimize="auto")
        assert module["twice"].attributes == module["twice"].attributes | {"path": "fused"}
    out, counter = np.zeros_like(x), np.zeros(1, np.int32)
    given = (x, out) if name == "twice" else (x, out, counter)
    for _ in range(20):
        module[name][1024](*given, x.size)
    assert (out == 2 * x).all()
    assert counter[0] == (0 if name == "twice" else 20 * 1024)

def own_threads():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            names.append(open(f"/proc/self/task/{task}/comm").read().strip())
        except OSError:
            pass
    return names.count("cuda_tile")

def in_child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(120)  # ends a child that waits forever
        work()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.fixture(scope="module")
def openmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not os.path.exists("/proc/self/task"):
        pytest.skip("only Linux has /proc/self/task")
    try:
        toolchain.find_clang()
        compiler = toolchain.find_compiler()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("openmp")
    source, library = folder / "region.cpp", folder / "libregion.so"
    source.write_text(REGION)
    done = compiler.run(["-fopenmp", "-shared", "-fPIC", "-o", str(library), str(source)])
    if done.returncode:
        pytest.skip(f"{compiler} has no OpenMP runtime")
    return library


def run(openmp: Path, body: str, **environment: str) -> None:
    own = ("OMP_", "GOMP_", "KMP_", "PYCUDA_TILE_OPENMP")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    start = START + "pct.set_num_workers(2)\n"
    done = subprocess.run(
        [sys.executable, "-c", start + body, str(openmp)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**inherited, "OMP_NUM_THREADS": "2", **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_blocks_run_on_the_threads_of_the_runtime(openmp: Path):
    run(openmp, "launch(); assert own_threads() == 0")


@pytest.mark.parametrize(
    "body",
    [
        "launch('counted')",  # blocks might wait for each other
        "pct.set_num_workers(3); launch()",
        "openmp.in_region(CALL(launch), 2)",
        "thread = threading.Thread(target=launch); thread.start(); thread.join()",
    ],
    ids=["atomic", "workers", "region", "thread"],
)
def test_what_stays_on_our_threads(openmp: Path, body: str):
    run(openmp, f"{body}\nassert own_threads() > 0")


def test_a_bound_main_thread_does_not_bind_ours(openmp: Path):
    body = """
    launch('counted')
    assert len(os.sched_getaffinity(0)) == 1
    names = {task: open(f"/proc/self/task/{task}/comm").read() for task in os.listdir("/proc/self/task")}
    own = [os.sched_getaffinity(int(task)) for task, name in names.items() if name == "cuda_tile\\n"]
    """
    everywhere = sorted(os.sched_getaffinity(0))
    body = textwrap.dedent(body) + f"assert own and all(sorted(each) == {everywhere} for each in own), own"
    run(openmp, body, OMP_PROC_BIND="true")


@pytest.mark.parametrize("name, value", [("OMP_THREAD_LIMIT", "1"), ("PYCUDA_TILE_OPENMP", "0")])
def test_the_environment_decides(openmp: Path, name: str, value: str):
    run(openmp, "launch(); assert own_threads() > 0", **{name: value})


FORKS = """
def region():
    openmp.in_region(nothing, 2)

def both():
    launch()
    region()

launch()
in_child(both)  # after our launches
both()
in_child(launch)
launch()
assert own_threads() == 0
"""
FORK_BEFORE = """
openmp.in_region(nothing, 2)  # whose threads a child lacks

def first_launch():
    launch()
    assert own_threads() > 0

in_child(first_launch)
launch()
assert own_threads() == 0
"""


@pytest.mark.parametrize("body", [FORKS, FORK_BEFORE], ids=["after", "before"])
def test_forks(openmp: Path, body: str):
    run(openmp, body)


INTERRUPT = """
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
launch()
slow = module["twice"]
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    slow[(1 << 31) - 1](x, x.copy(), 0)
except KeyboardInterrupt:
    assert time.monotonic() - started < 100
else:
    raise AssertionError("not interrupted")
launch()
assert own_threads() == 0
"""


def test_an_interrupt(openmp: Path):
    run(openmp, INTERRUPT)


TORCH = """
import torch

torch.set_num_threads(2)
t = torch.arange(1 << 20, dtype=torch.float32)
launch()  # builds the module
twice = pct.torch_op(
    "test_openmp::twice",
    module["twice"],
    1024,
    outputs={"out": torch.empty_like},
    derived={"n": lambda a: a.numel()},
)

@torch.compile(backend="eager")
def compiled(a):
    return torch.sin(twice(torch.cos(a)))

def work():
    for _ in range(5):
        got = compiled(t)
    assert torch.equal(got, torch.sin(2 * torch.cos(t)))

launch()
work()
assert own_threads() == 0
in_child(work)
work()
"""


@pytest.mark.wide
def test_beside_torch(openmp: Path):
    pytest.importorskip("torch._dynamo")
    run(openmp, TORCH)
