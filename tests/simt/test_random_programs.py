"""Random programs against NumPy, for all ways of sharing a tile. `pytest --wide` tries many more."""

from __future__ import annotations

from functools import partial

import pytest
from nvidia_front_end import tile_ir
from random_draft import HEAD
from random_programs import Program
from run_ptx import PtxModule

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import nvrtc

AT_ONCE = 3  # programs per translation unit

pytestmark = pytest.mark.skipif(not nvrtc.include_dirs(), reason="needs the headers that come with NVRTC")


def on_cpu(source: str, checked: bool = False):
    return pct.build(source, target="cpu", checked=checked, options=("-O1",))


def emulated(source: str, threads: int, *options: str):
    return pct.build(source, target="emulated", num_threads=threads, options=("-O1", *options))


def on_ptx_machine(source: str, arch: str, threads: int):
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    return PtxModule(pct.build(source, target="simt", arch=arch, num_threads=threads))


class Interpreted:
    """Runs the Tile IR that NVIDIA's front end generates from a source in the interpreter."""

    def __init__(self, source: str):
        self.module = tile_ir(source)

    def kernel(self, name: str):
        return {1: lambda *arguments: tileir.interpret(self.module, name, 1, *arguments)}


WAYS = {
    "cpu": on_cpu,
    "checked": partial(on_cpu, checked=True),
    "4 threads": partial(emulated, threads=4),
    "32 threads": lambda source: emulated(source, 32, "-DCUDA_TILE_MATRIX_ARCH=75"),
    "256 threads": partial(emulated, threads=256),
    "warp groups": lambda source: emulated(source, 128, "-DCUDA_TILE_WARP_GROUPS=1"),
    "sm_75": partial(on_ptx_machine, arch="sm_75", threads=64),
    "sm_80": partial(on_ptx_machine, arch="sm_80", threads=128),
    "sm_90a": partial(on_ptx_machine, arch="sm_90a", threads=256),
    "NVIDIA's front end": Interpreted,
}


ROUNDS = [0, *(pytest.param(i, marks=pytest.mark.wide) for i in range(1, 8))]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("round", ROUNDS)
def test_random_programs(round: int, way: str):
    first = (round * len(WAYS) + list(WAYS).index(way)) * AT_ONCE
    programs = [Program(seed) for seed in range(first, first + AT_ONCE)]
    module = WAYS[way](HEAD + "".join(map(str, programs)))
    for program in programs:
        program.launch(module.kernel(f"program_{program.seed}"))
