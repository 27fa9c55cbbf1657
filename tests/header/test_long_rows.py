"""Reductions and partial sums of rows longer than the processor's vectors, with NaN and zeros anywhere."""

from __future__ import annotations

from collections.abc import Iterable

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct

LENGTHS = [8, 16, 32, 64, 256]
FLOATS = {"float": np.float32, "double": np.float64}
INTEGERS = {"signed char": np.int8, "unsigned char": np.uint8, "short": np.int16, "int": np.int32}
TYPES = {np.dtype(dtype): name for name, dtype in {**FLOATS, **INTEGERS}.items()}
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
template <typename E, int n>
__tile_global__ void bits(const E* in, E* out) {  // out: all, any, whether all are positive, whether any is
  ct::partition_view view{ct::tensor_span{in, ct::extents{1 << 20}}, ct::shape<n>{}};
  auto row = ct::bid().x;
  auto x = view.load(row);
  out[4 * row] = static_cast<E>(ct::reduce_bitand(x, 0_ic));
  out[4 * row + 1] = static_cast<E>(ct::reduce_bitor(x, 0_ic));
  out[4 * row + 2] = static_cast<E>(ct::all_of(x > E(0), 0_ic));
  out[4 * row + 3] = static_cast<E>(ct::any_of(x > E(0), 0_ic));
}
template <typename E, int n>
__tile_global__ void scan(const E* in, E* out) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{n}}, ct::shape<n>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<n>{}};
  out_view.store(ct::partial_sum(in_view.load(0), 0_ic), 0);
}
template <int rows, int columns>
__tile_global__ void sum_columns(const float* in, float* out) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<rows, columns>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{1, columns}}, ct::shape<1, columns>{}};
  out_view.store(ct::sum(in_view.load(0, 0), 0_ic), 0, 0);
}
template <typename E, int rows, int columns, int dim>
__tile_global__ void scan_matrix(const E* in, E* out) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{rows, columns}}, ct::shape<rows, columns>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<rows, columns>{}};
  out_view.store(ct::partial_sum(in_view.load(0, 0), ct::integral_constant<dim>{}), 0, 0);
}
"""


@pytest.fixture(scope="module")
def module():
    return pct.build(SOURCE, target="cpu", kernels=names(FLOATS))


@pytest.fixture(scope="module", params=["auto", False], ids=["fused", "by operation"])
def module_of_integers(request):
    bits = [f"bits<{t}, {n}>" for t in INTEGERS for n in LENGTHS]
    return pct.build(SOURCE, target="cpu", kernels=[*names(INTEGERS), *bits], optimize=request.param)


def names(types: Iterable[str]) -> list[str]:
    return [f"{function}<{t}, {n}>" for function in ("reduce", "scan") for t in types for n in LENGTHS]


def reduce_rows(module, rows: np.ndarray) -> np.ndarray:
    out = np.empty((len(rows), 4), rows.dtype)
    module.kernel(f"reduce<{TYPES[rows.dtype]}, {rows.shape[1]}>")[len(rows)](rows, out)
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


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", INTEGERS.values())
def test_integers_wrap_around(module_of_integers, dtype, n):
    """Sums and products of all values of the type, and rows of which one element decides."""
    limits = np.iinfo(dtype)
    rows = np.random.default_rng(n).integers(limits.min, limits.max, (200, n), dtype, endpoint=True)
    rows[:n] = limits.min
    np.fill_diagonal(rows[:n], limits.max)
    folds = [reduce(rows, axis=1) for reduce in (np.max, np.min)]
    folds += [function.reduce(rows, axis=1, dtype=dtype) for function in (np.add, np.multiply)]
    np.testing.assert_array_equal(reduce_rows(module_of_integers, rows), np.stack(folds, axis=1))
    out = np.empty(n, dtype)
    module_of_integers.kernel(f"scan<{TYPES[np.dtype(dtype)]}, {n}>")[1](rows[100], out)
    np.testing.assert_array_equal(out, np.cumsum(rows[100], dtype=dtype))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", INTEGERS.values())
def test_bits_and_bools_of_rows(module_of_integers, dtype, n):
    rows = np.zeros((2 * n, n), dtype)
    rows[n:] = 5
    np.fill_diagonal(rows[:n], 1)
    np.fill_diagonal(rows[n:], 0)
    out = np.empty((2 * n, 4), dtype)
    module_of_integers.kernel(f"bits<{TYPES[np.dtype(dtype)]}, {n}>")[2 * n](rows, out)
    np.testing.assert_array_equal(out, [[0, 1, 0, 1]] * n + [[0, 5, 0, 1]] * n)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_partial_sums(module, dtype, n):
    kernel = module.kernel(f"scan<{TYPES[np.dtype(dtype)]}, {n}>")
    row, out = np.arange(n).astype(dtype), np.empty(n, dtype)
    kernel[1](row, out)
    np.testing.assert_array_equal(out, np.cumsum(row))  # integers, so that any order is exact
    kernel[1](np.full(n, -0.0, dtype), out)
    assert (out == 0).all() and np.signbit(out).all()
    row[n // 2] = np.inf
    kernel[1](row, out)
    np.testing.assert_array_equal(out, np.cumsum(row))
    row[n // 2] = np.nan
    kernel[1](row, out)
    np.testing.assert_array_equal(np.isnan(out), np.arange(n) >= n // 2)


@pytest.mark.parametrize("rows, columns", [(256, 8), (4096, 64), (1 << 22, 2), (1 << 13, 1), (1 << 24, 1)])
def test_sums_of_many_elements_keep_their_digits(rows, columns):
    name = f"sum_columns<{rows}, {columns}>"
    kernel = pct.build(SOURCE, target="cpu", kernels=[name]).kernel(name)
    values = np.random.default_rng(rows).uniform(0.1, 0.101, (rows, columns)).astype(np.float32)
    out = np.empty((1, columns), np.float32)
    kernel[1](values, out)
    # Each element takes part in few additions, each with an error of half an ulp.
    additions = 128 * -(-np.log2(rows) // 7) + 5
    np.testing.assert_allclose(out[0], values.sum(axis=0, dtype=np.float64), rtol=additions * 2.0**-24)


@pytest.mark.parametrize("rows, columns, dim", [(1 << 22, 1, 0), (8192, 4, 0), (256, 8, 0), (2, 1 << 19, 1)])
def test_partial_sums_of_many_elements_keep_their_digits(rows, columns, dim):
    name = f"scan_matrix<float, {rows}, {columns}, {dim}>"
    kernel = pct.build(SOURCE, target="cpu", kernels=[name]).kernel(name)
    values = np.random.default_rng(rows).uniform(0.1, 0.101, (rows, columns)).astype(np.float32)
    out = np.empty_like(values)
    kernel[1](values, out)
    additions = 128 * -(-np.log2(max(rows, columns)) // 7) + 5  # that an element takes part in
    expected = np.cumsum(values, axis=dim, dtype=np.float64)
    np.testing.assert_allclose(out, expected, rtol=additions * 2.0**-24)


@pytest.mark.parametrize("rows, columns, dim", [(4096, 1, 0), (1024, 2, 0), (2, 4096, 1)])
def test_partial_sums_of_bfloat16_go_on(rows, columns, dim):
    name = f"scan_matrix<__nv_bfloat16, {rows}, {columns}, {dim}>"
    source = SOURCE.replace("#include", "#include <cuda_bf16.h>\n#include", 1)
    kernel = pct.build(source, target="cpu", kernels=[name]).kernel(name)
    ones = np.ones((rows, columns), ml_dtypes.bfloat16)
    out = np.empty_like(ones)
    kernel[1](ones, out)
    # Added one by one, the sum would stay at 256. Sums of 128 elements are exact and then rounded once.
    expected = np.cumsum(np.ones((rows, columns), np.float32), axis=dim).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(out.astype(np.float32), expected.astype(np.float32))
