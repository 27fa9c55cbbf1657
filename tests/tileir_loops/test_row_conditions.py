"""Masks that hold for all elements of a row or for none, beside bounds: they are computed once a row."""

from __future__ import annotations

import numpy as np
import pytest
from pass_results import body, nests

import pycuda_tile as pct


def kernel(along: int) -> str:
    """y[r, c] = exp(y[r, c]) where c < n and the position along an axis is even."""
    ptr, floats, ints, bools = (f"tile<16x64x{kind}>" for kind in ("ptr<f32>", "f32", "i32", "i1"))
    sizes = {"rows": (16, "16x1"), "columns": (64, "1x64")}
    chosen = ("rows", "columns")[along]
    one, kind = f"tile<{sizes[chosen][1]}xi32>", f"tile<{sizes[chosen][1]}xi1>"
    spread = "".join(
        f"""  %i_{name} = iota : tile<{size}xi32>
  %one_{name} = reshape %i_{name} : tile<{size}xi32> -> tile<{shape}xi32>
  %{name} = broadcast %one_{name} : tile<{shape}xi32> -> {ints}
"""
        for name, (size, shape) in sizes.items()
    )
    return body(f"""{spread}  %ones = constant <i32: 1> : {one}
  %zeros = constant <i32: 0> : {one}
  %bits = andi %one_{chosen}, %ones : {one}
  %even1 = cmpi equal %bits, %zeros, signed : {one} -> {kind}
  %even = broadcast %even1 : {kind} -> {bools}
  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %n2 = broadcast %n1 : tile<1x1xi32> -> {ints}
  %inside = cmpi less_than %columns, %n2, signed : {ints} -> {bools}
  %mask = andi %even, %inside : {bools}
  %width = constant <i32: 64> : {ints}
  %first = muli %rows, %width : {ints}
  %at = addi %first, %columns : {ints}
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %p2 = broadcast %p1 : tile<1x1xptr<f32>> -> {ptr}
  %to = offset %p2, %at : {ptr}, {ints} -> {ptr}
  %x, %t = load_ptr_tko weak %to, %mask : {ptr}, {bools} -> {floats}, token
  %e = exp %x : {floats}
  %s = store_ptr_tko weak %to, %e, %mask : {ptr}, {floats}, {bools} -> token""")


def test_what_is_the_same_along_rows_is_no_mask_of_strips():
    (nest,) = nests(kernel(along=0))
    for access in nest.effects.accesses:
        assert access.mask is None and len(access.limits) == 1
        (condition,) = access.conditions
        assert not nest.has_lanes(condition) and condition in nest.inputs(access.op)


def test_what_differs_within_rows_is():
    (nest,) = nests(kernel(along=1))
    for access in nest.effects.accesses:
        assert access.mask is not None and not (access.conditions or access.limits)


SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename T, int N> using column = ct::tile<T, ct::shape<N, 1>>;
template <typename T, int N> using row = ct::tile<T, ct::shape<1, N>>;

/// Rows of a table, of which those below 0 are 7, and a second array below n columns of the rows that exist.
template <typename E, int R, int C>
__tile_global__ void gather(const E* table, const int* places, E* out, int rows, int n) {
  auto r = int(ct::bid().x) * R + ct::iota<column<int, R>>();
  auto c = ct::iota<row<int, C>>();
  auto place = ct::load_masked(places + r, r < rows, -1);
  auto x = ct::load_masked(table + (place * C + c), place >= 0 && c < n, E(7));
  ct::store_masked(out + (r * C + c), x + x, r < rows && place != -2 && c < n);
}

/// Only rows whose greatest element is above 0 are replaced, by what they are beyond it; all else stays.
template <typename E, int R, int C>
__tile_global__ void above(E* x, int rows, int n) {
  auto r = int(ct::bid().x) * R + ct::iota<column<int, R>>();
  auto c = ct::iota<row<int, C>>();
  auto inside = r < rows && c < n;
  auto v = ct::load_masked(x + (r * C + c), inside, E(-1));
  auto most = ct::reduce_max(v, 1_ic);
  ct::store_masked(x + (r * C + c), v - most, inside && most > E(0));
}

