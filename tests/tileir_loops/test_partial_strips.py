"""Strips of which a part exists, at the ends of mapped memory: nothing else is read or written."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct

STRIP = 32
SOURCE = f"""
#include "cuda_tile/loops/loops.h"
namespace loops = cuda_tile::loops;

template <typename E>
__tile_global__ void load(const E* from, E* out, long long at, long long count, E pad) {{
  loops::store<E, {STRIP}>(out, loops::load<{STRIP}, E>(from + at, count, pad), {STRIP});
}}
template <typename E>
__tile_global__ void store(const E* from, E* out, long long at, long long count) {{
  loops::store<E, {STRIP}>(out + at, loops::load<{STRIP}, E>(from, {STRIP}, E{{}}), count);
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
    size, libc = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True)
    area = mmap.mmap(-1, 3 * size)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for at, rights in ((0, 0), (2, 0)):
        assert libc.mprotect(ctypes.c_void_p(begin + at * size), size, rights) == 0
    return np.frombuffer(area, np.uint8, size, size)


@pytest.mark.parametrize("arch", ARCHS)
def test_parts_of_strips(arch: str, page: np.ndarray):
    cpuinfo = Path("/proc/cpuinfo")
    if ARCHS[arch] and (not cpuinfo.exists() or f" {ARCHS[arch]} " not in cpuinfo.read_text()):
        pytest.skip(f"this processor is no {arch}")
    names = [f"{way}<{name}>" for way in ("load", "store") for name in TYPES]
    module = pct.build(SOURCE, target="cpu", arch=arch, optimize=False, kernels=names)
    for name, dtype in TYPES.items():
        memory = page.view(dtype)
        values = (np.arange(len(memory)) % 101 + 3).astype(dtype)
        numbers = np.arange(-STRIP, 0).astype(dtype)
        for count in range(-1, STRIP + 2):
            exist = min(max(count, 0), STRIP)
            for at in {0, len(memory) - exist} if exist else {len(memory)}:
                memory[:], out = values, np.empty(STRIP, dtype)
                module[f"load<{name}>"][1](memory, out, at, count, dtype(7))
                wanted = np.concatenate([values[at : at + exist], np.full(STRIP - exist, 7, dtype)])
                assert out.tobytes() == wanted.tobytes(), (name, count, at)
                module[f"store<{name}>"][1](numbers, memory, at, count)
                values_after = values.copy()
                values_after[at : at + exist] = numbers[:exist]
                assert memory.tobytes() == values_after.tobytes(), (name, count, at)
