"""The ways in which published sources include cuda_tile.h, or omit it."""

from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc

KERNEL = """
__tile_global__ void count(int* x) {
  namespace ct = cuda::tiles;
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();
  ct::store(x + i, i);
}
"""
NO_API = """
#if defined(SMALL)
#include <cuda_fp16.h>
#endif
__host__ __device__ inline int same(int i) { return i; }
__tile__ int next(int i) { return i + 1; }
__tile_global__ void count(int* x) {
  for (int i = 0; i < 8; i = next(i)) x[i] = CALL(i);
  if (x[7] != CALL(7)) printf("%d", x[7]);
}
"""


def check(module: pct.Module) -> None:
    assert [kernel.name for kernel in module.kernels] == ["count"]
    kernel = module.kernel("count")
    if module.target in ("cpu", "emulated"):
        x = np.zeros(8, np.int32)
        kernel[1](x)
        assert x.tolist() == list(range(8))


def test_by_its_path_in_nvidias_folder(any_target):
    check(any_target.build(f"#include <crt/cuda_tile.h>\n{KERNEL}"))


@pytest.mark.parametrize("how", ["include_dirs", "options"])
def test_nvidias_folder_is_named(any_target, how: str):
    """Ours is found before NVIDIA's of the same name."""
    folders = [Path(folder) for folder in nvrtc.include_dirs()]
    if not folders:
        pytest.skip("NVIDIA's headers are not installed: python3 run.py test installs what it needs")
    named = {"include_dirs": folders} if how == "include_dirs" else {"options": [f"-I{f}" for f in folders]}
    check(any_target.build(f"#include <cuda_tile.h>\n{KERNEL}", **named))


@pytest.mark.parametrize("small", [False, True])
def test_the_keywords_need_no_header(any_target, small: bool):
    on_tile = any_target.name == "tile"  # where functions may only call tile functions
    defines = {"CALL(i)": "i" if on_tile else "same(i)", **({"SMALL": 1} if small else {})}
    check(any_target.build(NO_API, defines=defines))


@pytest.mark.parametrize("target", ["cpu", "simt"])
def test_a_checked_build_without_the_header(make_target, target: str):
    check(make_target(target).build(NO_API, defines={"CALL(i)": "same(i)"}, checked=True))
