"""Reductions of rows that are longer than the processor's vectors: NaN and zeros anywhere in them."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct

LENGTHS = [8, 16, 32, 64, 256]
SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename E, int n>
__tile_global__ void reduce(const E* in, E* out) {  // out: greatest, least, sum, product
  ct::partition_view view{ct::tensor_span{in, ct::extents{1 << 20}}, ct::shape<n>{}};
  auto row = ct::bid().x;
  auto x = view.load(row);
  out[4 * row] = static_cast<E>(ct::reduce_max(x, 0_ic));
  out[4 * row + 1] = static_cast<E>(ct::reduce_min(x, 0_ic));
  out[4 * row + 2] = static_cast<E>(ct::sum(x, 0_ic));
  out[4 * row + 3] = static_cast<E>(ct::prod(x, 0_ic));
}
"""


@pytest.fixture(scope="module")
def module():
    names = [f"reduce<{type_name}, {n}>" for type_name in ("float", "double") for n in LENGTHS]
    return pct.build(SOURCE, target="cpu", kernels=names)


def reduce_rows(module, rows: np.ndarray) -> np.ndarray:
    out = np.empty((len(rows), 4), rows.dtype)
    type_name = "float" if rows.dtype == np.float32 else "double"
    module.kernel(f"reduce<{type_name}, {rows.shape[1]}>")[len(rows)](rows, out)
    return out


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_counts_only_if_all_are(module, dtype, n):
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((200, n)).astype(dtype) - dtype(3)
    rows[rng.random(rows.shape) < np.linspace(0, 1, 200)[:, None]] = np.nan
    rows[0], rows[1] = np.nan, -np.inf
    rows[2, :-1], rows[3, 1:] = np.nan, np.nan
    out = reduce_rows(module, rows)
    np.testing.assert_array_equal(out[:, 0], np.fmax.reduce(rows, axis=1))
    np.testing.assert_array_equal(out[:, 1], np.fmin.reduce(rows, axis=1))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_minus_zero_is_less(module, dtype, n):
    rows = np.full((n, n), -0.0, dtype)
    np.fill_diagonal(rows, 0.0)
    assert not np.signbit(reduce_rows(module, rows)[:, 0]).any()
    assert np.signbit(reduce_rows(module, rows)[:, 1]).all()
    assert not np.signbit(reduce_rows(module, -rows)[:, 0]).any()
    assert np.signbit(reduce_rows(module, -rows)[:, 1]).all()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_element_counts_once(module, dtype, n):
    rows = np.ones((n, n), dtype)
    np.fill_diagonal(rows, 2)
    np.testing.assert_array_equal(reduce_rows(module, rows), [[2, 1, n + 1, 2]] * n)
