"""Products on AMX: the model of its instructions against NumPy, and the instructions in compiled kernels.

If the machine has AMX, its instructions run as well and must give the same results as the model.
"""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from cases import Case, assert_same_bits, report, source

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.system import resources

# rows, inner, columns: the first six consist of whole tiles
SIZES = [(16, 32, 16), (16, 64, 32), (32, 128, 16), (64, 64, 64), (128, 256, 32), (16, 1024, 128)]
NARROW = [(8, 64, 64), (64, 64, 8), (64, 8, 64), (1, 128, 1), (256, 2, 16)]
AMX_FLAGS = ["-mamx-tile", "-mamx-bf16", "-mamx-int8"]
IS_X86 = platform.machine() in ("x86_64", "AMD64")
WITHOUT_AMX = [flag.replace("-m", "-mno-") for flag in AMX_FLAGS] if IS_X86 else []
BFLOAT16 = ml_dtypes.bfloat16


@functools.cache
def machine_has_amx() -> bool:
    """Whether kernels use the instructions here: the processor has them, and the system permits them."""
    cpuinfo = Path("/proc/cpuinfo")
    if not IS_X86 or not cpuinfo.exists() or "amx_bf16" not in cpuinfo.read_text():
        return False
    permitted = np.zeros(1, bool)
    pct.build(PERMITTED, target="cpu").kernel("is_permitted")[1](permitted)
    return bool(permitted[0])


PERMITTED = """
#include "cuda_tile.h"
__tile_global__ void is_permitted(bool* out) {
#if CUDA_TILE_HAS_AMX
  *out = cuda::tiles::platform::amx::is_permitted();
#endif
}
"""


def run(cases: list[Case], permitted: bool = True) -> list[Case]:
    """Uses the model, which permits or refuses AMX. A machine with AMX must give the same bits."""
    launch(cases, permitted)
    if permitted and machine_has_amx():
        results = [case.result for case in cases]
        for case, expected in zip(launch(cases, None), results, strict=True):
            assert_same_bits(case, expected)
    return cases


def launch(cases: list[Case], permitted: bool | None, options: list[str] | None = None) -> list[Case]:
    """Uses the model, which permits or refuses AMX, or for None the machine's own instructions."""
    defines = {} if permitted is None else {"CUDA_TILE_EMULATE_AMX": str(int(permitted))}
    module = pct.build(
        source(cases),
        target="cpu",
        defines=defines,
        include_dirs=nvrtc.include_dirs(),
        options=options or [],
    )
    for number, case in enumerate(cases):
        case.result = np.zeros(case.shape, case.dtype)
        module.kernel(f"case_{number}")[1](*case.inputs, case.result)
    return cases


def product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Case:
    return Case("ct::mma(x0, x1, x2)", [a, b, c], c.shape, c.dtype)


def random_product(
    rng: np.random.Generator, size: tuple[int, int, int], batches: tuple[int, ...] = ()
) -> Case:
    m, k, n = size
    a = rng.standard_normal((*batches, m, k)).astype(BFLOAT16)
    b = rng.standard_normal((*batches, k, n)).astype(BFLOAT16)
    return product(a, b, rng.standard_normal((*batches, m, n)).astype(np.float32))


def in_order_of_amx(case: Case) -> np.ndarray:
    """Adds like TDPBF16PS: 32 products at a time, even and odd positions separately; products are exact. The
    accumulator is added to the sums of 512."""
    a, b, total = (x.astype(np.float32) for x in case.inputs)
    for begin in range(0, a.shape[-1], 512):
        own = np.zeros(case.shape, np.float32)
        for block in range(begin, min(begin + 512, a.shape[-1]), 32):
            sums = [np.zeros(case.shape, np.float32) for _ in range(2)]
            for k in range(block, block + 32):
                sums[k % 2] = sums[k % 2] + a[..., :, k, None] * b[..., k, None, :]
            own = own + (sums[0] + sums[1])
        total = total + own
    return total


def test_bfloat16_is_summed_as_the_instruction_does():
    rng = np.random.default_rng(8)
    cases = [random_product(rng, size) for size in SIZES]
    cases += [
        random_product(rng, (16, 32, 32), batches=(4,)),
        random_product(rng, (32, 64, 16), batches=(2,)),
    ]
    for case in run(cases):
        assert_same_bits(case, in_order_of_amx(case))


@pytest.mark.wide
def test_narrow_products_take_the_other_path():
    rng = np.random.default_rng(9)
    with_model = run([random_product(rng, size) for size in NARROW])
    rng = np.random.default_rng(9)
    for case, other in zip(
        with_model, run([random_product(rng, size) for size in NARROW], False), strict=True
    ):
        assert_same_bits(case, other.result)
        a, b, c = (x.astype(np.float64) for x in case.inputs)
        bound = (a.shape[-1] + 2) * 2.0**-24 * (np.abs(a) @ np.abs(b) + np.abs(c))
        report(case, a @ b + c, np.abs(case.result - (a @ b + c)) > bound)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size", [*SIZES[:4], *NARROW])
def test_integers_of_both_signs_are_exact(size):
    rng = np.random.default_rng(10)
    m, k, n = size
    cases = []
    for left in (np.int8, np.uint8):
        for right in (np.int8, np.uint8):
            a = rng.integers(np.iinfo(left).min, np.iinfo(left).max, (m, k), left, endpoint=True)
            b = rng.integers(np.iinfo(right).min, np.iinfo(right).max, (k, n), right, endpoint=True)
            c = rng.integers(-(2**31), 2**31 - 1, (m, n), np.int32, endpoint=True)
            cases.append(product(a, b, c))
    for case in run(cases):
        a, b, c = (x.astype(np.int64) for x in case.inputs)
        assert_same_bits(case, (a @ b + c).astype(np.int32))


