"""The header's promises on every target: keywords, hints, no standard headers, and use beside NVIDIA's."""

from __future__ import annotations

import importlib.util
import subprocess

import numpy as np
import pytest
import targets

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain
from pycuda_tile.errors import TargetUnavailable
from pycuda_tile.system import resources

HINTS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

template <int Factor>
__tile__ auto scaled(ct::tile<int, ct::shape<32>> x) { return x * Factor; }

[[ using cutile : hint(0, num_cta_in_cga=2), hint(900, occupancy=4, num_worker_warps_per_cta=8) ]]
__tile_global__ void hinted(const int* in, int* out) {
  auto lane = ct::iota<ct::tile<int, ct::shape<32>>>();
  ct::tile<int, ct::shape<32>> x;
  [[ cutile::hint(0, latency=4, latency=5) ]]
  x = ct::load(in + lane);
  auto doubled = [&] { return scaled<2>(x); };
  [[ cutile::hint(0, allow_tma=false) ]]
  ct::store(out + lane, doubled());
}
"""


def test_keywords_and_hints_work_as_written(target):
    values, out = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    targets.build(HINTS, target)["hinted"][1](values, out)
    np.testing.assert_array_equal(out, 2 * values)


def test_header_includes_nothing_but_its_own_files(tmp_path):
    (tmp_path / "unit.cpp").write_text('#include "cuda_tile.h"\n')
    include = str(resources.include_dir())
    command = [
        *toolchain.find_compiler().command,
        "-std=c++20",
        "-M",
        "-I",
        include,
        str(tmp_path / "unit.cpp"),
    ]
    rule = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    included = rule.replace("\\\n", " ").split()[2:]
    assert len(included) > 20
    strangers = [name for name in included if not name.startswith(include)]
    # /usr/include/stdc-predef.h is g++'s own and always there.
    assert [name for name in strangers if "stdc-predef" not in name] == []


def test_header_steps_aside_for_nvidias_in_tile_mode():
    try:
        module = pct.build(HINTS, target="tile", include_dirs=[resources.include_dir()])
    except TargetUnavailable as error:
        pytest.skip(str(error))
    assert module.kernel("hinted").tileir


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_compiles_for_gpus_without_one(arch):
    if importlib.util.find_spec("cuda") is None:
        pytest.skip('needs NVRTC: pip install -e ".[gpu]"')
    kernel = pct.build(HINTS, target="simt", arch=arch).kernel("hinted")
    assert kernel.binary.startswith(b"\x7fELF")
    assert f".target {arch}" in kernel.ptx and ".visible .entry" in kernel.ptx
