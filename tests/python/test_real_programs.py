"""The package in programs with threads and processes of their own, and with threads of other libraries."""

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

FILL = '#include "cuda_tile.h"\n__tile_global__ void fill(int* out) {{ out[cuda::tiles::bid().x] = {}; }}\n'
ADD = Path(__file__).resolve().parents[2] / "examples" / "vector_add.cu"


def filled(value: int, **arguments) -> bool:
    out = np.zeros(64, np.int32)
    pct.build(FILL.format(value), target="cpu", **arguments).kernel("fill")[64](out)
    return bool((out == value).all())


def test_builds_from_many_threads(cache_folder: Path, monkeypatch):
    """Four threads build one source, four another: two compilations, and each thread gets its kernel."""
    from pycuda_tile.compilers.toolchain import Compiler

    compiled = []
    run = Compiler.run
    monkeypatch.setattr(Compiler, "run", lambda self, words: compiled.append(words[-1]) or run(self, words))
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(filled, [1, 2] * 4))
    assert len([unit for unit in compiled if unit.endswith("kernels.cpp")]) == 2


def test_one_module_from_many_threads():
    """A template is instantiated once, whoever asks first."""
    source = '#include "cuda_tile.h"\ntemplate <int N> __tile_global__ void k(int* out) { out[0] = N; }\n'
    module = pct.build(source, target="cpu")

    def value(number: int) -> int:
        out = np.zeros(1, np.int32)
        module.kernel(f"k<{number % 2}>")[1](out)
        return int(out[0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(value, range(8))) == [0, 1] * 4
    assert module.kernel("k<1>") is module["k< 1 >"]


def load_batch(number: int) -> int:
    """Acts like a worker of a data loader: builds (from the cache), launches, and returns an array's sum."""
    kernel = pct.build(ADD, target="cpu").kernel("vector_add")
    a, out = np.full(3000, number, np.float32), np.zeros(3000, np.float32)
    kernel[3](a, a, out, 3000)
    return int(out.sum())


@pytest.mark.filterwarnings("ignore:.*multi-?threaded")
def test_workers_of_a_data_loader(vector_add):
    """They are forked while threads of this process launch, like data loaders."""
    stop = threading.Event()
    a, out = np.ones(20000, np.float32), np.zeros(20000, np.float32)

    def keep_launching() -> None:
        while not stop.is_set():
            vector_add[20](a, a, out, 20000)

    thread = threading.Thread(target=keep_launching)
    thread.start()
    try:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(load_batch, range(6), chunksize=1) == [6000 * number for number in range(6)]
    finally:
        stop.set()
        thread.join()
    assert (out == 2).all()


def test_beside_the_threads_of_a_blas(vector_add):
    """Launches and matrix products, alternating and at once; neither changes the other's results."""
    a = np.arange(200 * 200, dtype=np.float64).reshape(200, 200) % 7
    expected = a @ a

    def work(_: int) -> bool:
        out = np.zeros(4000, np.float32)
        ones = np.ones(4000, np.float32)
        right = True
        for _ in range(10):
            vector_add[4](ones, ones, out, 4000)
            right &= bool((a @ a == expected).all() and (out == 2).all())
        return right

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_workers_keep_to_the_cores_of_the_process():
    """A program that is bound to one core, as by taskset or a job scheduler, gets one worker."""
    from pycuda_tile.launching import launcher

    def count(results) -> None:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        pct.set_num_workers(None)
        results.put(launcher.num_workers())

    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=count, args=(results,))
    child.start()
    assert results.get() == 1
    child.join()
