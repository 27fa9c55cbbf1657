"""How the accesses in NVRTC's code use global memory's 32-byte sectors and shared memory's banks, instruction
by instruction, at even sizes where no access crosses a boundary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from kernel_problems import problem, source_of
from ptx_machine.memory import Global
from ptx_machine.shared import Shared
from run_ptx import PtxKernel

import pycuda_tile as pct

pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")

SECTOR, BANKS, WORD = 32, 32, 4


class Traffic:
    """The sectors of global memory and the passes over shared memory's banks that a launch needs, and the
    fewest possible for its bytes."""

    def __init__(self):
        self.taken: Counter[str] = Counter()
        self.needed: Counter[str] = Counter()

    def __call__(self, instruction, space, warps, addresses, size: int) -> None:
        count = {Global: self._count_sectors, Shared: self._count_passes}.get(type(space))
        if count:
            what = f"{type(space).__name__.lower()} {instruction.name[:2]}"
            for warp in np.unique(warps):
                count(what, addresses[warps == warp].astype(np.int64), size)

    def _count_sectors(self, what: str, addresses: np.ndarray, size: int) -> None:
        self.taken[what] += len(np.unique(addresses // SECTOR))  # aligned accesses never cross sectors
        self.needed[what] += -(-len(np.unique(addresses)) * size // SECTOR)

    def _count_passes(self, what: str, addresses: np.ndarray, size: int) -> None:
        """Groups of 128 bytes: 32 lanes, or 16 with 8 bytes each, or 8 with 16 each."""
        lanes = BANKS * WORD // max(size, WORD)
        for first in range(0, len(addresses), lanes):
            part = addresses[first : first + lanes, None] // WORD + np.arange(-(-size // WORD))
            self.taken[what] += np.bincount(np.unique(part) % BANKS).max()
            self.needed[what] += 1

    def ratio(self, what: str) -> float:
        return self.taken[what] / self.needed[what]


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy that starts at a multiple of 256 bytes, like memory of a GPU."""
    memory = np.empty(array.nbytes + 256, np.uint8)
    first = -memory.ctypes.data % 256
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def traffic(name: str) -> Traffic:
    kernel = pct.build(source_of(name), target="simt", arch="sm_80", kernels=(name,)).kernel(name)
    seen, work = Traffic(), problem(name, odd=False)
    arguments = [aligned(x) if isinstance(x, np.ndarray) else x for x in work.arguments]
    PtxKernel(kernel, notice=seen)[work.grid](*arguments)
    (out,) = (new for new, given in zip(arguments, work.arguments, strict=True) if given is work.out)
    work._replace(out=out).check()
    return seen


@pytest.mark.parametrize(
    "name",
    [
        "copy<1024>",
        "vector_add<1024>",
        "bias_gelu<1024>",
        "ten_steps<1024>",
        "softmax<1024>",
        "layer_norm<1024>",
        "partial_sum<1024>",
        "sum<4096, 1>",
    ],
)
def test_streaming_kernels_move_whole_sectors(name):
    seen = traffic(name)
    for what in seen.needed:
        assert seen.ratio(what) == 1, what


def test_a_transposition_meets_no_bank_twice():
    seen = traffic("transpose<64>")
    assert seen.ratio("shared st") == seen.ratio("shared ld") == 1


@pytest.mark.parametrize(
    "name",
    [
        "transpose<64>",
        "gather<64, 64>",
        "matmul<float, float, float, 64, 64, 16>",
        "matmul<double, double, double, 64, 64, 16>",
    ],
)
def test_matrices_are_stored_by_whole_sectors(name):
    assert traffic(name).ratio("global st") == 1