def least_factors() -> list[Case]:
    """Operands near the limit below which sums become subnormal, with signs that make sums cancel."""
    rng = np.random.default_rng(11)
    m, k, n = 32, 64, 32
    a = (rng.choice([-1.0, 1.0, 1 + 2.0**-7, 0.0], (m, k)) * 2.0**-50).astype(BFLOAT16)
    b = (rng.choice([-1.0, 1.0, 1 + 2.0**-7, 0.0], (k, n)) * 2.0**-50).astype(BFLOAT16)
    c = (rng.choice([-1.0, 1.0, 1 + 2.0**-23, 0.0], (m, n)) * 2.0**-100).astype(np.float32)
    return [product(a, b, c)]


def test_sums_at_the_limits_are_exact():
    (case,) = run(least_factors())
    assert_same_bits(case, in_order_of_amx(case))
    assert (np.abs(case.result[case.result != 0]) >= np.finfo(np.float32).tiny).all()


def subnormal_cases() -> list[Case]:
    """Operands, products or sums that AMX would treat as zeros."""
    m, k, n = 16, 32, 16
    one, tiny = np.ones((m, k)).astype(BFLOAT16), np.full((m, k), 2.0**-70).astype(BFLOAT16)
    least = np.full((k, n), 2.0**-130).astype(BFLOAT16)
    zeros, subnormal = np.zeros((m, n), np.float32), np.full((m, n), 2.0**-140, np.float32)
    return [
        product(tiny, np.full((k, n), 2.0**-70).astype(BFLOAT16), zeros),
        product(one, least, zeros),
        product(np.ascontiguousarray(least.T), np.ones((k, n)).astype(BFLOAT16), zeros),
        product(np.zeros((m, k)).astype(BFLOAT16), np.ones((k, n)).astype(BFLOAT16), subnormal),
    ]


def test_subnormal_numbers_are_not_lost():
    for case in run(subnormal_cases()):
        a, b, c = (x.astype(np.float64) for x in case.inputs)
        assert_same_bits(case, (a @ b + c).astype(np.float32))
        assert (case.result != 0).all()


def test_infinities_and_nan():
    a, b = np.ones((16, 32)).astype(BFLOAT16), np.ones((32, 16)).astype(BFLOAT16)
    a[1, 3], a[2, 4], b[4, 5] = np.inf, np.nan, 0
    (case,) = run([product(a, b, np.zeros((16, 16), np.float32))])
    assert_same_bits(case, in_order_of_amx(case))


def test_a_system_that_refuses_gets_the_other_path():
    def cases() -> list[Case]:
        return [random_product(np.random.default_rng(12), (64, 64, 64))]

    (refused,), (amx,) = run(cases(), permitted=False), run(cases())
    (plain,) = launch(cases(), None, WITHOUT_AMX)
    assert_same_bits(refused, plain.result)
    assert (amx.result != plain.result).any(), "both orders of summation gave the same bits"


amx_compilers = pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-19"])
on_x86 = pytest.mark.skipif(not IS_X86 or sys.platform != "linux", reason="AMX is of x86-64")

INSTRUCTIONS = """
#include <cuda_bf16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <typename E, int m, int k> using tile = ct::tile<E, ct::shape<m, k>>;
template <typename L, typename R, typename C>
tile<C, 32, 32> product(tile<L, 32, 64> a, tile<R, 64, 32> b, tile<C, 32, 32> c) { return ct::mma(a, b, c); }
using byte = unsigned char;
template tile<float, 32, 32> product(tile<__nv_bfloat16, 32, 64>, tile<__nv_bfloat16, 64, 32>,
                                     tile<float, 32, 32>);
template tile<int, 32, 32> product(tile<signed char, 32, 64>, tile<signed char, 64, 32>, tile<int, 32, 32>);
template tile<int, 32, 32> product(tile<signed char, 32, 64>, tile<byte, 64, 32>, tile<int, 32, 32>);
template tile<int, 32, 32> product(tile<byte, 32, 64>, tile<signed char, 64, 32>, tile<int, 32, 32>);
template tile<int, 32, 32> product(tile<byte, 32, 64>, tile<byte, 64, 32>, tile<int, 32, 32>);
"""
WANTED = ["ldtilecfg", "tileloadd", "tilestored", "tilerelease"]
WANTED += ["tdpbf16ps", "tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud"]


@on_x86
@amx_compilers
def test_compilers_make_the_instructions(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "products.cpp").write_text(INSTRUCTIONS)
    folders = [f"-I{resources.include_dir()}", "-idirafter", str(resources.small_float_dir())]
    command = [compiler, "-std=c++20", "-O2", "-mavx2", "-mfma", *AMX_FLAGS, *folders]
    for form, name in (("-S", "products.s"), ("-c", "products.o")):
        done = subprocess.run(
            [*command, form, "products.cpp", "-o", name], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assembly = (tmp_path / "products.s").read_text().replace("\t", " ")
    assert [name for name in WANTED if f" {name}" not in assembly] == []
    assert "tdpbsud %tmm6, %tmm4, %tmm0" in assembly  # right operand, left operand, sums


@on_x86
def test_kernels_for_amx_run_on_processors_without_it():
    """If the system refuses the tiles; otherwise this test runs on them."""
    case, *_ = launch([random_product(np.random.default_rng(13), (64, 64, 64))], None, AMX_FLAGS)
    a, b, c = (x.astype(np.float64) for x in case.inputs)
    bound = (a.shape[-1] + 2) * 2.0**-24 * (np.abs(a) @ np.abs(b) + np.abs(c))
    report(case, a @ b + c, np.abs(case.result - (a @ b + c)) > bound)
