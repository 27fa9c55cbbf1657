"""Scans over slots, lanes and warps: exact for integers, whatever the shape and the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

SHAPES = [(1,), (2,), (32,), (1024,), (4096,), (1, 512), (16, 8), (64, 64), (128, 1), (8, 4), (4, 16, 32)]
SHAPES += [(32, 2, 4), (2, 2, 2, 2), (1024, 2)]

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

template <typename E, int d, int... lengths>
__tile_global__ void scan(const E* in, E* sums, E* products) {
  using S = ct::shape<lengths...>;
  constexpr auto dimension = ct::integral_constant<d>{};
  auto at = [](auto* p) { return ct::partition_view{ct::tensor_span{p, S{}}, S{}}; };
  auto a = at(in).load(((void)lengths, 0)...);
  at(sums).store(ct::partial_sum(a, dimension), ((void)lengths, 0)...);
  at(products).store(ct::partial_prod(a, dimension), ((void)lengths, 0)...);
}
"""


def _name(element: str, dimension: int, shape: tuple[int, ...]) -> str:
    return f"scan<{element}, {dimension}, {', '.join(map(str, shape))}>"


CASES = [(shape, d) for shape in SHAPES for d in range(len(shape))]


@pytest.fixture(scope="module", params=[4, 32, 256])
def module(request):
    names = [_name("int", d, shape) for shape, d in CASES] + [_name("short", 0, (512, 4))]
    names += [_name("double", 1, (16, 64)), _name("float", 0, (4096,))]
    return pct.build(SOURCE, target="emulated", num_threads=request.param, kernels=names, options=("-O1",))


def _scan(module, element, dtype, shape, dimension, values, seed=None):
    sums, products = np.zeros(shape, dtype), np.zeros(shape, dtype)
    module.kernel(_name(element, dimension, shape)).launch(1, values, sums, products, schedule_seed=seed)
    return sums, products


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("shape", "dimension"), CASES)
def test_integers(module, shape, dimension):
    values = np.random.default_rng(1).integers(-(2**31), 2**31, shape).astype(np.int32) | 1
    for seed in (None, 7):
        sums, products = _scan(module, "int", np.int32, shape, dimension, values, seed)
        np.testing.assert_array_equal(sums, values.cumsum(dimension, dtype=np.int32))
        np.testing.assert_array_equal(products, values.cumprod(dimension, dtype=np.int32))


def test_elements_of_two_bytes(module):
    values = np.random.default_rng(2).integers(-9, 9, (512, 4)).astype(np.int16)
    sums, _ = _scan(module, "short", np.int16, (512, 4), 0, values)
    np.testing.assert_array_equal(sums, values.cumsum(0, dtype=np.int16))


def test_each_float_sum_takes_in_each_element_once(module):
    """Powers of two, whose partial sums and products are all exact in any order."""
    values = np.exp2(np.random.default_rng(3).integers(-9, 9, (16, 64)))
    sums, products = _scan(module, "double", np.float64, (16, 64), 1, values)
    np.testing.assert_array_equal(sums, values.cumsum(1))
    np.testing.assert_array_equal(products, values.cumprod(1))


def test_long_float_sums_err_less_than_one_after_the_other(module):
    values = np.random.default_rng(4).standard_normal(4096).astype(np.float32)
    sums, _ = _scan(module, "float", np.float32, (4096,), 0, values)
    exact = values.astype(np.float64).cumsum()
    assert np.abs(sums - exact).max() <= 14 * 2**-24 * np.abs(values).astype(np.float64).sum()


def test_minus_zero_and_infinities_pass(module):
    """A scan has no initial element, so minus zero is preserved."""
    values = np.full((16, 64), -0.0)
    values[1, 5] = np.inf
    sums, _ = _scan(module, "double", np.float64, (16, 64), 1, values)
    assert np.signbit(np.delete(sums, 1, 0)).all()
    assert (sums[1, :5] == 0).all() and (sums[1, 5:] == np.inf).all()
