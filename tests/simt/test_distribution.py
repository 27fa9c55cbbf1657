"""Distributions of tiles over threads, checked at compile time: every element is in a thread and a slot,
vectors are neighbours in memory, and reductions of matrix rows need no other distribution."""

from __future__ import annotations

import pytest
from holds import broken

SHAPES = [
    "",
    "1",
    "2",
    "64",
    "1024",
    "1, 1024",
    "16, 8",
    "16, 64",
    "64, 1",
    "128, 64",
    "256, 128",
    "2, 64, 32",
]
SHAPES += ["8, 64", "1024, 2", "4, 4096", "4096, 1", "1, 128, 64", "64, 8, 1", "32, 4"]

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

/// Whether `index` takes each element to exactly one slot of one first thread, and `slot` and `owner` back.
template <typename D>
constexpr bool is_bijection() {
  bool seen[D::size] = {};
  unsigned count = 0;
  for (unsigned t = 0; t < D::threads; ++t)
    for (unsigned s = 0; s < D::slots; ++s) {
      unsigned i = D::index(t, s);
      if (i >= D::size || D::slot(i) != s)
        return false;
      if (!D::first(t))
        continue;
      if (seen[i] || D::owner(i) != t)
        return false;
      seen[i] = true;
      ++count;
    }
  return count == D::size;
}

template <typename D>
constexpr bool has_vectors(unsigned columns) {
  for (unsigned t = 0; t < D::threads; ++t)
    for (unsigned s = 0; s < D::slots; ++s)
      if (D::index(t, s) != D::index(t, s / D::vector * D::vector) + s % D::vector)
        return false;
  return D::vector <= columns;
}

/// Of a shape.
template <unsigned... Lengths>
constexpr bool is_distributed() {
  using S = ct::shape<Lengths...>;
  using D = ct::detail::distribution_of<S>;
  return is_bijection<D>() && has_vectors<D>(ct::detail::row_length<S>());
}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("threads", [4, 32, 128, 256])
def test_distributions(threads):
    conditions = {shape: f"is_distributed<{shape}>()" for shape in SHAPES}
    assert broken(SOURCE, conditions, threads) == []


def test_matrix_accumulators_hold_eight_neighbours():
    source = SOURCE + "using D = ct::detail::distribution_of<ct::shape<128, 128>>;\n"
    conditions = [
        "D::slots == 128",
        "D::vector == 8",
        "D::index(1, 0) == 8",
        "D::index(4, 0) == 128",
        "D::index(0, 32) == 8 * 128",
    ]
    assert broken(source, dict(zip(conditions, conditions, strict=True)), 128) == []
