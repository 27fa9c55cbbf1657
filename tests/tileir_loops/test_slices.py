"""Loops whose rounds run once for each row give the same bits, and only such loops do."""

from __future__ import annotations

import numpy as np
import pytest
from open_front_end import module
from pass_results import same

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse

ROWS, COLUMNS = 13, 700
SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using tile = ct::tile<float, ct::shape<8, 256>>;
using column = ct::tile<float, ct::shape<8, 1>>;
using row = ct::tile<float, ct::shape<1, 256>>;
template <typename T> auto view(T* x, int rows, int columns) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{rows, columns}}, ct::shape<8, 256>{}};
}
template <typename T> auto columns_of(T* x, int rows) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{rows, 1}}, ct::shape<8, 1>{}};
}

// --- by rows: several tiles, and with a row that all rows use

__tile_global__ void sums(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<tile>();
  auto squares = ct::full<tile>(1.0f);
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i) {
    auto v = view(x, rows, columns).load_masked(ct::bid().x, i);
    sum = sum + v;
    squares = squares + v * v;
  }
  columns_of(y, rows).store_masked(ct::sum(sum, 1_ic) / ct::sum(squares, 1_ic), ct::bid().x, 0);
}

__tile_global__ void vector_product(const float* x, float* y, int rows, int columns) {
  ct::partition_view by{ct::tensor_span{x, ct::extents{1, columns}}, ct::shape<1, 256>{}};
  auto sum = ct::zeros<tile>();
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i)
    sum = sum + view(x, rows, columns).load_masked(ct::bid().x, i) * by.load_masked(0, i);
  columns_of(y, rows).store_masked(ct::sum(sum, 1_ic), ct::bid().x, 0);
}

// --- not by rows

// columns that have loops of their own
__tile_global__ void totals(const float* x, float* y, int rows, int columns) {
  auto total = ct::zeros<column>();
  auto most = ct::full<column>(-1e30f);
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i) {
    auto v = view(x, rows, columns).load_masked(ct::bid().x, i);
    total = total + ct::sum(v * v, 1_ic);
    most = ct::max(most, ct::reduce_max(v, 1_ic));
  }
  columns_of(y, rows).store_masked(total * most, ct::bid().x, 0);
}

__tile_global__ void online(const float* x, float* y, int rows, int columns) {
  auto most = ct::full<column>(-1e30f);
  auto total = ct::zeros<column>();
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i) {
    auto v = view(x, rows, columns).load_masked(ct::bid().x, i);
    auto greater = ct::max(most, ct::reduce_max(v, 1_ic));
    total = total * ct::exp(most - greater) + ct::sum(ct::exp(v - greater), 1_ic);
    most = greater;
  }
  columns_of(y, rows).store_masked(most + ct::log(total), ct::bid().x, 0);
}

// one sum of all rows
__tile_global__ void sum_of_rows(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<row>();
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i)
    sum = sum + ct::sum(view(x, rows, columns).load_masked(ct::bid().x, i), 0_ic);
  columns_of(y, rows).store_masked(ct::broadcast(ct::sum(sum, 1_ic), ct::shape<8, 1>{}), ct::bid().x, 0);
}

// the next rows with each round
__tile_global__ void down(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<tile>();
  for (int i = 0; i < ct::ceildiv(rows, 8); ++i)
    sum = sum + view(x, rows, columns).load_masked(i, ct::bid().x);
  columns_of(y, rows).store_masked(ct::sum(sum, 1_ic), ct::bid().x, 0);
}

// a number that is carried, too
__tile_global__ void counted(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<tile>();
  float weight = 1.0f;
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i) {
    sum = sum + weight * view(x, rows, columns).load_masked(ct::bid().x, i);
    weight = weight * 0.5f;
  }
  columns_of(y, rows).store_masked(ct::sum(sum, 1_ic), ct::bid().x, 0);
}

// what the rounds before have made of other rows
__tile_global__ void turned(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<ct::tile<float, ct::shape<256, 256>>>();
  ct::partition_view all{ct::tensor_span{x, ct::extents{rows, columns}}, ct::shape<256, 256>{}};
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i)
    sum = ct::transpose(sum) + all.load_masked(ct::bid().x, i);
  auto found = ct::extract(ct::sum(sum, 1_ic), ct::shape<8, 1>{}, 0, 0);
  columns_of(y, rows).store_masked(found, ct::bid().x, 0);
}

// what is stored meanwhile
__tile_global__ void stored(const float* x, float* y, int rows, int columns) {
  auto sum = ct::zeros<tile>();
  for (int i = 0; i < ct::ceildiv(columns, 256); ++i) {
    sum = sum + view(x, rows, columns).load_masked(ct::bid().x, i);
    columns_of(y, rows).store_masked(ct::sum(sum, 1_ic), ct::bid().x, 0);
  }
}
"""
BY_ROWS = {"sums": True, "vector_product": True}
BY_ROWS |= dict.fromkeys(["totals", "online", "sum_of_rows", "down", "counted", "turned", "stored"], False)


@pytest.fixture(scope="module")
def made() -> tileir.Module:
    return module(SOURCE, *BY_ROWS)


@pytest.fixture(scope="module")
def ways() -> list[pct.Module]:
    return [pct.build(SOURCE, target="cpu", optimize=way, kernels=list(BY_ROWS)) for way in (True, False)]


@pytest.mark.parametrize("name", BY_ROWS)
def test_results(made: tileir.Module, ways: list[pct.Module], name: str):
    text = fuse(made)[0]
    body = text[text.index(f"{name}PKf") :].partition("__tile_global__")[0]
    assert ("for (long long row" in body) == BY_ROWS[name]
    x = np.random.default_rng(6).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    x[1, 5], x[2, 300], x[3, :] = np.nan, np.inf, 0
    results = []
    for run in (*(way[name][2] for way in ways), lambda *given: tileir.interpret(made, name, 2, *given)):
        results.append(np.zeros(ROWS, np.float32))
        with np.errstate(all="ignore"):
            run(x, results[-1], ROWS, COLUMNS)
    assert same(*results[:2])
    np.testing.assert_allclose(results[0], results[2], rtol=1e-5, atol=1e-4)  # sums in another order
