"""Strips of which a part exists, at the ends of mapped memory: nothing else is read or written."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest
from pass_results import guarded

import pycuda_tile as pct

STRIP = 32
SOURCE = f"""
#include "cuda_tile/loops/loops.h"
namespace loops = cuda_tile::loops;

template <typename E>
__tile_global__ void load(const E* from, E* out, long long at, long long first, long long last, E pad) {{
  auto x = loops::load<{STRIP}, E>(from + at, loops::between(first, last), pad);
  loops::store<E, {STRIP}>(out, x, {STRIP});
}}
template <typename E>
__tile_global__ void store(const E* from, E* out, long long at, long long first, long long last) {{
  auto x = loops::load<{STRIP}, E>(from, {STRIP}, E{{}});
  loops::store<E, {STRIP}>(out + at, x, loops::between(first, last));
}}
template <typename E>
__tile_global__ void load_second(const E* from, E* out, long long at, long long count, E pad) {{
  loops::store<E, {STRIP}>(out, loops::load<{STRIP}, E>(from + at, 2, count, pad), {STRIP});
}}

template <typename E>
__tile_global__ void load_where(const E* from, E* out, long long at, const bool* mask, E pad) {{
  auto exist = loops::load<{STRIP}, bool>(mask, {STRIP}, false);
  loops::store<E, {STRIP}>(out, loops::load<{STRIP}, E>(from + at, exist, pad), {STRIP});
}}
template <typename E>
__tile_global__ void store_where(const E* from, E* out, long long at, const bool* mask) {{
  auto exist = loops::load<{STRIP}, bool>(mask, {STRIP}, false);
  loops::store<E, {STRIP}>(out + at, loops::load<{STRIP}, E>(from, {STRIP}, E{{}}), exist);
}}
"""
TYPES = {
    "signed char": np.int8,
    "unsigned short": np.uint16,
    "int": np.int32,
    "float": np.float32,
    "long long": np.int64,
    "double": np.float64,
}
#: A feature of processors for which the code is.
ARCHS = {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl", "native": ""}


@pytest.fixture(scope="module")
def page():
    """A page of memory between two that must not be touched."""
    return guarded(mmap.PAGESIZE)


@pytest.fixture(params=ARCHS, scope="module")
def module(request: pytest.FixtureRequest):
    feature, cpuinfo = ARCHS[request.param], Path("/proc/cpuinfo")
    if feature and (not cpuinfo.exists() or f" {feature} " not in cpuinfo.read_text()):
        pytest.skip(f"this processor is no {request.param}")
    ways = ("load", "store", "load_second", "load_where", "store_where")
    names = [f"{way}<{name}>" for way in ways for name in TYPES]
    return pct.build(SOURCE, target="cpu", arch=request.param, optimize=False, kernels=names)


@pytest.mark.parametrize("name", TYPES)
def test_parts_of_strips(module: pct.Module, name: str, page: np.ndarray):
    memory, numbers = page.view(TYPES[name]), np.arange(-STRIP, 0).astype(TYPES[name])
    values = (np.arange(len(memory)) % 101 + 3).astype(memory.dtype)
    counts = [(0, last) for last in range(-1, STRIP + 2)]
    for first, last in [*counts, (-3, 9), (3, 9), (1, STRIP), (15, 17), (16, 40), (31, 32), (9, 5), (32, 32)]:
        begin, end = max(first, 0), min(last, STRIP)
        end = max(begin, end)
        for at in (-begin, len(memory) - end) if begin < end else (len(memory),):
            memory[:], out = values, np.empty(STRIP, memory.dtype)
            module[f"load<{name}>"][1](memory, out, at, first, last, memory.dtype.type(7))
            wanted = np.full(STRIP, 7, memory.dtype)
            wanted[begin:end] = values[at + begin : at + end]
            assert out.tobytes() == wanted.tobytes(), (first, last, at)
            module[f"store<{name}>"][1](numbers, memory, at, first, last)
            after = values.copy()
            after[at + begin : at + end] = numbers[begin:end]
            assert memory.tobytes() == after.tobytes(), (first, last, at)


@pytest.mark.parametrize("name", TYPES)
def test_every_second(module: pct.Module, name: str, page: np.ndarray):
    memory = page.view(TYPES[name])
    memory[:] = np.arange(len(memory)) % 101 + 3
    for count in (0, 1, STRIP - 1, STRIP):
        for at in (0, len(memory) - max(2 * count - 1, 0)):
            out, wanted = np.empty(STRIP, memory.dtype), np.full(STRIP, 7, memory.dtype)
            module[f"load_second<{name}>"][1](memory, out, at, count, memory.dtype.type(7))
            wanted[:count] = memory[at::2][:count]
            assert out.tobytes() == wanted.tobytes(), (count, at)


@pytest.mark.parametrize("name", TYPES)
def test_masked_strips(module: pct.Module, name: str, page: np.ndarray):
    """Their first element that exists is the first of the page, or their last one the last."""
    memory, numbers = page.view(TYPES[name]), np.arange(-STRIP, 0).astype(TYPES[name])
    values = (np.arange(len(memory)) % 101 + 3).astype(memory.dtype)
    rng = np.random.default_rng(5)
    masks = [np.zeros(STRIP, bool), np.ones(STRIP, bool), *rng.integers(0, 2, (8, STRIP)).astype(bool)]
    masks += [np.arange(STRIP) == each for each in (0, 7, STRIP - 1)]
    for mask in masks:
        (exist,) = np.nonzero(mask)
        first, last = (exist[0], exist[-1]) if len(exist) else (0, -1)
        for at in (-int(first), len(memory) - 1 - int(last)):
            memory[:], out = values, np.empty(STRIP, memory.dtype)
            module[f"load_where<{name}>"][1](memory, out, at, mask, memory.dtype.type(7))
            wanted = np.full(STRIP, 7, memory.dtype)
            wanted[exist] = values[at + exist]
            assert out.tobytes() == wanted.tobytes(), (mask, at)
            module[f"store_where<{name}>"][1](numbers, memory, at, mask)
            after = values.copy()
            after[at + exist] = numbers[exist]
            assert memory.tobytes() == after.tobytes(), (mask, at)