/// A column in each row of which the first elements exist: conditions along the axis of the strips alone.
template <typename E, int R, int C>
__tile_global__ void transposed(const E* x, const int* exist, E* out, int n) {
  auto r = ct::iota<column<int, R>>();
  auto c = ct::iota<row<int, C>>();
  auto here = ct::load(exist + c) > 0;
  auto v = ct::load_masked(x + (c * R + r), here && r < n, E(3));
  ct::store_masked(out + (c * R + r), v + v, here && r < n);
}
"""
SHAPES = [("float", 16, 64), ("double", 4, 32), ("short", 8, 8), ("float", 3, 256)]
DTYPES = {"float": np.float32, "double": np.float64, "short": np.int16}


@pytest.fixture(scope="module", params=[True, False], ids=["fused", "by operation"])
def module(request):
    """Fused means that all kernels are, or it is an error."""
    shapes = [f"<{kind}, {1 << (rows - 1).bit_length()}, {columns}>" for kind, rows, columns in SHAPES]
    names = [f"{name}{shape}" for name in ("gather", "above", "transposed") for shape in shapes]
    return pct.build(SOURCE, target="cpu", optimize=request.param, kernels=names)


@pytest.mark.parametrize("kind, rows, columns", SHAPES)
@pytest.mark.parametrize("n", [0, 1, 5, None])
def test_gathered_rows(module, kind: str, rows: int, columns: int, n: int | None):
    n, count = columns if n is None else n, 3 * rows - 1
    size, dtype = 1 << (rows - 1).bit_length(), np.dtype(DTYPES[kind])
    rng = np.random.default_rng(rows)
    # Loops must know that what they store lies elsewhere, whatever the masks leave out.
    table = rng.integers(-50, 50, (13, columns)).astype(dtype)[4:]
    places = rng.integers(-2, 9, count).astype(np.int32)
    out = np.full((count, columns), 99, dtype)
    expected = out.copy()
    for r, place in enumerate(places):
        if place != -2:
            expected[r, :n] = 2 * table[place, :n] if place >= 0 else 14
    module[f"gather<{kind}, {size}, {columns}>"][-(-count // size)](table, places, out, count, n)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("kind, rows, columns", SHAPES)
@pytest.mark.parametrize("n", [0, 3, None])
def test_rows_chosen_by_a_reduction(module, kind: str, rows: int, columns: int, n: int | None):
    n, count = columns if n is None else n, 3 * rows - 1
    size, dtype = 1 << (rows - 1).bit_length(), np.dtype(DTYPES[kind])
    x = np.random.default_rng(columns).integers(-90, 4, (count, columns)).astype(dtype)
    x[::2] -= 4
    expected = x.copy()
    for row in expected[:, :n]:
        if n and row.max() > 0:
            row -= row.max()
    module[f"above<{kind}, {size}, {columns}>"][-(-count // size)](x, count, n)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("kind, rows, columns", SHAPES)
def test_conditions_along_the_other_axis(module, kind: str, rows: int, columns: int):
    size, dtype = 1 << (rows - 1).bit_length(), np.dtype(DTYPES[kind])
    rng = np.random.default_rng(columns)
    x = rng.integers(-50, 50, (columns, size)).astype(dtype)
    exist, out = rng.integers(0, 2, columns).astype(np.int32), np.full((columns, size), 99, dtype)
    expected = out.copy()
    expected[exist > 0, : size - 1] = 2 * x[exist > 0, : size - 1]
    module[f"transposed<{kind}, {size}, {columns}>"][1](x, exist, out, size - 1)
    np.testing.assert_array_equal(out, expected)
