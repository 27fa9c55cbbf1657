"""Products with one thread per block: rows left over at the edges, and deep and wide operands.

NumPy computes each product again in a wider type. The tests also run on plain x86-64, with its short vectors.
"""

from __future__ import annotations

import platform

import ml_dtypes
import numpy as np
import pytest
from cases import Case, assert_same_bits, report, source

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc

# rows, inner, columns: some exceed, along each dimension, the size that is multiplied at once
SIZES = [
    (1, 16, 64),
    (2, 64, 16),
    (8, 128, 32),
    (16, 1, 128),
    (32, 2048, 32),
    (64, 8, 8),
    (128, 512, 16),
    (256, 256, 64),
    (512, 1024, 32),
    (1024, 64, 4),
    (2048, 1024, 16),
]
ARCHS = ["native"] + (["x86-64"] if platform.machine() in ("x86_64", "AMD64") else [])


def run(cases: list[Case], arch: str) -> list[Case]:
    module = pct.build(source(cases), target="cpu", arch=arch, include_dirs=nvrtc.include_dirs())
    for number, case in enumerate(cases):
        case.result = np.zeros(case.shape, case.dtype)
        module.kernel(f"case_{number}")[1](*case.inputs, case.result)
    return cases


def operands(
    rng: np.random.Generator, size: tuple[int, int, int], dtype: type, sums: type
) -> list[np.ndarray]:
    m, k, n = size
    return [
        rng.standard_normal((m, k)).astype(dtype),
        rng.standard_normal((k, n)).astype(dtype),
        rng.standard_normal((m, n)).astype(sums),
    ]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    "dtype, sums",
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float16),
        (ml_dtypes.bfloat16, np.float32),
        (ml_dtypes.float8_e4m3fn, np.float32),
    ],
)
def test_floats_are_within_the_bound_of_their_sums(arch, dtype, sums):
    rng = np.random.default_rng(6)
    cases = [Case("ct::mma(x0, x1, x2)", operands(rng, size, dtype, sums), size[::2], sums) for size in SIZES]
    for case in run(cases, arch):
        wide = np.longdouble if sums == np.float64 else np.float64
        a, b, c = (x.astype(wide) for x in case.inputs)
        # Each product and sum is rounded at most once, in float for smaller elements.
        unit = np.finfo(np.float64 if sums == np.float64 else np.float32).eps / 2
        bound = (a.shape[1] + 2) * unit * (np.abs(a) @ np.abs(b) + np.abs(c)).astype(np.float64)
        exact = a @ b + c
        if sums == np.float16:
            bound += np.finfo(np.float16).eps / 2 * np.abs(exact).astype(np.float64) + 2.0**-24
        wrong = np.abs(case.result.astype(wide) - exact).astype(np.float64) > bound
        report(case, exact.astype(np.float64), wrong)


def test_sums_of_many_products_keep_their_digits():
    rng = np.random.default_rng(9)
    sizes, dtype = [(2, 1 << 18, 2), (1, 1 << 18, 16)], np.float32  # narrower than a vector, and not
    cases = []
    for m, k, n in sizes:
        a, b = (rng.uniform(0.1, 0.101, shape).astype(dtype) for shape in ((m, k), (k, n)))
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, np.ones((m, n), dtype)], (m, n), dtype))
    for case in run(cases, "native"):
        a, b, c = (x.astype(np.float64) for x in case.inputs)
        # 512 products are summed, then those sums, which bounds the number of roundings.
        bound = (512 + a.shape[1] / 512) * 2.0**-24 * (a @ b + c)
        report(case, a @ b + c, np.abs(case.result - (a @ b + c)) > bound)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(
    "dtype, sums",
    [(np.float32, np.float32), (np.float64, np.float64), (np.float16, np.float16), (np.int8, np.int32)],
)
@pytest.mark.wide
def test_matmul_is_mma_with_zeros(arch, dtype, sums):
    rng = np.random.default_rng(8)
    cases = []
    for m, k, n in SIZES:
        a, b = ((rng.standard_normal(shape) * 8).astype(dtype) for shape in ((m, k), (k, n)))
        a[0] = -0.0  # products with positive numbers are negative zeros, but their sum with zero is not
        cases.append(Case("ct::matmul(x0, x1)", [a, b], (m, n), sums))
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, np.zeros((m, n), sums)], (m, n), sums))
    run(cases, arch)
    for ours, wanted in zip(cases[::2], cases[1::2], strict=True):
        assert_same_bits(ours, wanted.result)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("left", [np.int8, np.uint8])
@pytest.mark.parametrize("right", [np.int8, np.uint8])
def test_integers_are_exact(arch, left, right):
    rng = np.random.default_rng(7)
    cases = []
    for m, k, n in SIZES:
        a = rng.integers(np.iinfo(left).min, np.iinfo(left).max, (m, k), left, endpoint=True)
        b = rng.integers(np.iinfo(right).min, np.iinfo(right).max, (k, n), right, endpoint=True)
        c = rng.integers(-(2**31), 2**31 - 1, (m, n), np.int32, endpoint=True)
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], (m, n), np.int32))
    for case in run(cases, arch):
        a, b, c = (x.astype(np.float64) for x in case.inputs)
        wanted = (a @ b + c).astype(np.int64).astype(np.int32)  # sums wrap around
        report(case, wanted, case.result != wanted)


@pytest.mark.parametrize("arch", ARCHS)
def test_zeros_keep_their_sign_and_infinities_their_value(arch):
    m, k, n = 16, 32, 32
    a, b, c = (
        np.full((m, k), -0.0, np.float32),
        np.ones((k, n), np.float32),
        np.full((m, n), -0.0, np.float32),
    )
    infinite = np.ones((m, k), np.float32)
    infinite[3, 5] = np.inf
    cases = [
        Case("ct::mma(x0, x1, x2)", [a, b, c], (m, n), np.float32),
        Case("ct::mma(x0, x1, x2)", [infinite, b, c], (m, n), np.float32),
        Case("ct::mma(x0, x1, x2)", [infinite, b, np.full((m, n), -np.inf, np.float32)], (m, n), np.float32),
    ]
    zeros, infinities, without_value = run(cases, arch)
    report(zeros, c, ~np.signbit(zeros.result) | (zeros.result != 0))
    wanted = np.full((m, n), k, np.float32)
    wanted[3] = np.inf
    report(infinities, wanted, infinities.result != wanted)
    assert (
        np.isnan(without_value.result[3]).all() and (np.delete(without_value.result, 3, 0) == -np.inf).all()
    )
