"""What a launch does to its process: threads, forks, Ctrl-C."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from interrupts import interrupted_when

import pycuda_tile as pct

VECTOR_ADD = Path(__file__).resolve().parents[2] / "examples" / "vector_add.cu"
HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
SPIN = (
    HEAD
    + """
__tile_global__ void spin(volatile int* started, int rounds) {
  started[0] = 1;
  for (volatile int i = 0; i < rounds; i = i + 1) {}
}
__tile_global__ void wait(volatile int* x, int rounds) {
  x[0] = 1;
  for (volatile int i = 0; i < rounds && !x[1]; i = i + 1) {}
  x[2] = x[1];
}
"""
)
F = np.float32


def test_launches_from_many_threads(vector_add):
    failed = []

    def work(number: int) -> None:
        a = np.full(1000, number, F)
        for _ in range(50):
            out = np.zeros(1000, F)
            vector_add[1](a, a, out, 1000)
            if not (out[:1000] == 2 * number).all():
                failed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_launch_lets_other_threads_run(make_target):
    kernel = make_target("cpu").build(SPIN).kernel("wait")
    x = np.zeros(3, np.int32)
    launch = threading.Thread(target=lambda: kernel[1](x, 2_000_000_000))
    launch.start()
    while not x[0]:
        time.sleep(0.001)
    x[1] = 1  # this thread gets the interpreter while the kernel is running
    launch.join()
    assert x[2] == 1


def _in_child(results) -> None:
    kernel = pct.build(VECTOR_ADD, target="cpu").kernel("vector_add")
    out = np.zeros(5000, F)
    kernel[5](np.ones(5000, F), np.ones(5000, F), out, 5000)
    results.put(bool((out == 2).all()))


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")
def test_launches_after_fork(vector_add):
    vector_add[8](np.ones(8000, F), np.ones(8000, F), np.zeros(8000, F), 8000)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    children = [context.Process(target=_in_child, args=(results,)) for _ in range(2)]
    for child in children:
        child.start()
    assert [results.get() for _ in children] == [True, True]
    for child in children:
        child.join(timeout=120)
        assert child.exitcode == 0


INTERRUPTED = """
import sys, threading, time, os, signal
import numpy as np
import pycuda_tile as pct
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
kernel = pct.build(sys.argv[1], target=sys.argv[2]).kernel("spin")
started = np.zeros(1, np.int32)
def interrupt():
    while not started[0]: time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
begin = time.monotonic()
try:
    kernel[1000000](started, 3000000)
except KeyboardInterrupt:
    assert time.monotonic() - begin < 100
    kernel[2](started, 10)
    print("usable")
"""


@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_ctrl_c_ends_a_launch(target: str):
    root = Path(pct.__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, SPIN, target],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "usable", done.stderr


def test_ctrl_c_with_a_handler_of_the_programs_own(make_target):
    kernel = make_target("cpu").build(SPIN).kernel("spin")
    started = np.zeros(1, np.int32)
    calls = []
    with (
        interrupted_when(lambda: started[0] != 0, lambda *_: calls.append(1)),
        pytest.raises(KeyboardInterrupt),
    ):
        kernel[1000000](started, 3000000)
    assert calls == [1]


THROW = (
    "#include <stdexcept>\n"
    + HEAD
    + """
__tile__ int sum_to_seven() {
  return static_cast<int>(ct::sum(ct::iota<ct::tile<int, ct::shape<8>>>(), ct::integral_constant<0>{}));
}
__tile_global__ void raise(int* out, int block, int thread) {
  int number = ct::bid().x;
  try {
    throw sum_to_seven();
  } catch (int caught) {
    out[number] = caught;
  }
  if (number == block && (thread < 0 || static_cast<int>(ct::platform::thread()) == thread))
    throw std::runtime_error("as it was told");
  out[number] += sum_to_seven();
}
"""
)


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(
    ("target", "thread"), [("cpu", -1), ("cpu", 0), ("emulated", -1), ("emulated", 0), ("emulated", 2)]
)
def test_what_a_kernel_throws_ends_its_launch(make_target, target: str, thread: int, checked: bool):
    """Thrown by all threads of a block, or by one while the others wait for it."""
    kernel = make_target(target).build(THROW, checked=checked).kernel("raise")
    out = np.zeros(40, np.int32)
    for grid in (1, 40):
        for _ in range(5):
            with pytest.raises(pct.LaunchError, match=rf"block \({grid - 1}, 0, 0\): .*: as it was told$"):
                kernel[grid](out, grid - 1, thread)
        kernel[grid](out, grid, thread)
