"""What control flow becomes: the operations by their names, and results against Python."""

from __future__ import annotations

import numpy as np
import pytest
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk

SOURCE = """
#include <optional>
#include "cuda_tile.h"
namespace ct = cuda::tiles;

__tile_global__ void counted(int* y, int n) { for (int i = 0; i < n; ++i) y[i] = i * i; }
__tile_global__ void by_range(int* y, int n) { for (int i : ct::irange(2, n, 3)) y[i] = i; }
__tile_global__ void unsigned_range(int* y, unsigned n) { for (unsigned i : ct::irange(0u, n)) y[i] = 1; }
__tile_global__ void index_behind(int* y, int n) {
  int i = 0;
  for (; i < n; i += 4) y[i] = 1;
  y[i] = 2;
}
__tile_global__ void while_loop(int* y, int n) {
  while (n != 1) { *y += 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1; }
}
__tile_global__ void early(int* y, int n) {
  if (n > 5) return;
  for (int i = 0; i < 8; ++i) {
    if (y[i] == n) { y[8] = i; return; }
    if (y[i] < 0) continue;
    if (y[i] > 90) break;
    y[i] += 10;
  }
  y[9] = 1;
}
__tile_global__ void nested(int* y, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i * j == 6) goto_end(y, i, j);
      if (j > i) break;
      y[i] += j;
    }
}
__tile_global__ void chosen(int* y, int n) {
  switch (n) {
  case 0: y[0] = 1; break;
  case 1: y[0] = 2; // and the next
  case 2: y[1] = 3; break;
  case 7: case 9: y[2] = 4; return;
  default: y[3] = 5;
  }
  y[4] = 6;
}
__tile_global__ void carried(float* y, int n) {
  auto t = ct::zeros<ct::tile<float, ct::shape<4>>>();
  auto u = ct::full<ct::tile<float, ct::shape<4>>>(1.0f);
  for (int i = 0; i < n; ++i) { auto s = t + u; t = u; u = s; }
  ct::store(y + ct::iota<ct::tile<int, ct::shape<4>>>(), t);
}
__tile_global__ void known(int* y, int n) {
  using B = ct::tile<bool, ct::shape<>>;
  B yes{true}, no{false};
  if (yes) y[0] = 1;
  if (no) y[1] = 1; else y[1] = 2;
  while (yes) { y[2] += 1; if (n > 1) break; n = n + 1; }
  do y[3] += 1; while (no);
  for (int i = 0; i < 3; ++i) { if (no) continue; y[4] += i; }
  if (no) return;
  y[5] = yes ? y[2] : n;
  while (yes) { y[6] = n; if (no) y[7] = 1; return; }
  y[8] = 1;
}
__tile_global__ void perhaps(int* y, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<4>>>();
  std::optional<decltype(i)> t;
  for (int j = 0; j < n; ++j) t = t ? *t * i + j : i + 5;
  ct::store(y + i, t.value_or(i - 1));
}
""".replace("goto_end(y, i, j)", "y[7] = 10 * i + j")


def ran(kernel: str, array: np.ndarray, *arguments) -> tuple[np.ndarray, list[str]]:
    """What a kernel leaves in an array, and the operations of it that hold others."""
    made = module(SOURCE, kernel)
    (entry,) = made.entries
    tileir.interpret(made, entry.name, 1, array, *arguments)
    return array, [op.name for op in walk(entry.body) if op.name in ("if", "for", "loop")]


def zeros(count: int = 10) -> np.ndarray:
    return np.zeros(count, np.int32)


def test_loops_that_count_are_for():
    y, shape = ran("counted", zeros(), 4)
    assert (list(y[:5]), shape) == ([0, 1, 4, 9, 0], ["for"])
    y, shape = ran("by_range", zeros(), 9)
    assert (list(y), shape) == ([0, 0, 2, 0, 0, 5, 0, 0, 8, 0], ["for"])
    y, shape = ran("unsigned_range", zeros(), 3)
    assert (list(y[:4]), shape) == ([1, 1, 1, 0], ["for"])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_an_index_is_known_behind_its_loop(n: int):
    y, shape = ran("index_behind", zeros(), n)
    expected = zeros()
    expected[0:n:4] = 1
    expected[-(-n // 4) * 4] = 2
    assert (list(y), shape) == (list(expected), ["for"])


def test_while_is_loop():
    y, shape = ran("while_loop", zeros(1), 7)
    assert y[0] == 16 and "loop" in shape and "for" not in shape


@pytest.mark.parametrize("n", [3, 4, 6])
def test_return_break_and_continue(n: int):
    before = np.array([0, -1, 4, 2, 95, 3, 1, 1, 0, 0], np.int32)
    expected = before.copy()
    if n <= 5:
        for i in range(8):
            if expected[i] == n:
                expected[8] = i
                break
            if expected[i] < 0:
                continue
            if expected[i] > 90:
                expected[9] = 1
                break
            expected[i] += 10
    y, _ = ran("early", before, n)
    assert list(y) == list(expected)


def test_nested_loops():
    y, _ = ran("nested", zeros(), 5)
    expected = zeros()
    for i in range(5):
        for j in range(5):
            if i * j == 6:
                expected[7] = 10 * i + j
            if j > i:
                break
            expected[i] += j
    assert list(y) == list(expected)


@pytest.mark.parametrize(
    "n, expected", [(0, [1, 0, 0, 0, 6]), (1, [2, 3, 0, 0, 6]), (2, [0, 3, 0, 0, 6]), (9, [0, 0, 4, 0, 0])]
)
def test_switch(n: int, expected: list[int]):
    assert list(ran("chosen", zeros(5), n)[0]) == expected


def test_tiles_are_handed_from_round_to_round():
    y, shape = ran("carried", np.zeros(4, np.float32), 6)
    assert (list(y), shape) == ([8] * 4, ["for"])


@pytest.mark.parametrize("n, rounds", [(0, 3), (7, 1)])
def test_ways_meet_behind_conditions_that_are_constant_tiles(n: int, rounds: int):
    y, _ = ran("known", zeros(), n)
    assert list(y) == [1, 2, rounds, 1, 3, rounds, max(n, 2), 0, 0, 0]


@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_tile_that_there_may_be(n: int):
    i = np.arange(4, dtype=np.int32)
    expected = i - 1
    for j in range(n):
        expected = expected * i + j if j else i + 5
    assert list(ran("perhaps", zeros(4), n)[0]) == list(expected)
