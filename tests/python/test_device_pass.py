"""What a source sees of the architecture: __CUDA_ARCH__ and <nv/target>, on each target."""

from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc

BRANCHES = """
#include <nv/target>
#include "cuda_tile.h"
#if __CUDA_ARCH__ >= 800
__tile_global__ void branches(int* p) {
  p[0] = __CUDA_ARCH__;
  NV_IF_TARGET(NV_PROVIDES_SM_80, (p[1] = 1;), (p[1] = 2;))
  NV_IF_TARGET(NV_IS_HOST, (p[2] = 1;))
  NV_IF_ELSE_TARGET(NV_IS_HOST, (p[3] = 1;), (int x = 2; p[3] = x;))
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, (p[4] = 1;), NV_IS_EXACTLY_SM_90, (p[4] = 2, p[5] = 3;),
                     NV_ANY_TARGET, (p[4] = 4;))
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (p[6] = 1;))
  NV_IF_TARGET(NV_NO_TARGET, (p[6] = 1;), (NV_IF_TARGET(NV_IS_DEVICE, (p[6] = 5;))))
  NV_DISPATCH_TARGET(NV_PROVIDES_SM_121, (p[7] = 1;))
}
#endif
"""
BY_ARCH = {
    "900": [900, 1, 0, 2, 2, 3, 5, 0],
    "800": [800, 1, 0, 2, 4, 0, 5, 0],
    "1210": [1210, 1, 0, 2, 1, 0, 5, 1],
}
SMALL_FLOATS = ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "cuda_tf32.h")
QUICK = ("-O1",)


def run(module: pct.Module, name: str) -> list[int]:
    p = np.zeros(8, np.int32)
    module.kernel(name)[1](p)
    return p.tolist()


@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_a_host_target_has_an_architecture(target):
    """A body under #if __CUDA_ARCH__ used to be dropped silently."""
    module = pct.build(BRANCHES, target=target, options=QUICK)
    assert [kernel.name for kernel in module.kernels] == ["branches"]
    assert run(module, "branches") == BY_ARCH["900"]


@pytest.mark.parametrize("arch", ["800", "1210"])
def test_defines_change_it(arch):
    module = pct.build(BRANCHES, target="cpu", defines={"__CUDA_ARCH__": arch}, options=QUICK)
    assert run(module, "branches") == BY_ARCH[arch]


@pytest.mark.parametrize("value", ["abc", 0, 905, ""])
def test_defines_are_an_architecture(value):
    with pytest.raises(ValueError, match="expected 10 times a compute capability, such as 900"):
        pct.build(BRANCHES, target="cpu", defines={"__CUDA_ARCH__": value})


@pytest.mark.parametrize("target", ["simt", "tile"])
def test_gpu_targets_have_that_of_arch(target):
    try:
        module = pct.build(BRANCHES, target=target, arch="sm_90")
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert [kernel.name for kernel in module.kernels] == ["branches"]
    with pytest.raises(ValueError, match=r"__CUDA_ARCH__ is set by the argument arch .*arch='sm_80'"):
        pct.build(BRANCHES, target=target, defines={"__CUDA_ARCH__": 800})


def test_without_nvidias_headers(monkeypatch):
    monkeypatch.setattr(nvrtc, "include_dirs", lambda: [])
    source = BRANCHES.replace("#include <nv", "#include <cuda_fp16.h>\n#include <nv")
    assert run(pct.build(source, target="cpu", options=QUICK), "branches") == BY_ARCH["900"]
    try:
        module = pct.build(BRANCHES, target="simt", arch="sm_90")
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert "branches" in module


AFTER = """
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (p[0] = __CUDA_ARCH__;), (p[0] = -1;))
  p[1] = static_cast<int>(__half2float(__float2half(3.0f)));
  p[2] = static_cast<int>(static_cast<float>(__nv_fp8_e4m3(448.0f)));
}
"""


@pytest.mark.parametrize("order", ["before", "after"])
def test_small_floats_in_host_form(order):
    """A host compiler must not see the device code in NVIDIA's headers, but the source must keep its own."""
    if not nvrtc.host_include_dirs():
        pytest.skip("NVIDIA's headers are not installed: python3 run.py test installs what it needs")
    small_floats = [header for header in SMALL_FLOATS if exists(header)]
    headers = ["nv/target", *small_floats] if order == "after" else [*small_floats, "nv/target"]
    includes = "".join(f"#include <{header}>\n" for header in [*headers, "cuda_tile.h"])
    source = f"{includes}__tile_global__ void k(int* p) {{ {AFTER}"
    assert run(pct.build(source, target="cpu", options=QUICK), "k")[:3] == [900, 3, 448]


def exists(header: str) -> bool:
    return any((Path(folder) / header).is_file() for folder in nvrtc.host_include_dirs())


HEADER_THAT_LOOKS = """
#pragma once
#include <nv/target>
#if defined(__CUDA_ARCH__)
#error "read for a device"
#endif
inline int in_{name}() { NV_IF_ELSE_TARGET(NV_IS_HOST, (return 1;), (return 0;)) }
"""


def test_every_header_of_nvidias_is_read_in_host_form(tmp_path: Path):
    """Headers that reveal how they are read, included by the source, the user's headers and each other."""
    nvidias, users = tmp_path / "nvidia", tmp_path / "users"
    names = [*SMALL_FLOATS, "cuda/std/array", "mma.h"]
    for name in names:
        header = nvidias / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(HEADER_THAT_LOOKS.replace("{name}", Path(name).stem))
    with open(nvidias / "cuda_fp8.h", "a") as stream:
        stream.write("#include <cuda_fp16.h>\n")
    users.mkdir()
    (users / "mine.h").write_text(
        "#include <cuda_fp8.h>\n#include <cuda/std/array>\n"
        "inline int in_mine() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return __CUDA_ARCH__;), (return 0;)) }\n"
    )
    (users / "mma.h").write_text("inline int in_users_mma() { return __CUDA_ARCH__; }\n")
    includes = "".join(f"#include <{name}>\n" for name in names)
    calls = " + ".join(f"in_{Path(name).stem}()" for name in names if name != "mma.h")
    source = (
        f'#include "mine.h"\n{includes}#include "cuda_tile.h"\n'
        f"__tile_global__ void k(int* p) {{ p[0] = {calls}; p[1] = in_mine(); p[2] = in_users_mma(); }}"
    )
    module = pct.build(source, target="cpu", include_dirs=[users, nvidias], options=QUICK)
    assert run(module, "k")[:3] == [len(names) - 1, 900, 900]


LIBCUXX = """
#include <nv/target>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include "cuda_tile.h"
__tile_global__ void k(int* p) {
  cuda::std::array<cuda::std::int32_t, 2> x{3, 4};
  static_assert(cuda::std::is_same_v<decltype(x[0] + 1), int>);
  p[0] = x[0] + static_cast<int>(cuda::std::sqrt(16.0f));
  p[1] = cuda::std::numeric_limits<signed char>::max();
  NV_IF_TARGET(NV_IS_DEVICE, (p[2] = __CUDA_ARCH__;))
}
"""


def test_headers_of_libcuxx():
    if not exists("cuda/std/array"):
        pytest.skip("libcu++ is not installed: python3 run.py test installs what it needs")
    assert run(pct.build(LIBCUXX, target="cpu", options=QUICK), "k")[:3] == [7, 127, 900]
