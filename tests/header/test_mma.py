"""Matrix multiplication [2.5] against the NumPy reference, ranks 2 and 3, with batches that are broadcast."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, assert_close, assert_same_bits, run

from pycuda_tile import reference, spec

# rows, inner, columns
SIZES = [(2, 4, 2), (1, 1, 1), (16, 8, 32), (64, 32, 16), (4, 256, 4), (64, 64, 32), (1, 64, 8)]
BATCHES = [(1, 1, 1), (4, 4, 4), (1, 2, 2), (2, 1, 2)]


def _error_bound(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> tuple[float, float]:
    """The relative and absolute error bounds of a sum of products in the type of `acc`: n + 1 roundings."""
    unit = np.finfo(acc.dtype).eps / 2 * (a.shape[-1] + 1)
    magnitude = np.max(np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)) + np.max(np.abs(acc)))
    return 0.0, float(unit * magnitude)


@pytest.mark.every_target
def test_mma_of_floats(target):
    rng = np.random.default_rng(3)
    cases = []
    for number, (m, k, n) in enumerate(SIZES):
        dtype = (np.float32, np.float64)[number % 2]
        a, b, c = (rng.standard_normal(s).astype(dtype) for s in ((m, k), (k, n), (m, n)))
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], (m, n), dtype))
        cases.append(Case("ct::matmul(x0, x1)", [a, b], (m, n), dtype))
    for case in run(cases, target):
        a, b = case.inputs[:2]
        acc = case.inputs[2] if len(case.inputs) == 3 else np.zeros(case.shape, case.dtype)
        expected = reference.mma(*case.inputs) if len(case.inputs) == 3 else reference.matmul(a, b)
        assert_close(case, expected, *_error_bound(a, b, acc))


def test_batches_are_broadcast(target):
    rng = np.random.default_rng(4)
    cases = []
    for left, right, result in BATCHES:
        a = rng.standard_normal((left, 8, 16)).astype(np.float32)
        b = rng.standard_normal((right, 16, 4)).astype(np.float32)
        c = rng.standard_normal((result, 8, 4)).astype(np.float32)
        cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], c.shape, np.float32))
    for case in run(cases, target):
        assert_close(case, reference.mma(*case.inputs), *_error_bound(*case.inputs))


def test_eight_bit_integers_are_exact_and_may_differ_in_sign(target):
    rng = np.random.default_rng(5)
    cases = []
    for left in (np.int8, np.uint8):
        for right in (np.int8, np.uint8):
            a = rng.integers(np.iinfo(left).min, np.iinfo(left).max, (16, 32), left, endpoint=True)
            b = rng.integers(np.iinfo(right).min, np.iinfo(right).max, (32, 8), right, endpoint=True)
            c = rng.integers(-1000, 1000, (16, 8), np.int32)
            cases.append(Case("ct::mma(x0, x1, x2)", [a, b, c], (16, 8), np.int32))
    for case in run(cases, target):
        a, b, c = (x.astype(np.int64) for x in case.inputs)
        assert_same_bits(case, (a @ b + c).astype(np.int32))


# Which scalars the classes of the table stand for, and some that it has nothing of.
CLASSES = {"int8": ("char", "signed char", "unsigned char", "char8_t"), "int32": ("int",)}
OTHERS = ("bool", "short", "unsigned", "long long", "__nv_fp8_e8m0", "__nv_fp4_e2m1")
TYPES_OF_PRODUCTS = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <typename E, int m, int n> using tile = ct::tile<E, ct::shape<m, n>>;
template <typename L, typename R, typename A>
constexpr bool multiplies = ct::mma_compatible<tile<L, 2, 8>, tile<R, 8, 4>, tile<A, 2, 4>>;
template <typename L, typename R>
constexpr bool has_product = ct::matmul_compatible<tile<L, 2, 8>, tile<R, 8, 4>>;
template <typename L, typename R>
using product = ct::tile_element_t<ct::matmul_result_t<tile<L, 2, 8>, tile<R, 8, 4>>>;
"""


def _scalars(names: str) -> list[str]:
    return [scalar for name in names.split() for scalar in CLASSES.get(name, (name,))]


@pytest.mark.parametrize("target", ["cpu", "simt"])
def test_types_of_products_are_those_of_the_table(make_target, target):
    accumulators, results = {}, {}
    for row in spec.load("mma"):
        for left in _scalars(row.left):
            for right in _scalars(row.right):
                accumulators[left, right] = _scalars(row.accumulators)
                results[left, right] = row.result
    scalars = dict.fromkeys([*(left for left, _ in accumulators), *OTHERS])
    sums = dict.fromkeys(total for names in accumulators.values() for total in names)
    asserted = []
    for left in scalars:
        for right in scalars:
            pair = f"{left}, {right}"
            allowed = accumulators.get((left, right), ())
            asserted += [
                f"{'' if sum in allowed else '!'}multiplies<{pair}, {sum}>" for sum in [*sums, *OTHERS[1:3]]
            ]
            asserted.append(f"{'' if allowed else '!'}has_product<{pair}>")
            if allowed:
                asserted.append(f"ct::detail::is_same_v<product<{pair}>, {results[left, right]}>")
    source = TYPES_OF_PRODUCTS + "\n".join(f"static_assert({condition});" for condition in asserted)
    make_target(target, arch="sm_80" if target == "simt" else None).build(source, kernels=())
