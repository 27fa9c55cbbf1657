"""Kernels under AddressSanitizer and UndefinedBehaviorSanitizer, in processes with their runtime."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain
from pycuda_tile.debug import tools

ROOT = Path(__file__).parents[2]
SCRIPT = '''
import sys
import numpy as np
import pycuda_tile as pct

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using ints = ct::tile<int, ct::shape<64>>;
__tile_global__ void right(const int* in, int* out) {
  auto i = ct::iota<ints>();
  ct::store(out + i, ct::load(in + i) * 1000000000);
}
__tile_global__ void overflow(int* out, int n) {
  int twice = n * 2;
  ct::store(out, twice);
}
__tile_global__ void outside(int* out, int n) {
  out[n] = 3;
}
"""
module = pct.build(SOURCE, target="cpu", options=sys.argv[2:])
a = np.arange(64, dtype=np.int32)
out = np.zeros(64, np.int32)
arguments = {"right": (a, out), "overflow": (a, 2**31 - 1), "outside": (a, 64)}
module[sys.argv[1]][3](*arguments[sys.argv[1]])
print("the end")
'''


@pytest.fixture(scope="module")
def script(tmp_path_factory) -> Path:
    try:
        tools.asan_runtime()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    path = tmp_path_factory.mktemp("sanitizers") / "script.py"
    path.write_text(SCRIPT)
    return path


def run(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "pycuda_tile", "run", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_what_is_right_runs_clean(script):
    """Tiles wrap around where the manual leaves overflow undefined, so UBSan reports nothing."""
    done = run(script, "right", "--sanitize")
    assert done.returncode == 0 and "the end" in done.stdout, done.stderr
    assert "runtime error" not in done.stderr and "ERROR" not in done.stderr


def test_overflow_of_scalars_of_the_kernels_own(script):
    done = run(script, "overflow", "--sanitize")
    assert "source.cu:10:17: runtime error: signed integer overflow: 2147483647 * 2" in done.stderr


def test_with_clang(script, monkeypatch):
    """Its runtime is a different library, which its kernels must be told to use."""
    clang = next((path for path in map(shutil.which, ("clang++-19", "clang++")) if path), None)
    if clang is None:
        pytest.skip("clang++ is not installed")
    monkeypatch.setenv("PYCUDA_TILE_CXX", clang)
    if int(toolchain.find_compiler().version.split(".")[0]) < 19:
        pytest.skip("clang++ is older than 19")
    try:
        tools.asan_runtime()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert "runtime error: signed integer overflow" in run(script, "overflow", "--sanitize").stderr
    assert "source.cu:14" in run(script, "outside", "--sanitize").stderr
    done = run(script, "overflow", "-fsanitize=undefined", "-g")
    assert done.returncode == 0 and "signed integer overflow" in done.stderr


def test_write_behind_an_array(script):
    done = run(script, "outside", "--sanitize")
    assert done.returncode != 0 and "the end" not in done.stdout
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr
    assert "WRITE of size 4" in done.stderr and "source.cu:14" in done.stderr


@pytest.mark.parametrize("example", ["softmax", "matmul", "histogram"])
@pytest.mark.wide
def test_examples_run_clean(script, example):
    done = run(example, "--sanitize")
    assert done.returncode == 0 and "agrees with NumPy" in done.stdout, done.stderr
    assert "runtime error" not in done.stderr and "ERROR" not in done.stderr


def test_without_the_runtime_a_build_is_refused(script):
    """Loading such a kernel would end the process."""
    done = run(script, "right", "-fsanitize=address")
    assert "pycuda-tile run --sanitize" in done.stderr and done.returncode == 1
    for sanitizer in ("thread", "memory"):
        done = run(script, "right", f"-fsanitize=undefined,{sanitizer}")
        assert "checked=True" in done.stderr and done.returncode == 1


def test_undefined_behaviour_alone_needs_no_runtime_before(script):
    done = run(script, "overflow", "-fsanitize=undefined", "-g")
    assert done.returncode == 0 and "signed integer overflow" in done.stderr
