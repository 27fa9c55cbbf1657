"""Local arrays of tiles and of structures with tiles, indexed at run time."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.errors import NotAvailableYet
from pycuda_tile.tileir.ir import walk

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using tile = ct::tile<float, ct::shape<8, 4>>;
using flags = ct::tile<bool, ct::shape<8, 4>>;
struct item { tile t; flags f; int k; };
"""
ITEMS = """
__tile_global__ void items(float* y, int n) {
  item items[3];
  for (int i = 0; i < 3; ++i) {
    items[i].t = ct::full<tile>(i + 0.5f);
    items[i].f = items[i].t > ct::full<tile>(1.0f);
    items[i].k = i * 10;
  }
  for (int i = 0; i < n; ++i) {
    auto& x = items[i % 3];
    auto other = items[(i + 1) % 3];
    x.t = ct::select(other.f, x.t + other.t, x.t);
    x.k += other.k;
    items[(i + 2) % 3].f = x.f;
  }
  tile sum = ct::zeros<tile>();
  for (auto& x : items)
    sum = sum + x.t * static_cast<float>(x.k);
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(sum, 0, 0);
}
"""


def sum_of_items(n: int) -> float:
    items = [[i + 0.5, i + 0.5 > 1, i * 10] for i in range(3)]
    for i in range(n):
        x, other = items[i % 3], items[(i + 1) % 3]
        x[0] += other[0] * other[1]
        x[2] += other[2]
        items[(i + 2) % 3][1] = x[1]
    return sum(t * k for t, _, k in items)


def test_structures_with_tiles():
    made = module(HEAD + ITEMS)
    (entry,) = made.entries
    built = tileir.build(made, target="cpu")
    assert sum(op.name == "alloca" for op in walk(entry.body)) == 1
    for n in (0, 1, 5, 8):
        expected = np.full((8, 4), sum_of_items(n), np.float32)
        for launch in (lambda y, n: tileir.interpret(made, entry.name, 1, y, n), built.kernel(entry.name)[1]):
            y = np.zeros((8, 4), np.float32)
            launch(y, n)
            np.testing.assert_array_equal(y, expected)


def test_shuffled_accesses_change_nothing():
    made = module(HEAD + ITEMS)
    for seed in range(3):
        y = np.zeros((8, 4), np.float32)
        tileir.interpret(made, made.entries[0].name, 1, y, 7, seed=seed)
        assert np.all(y == sum_of_items(7))


MIXED = """
struct mixed { tile t; float f[4]; short s[6]; };
__tile_global__ void structures(float* y, int n) {
  mixed m[3];
  for (int i = 0; i < 3; ++i) {
    m[i].t = ct::full<tile>(i + 0.5f);
    for (int j = 0; j < 4; ++j)
      m[i].f[j] = i + j;
    for (int j = 0; j < 6; ++j)
      m[i].s[j] = static_cast<short>(i * j);
  }
  for (int i = 0; i < n; ++i) {
    m[i % 3].f[i & 3] += m[(i + 1) % 3].f[(i + 1) & 3];
    m[i % 3].s[i % 6] += 3;
    m[i % 3].t = m[(i + 2) % 3].t + m[i % 3].f[i * i & 3];
  }
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(
      m[n % 3].t * static_cast<float>(m[1].s[n % 6]), 0, 0);
}
__tile_global__ void pointers(int* x, int* y, int n) {
  int* places[4] = {x, nullptr, y};
  places[n & 3] = x + 1;
  for (int i = 0; i < n; ++i) {
    int* first = places[0];
    for (int j = 0; j < 3; ++j)
      places[j] = places[j + 1];
    places[3] = first;
  }
  for (int i = 0; i < 4; ++i)
    if (places[i])
      *places[i] += i + 10;
}
"""


def of_mixed(n: int) -> float:
    t, f = [i + 0.5 for i in range(3)], [[i + j for j in range(4)] for i in range(3)]
    s = [[i * j for j in range(6)] for i in range(3)]
    for i in range(n):
        f[i % 3][i & 3] += f[(i + 1) % 3][(i + 1) & 3]
        s[i % 3][i % 6] += 3
        t[i % 3] = t[(i + 2) % 3] + f[i % 3][i * i & 3]
    return t[n % 3] * s[1][n % 6]


def test_arrays_within_structures_and_of_pointers():
    made = module(HEAD + MIXED)
    structures, pointers = (entry.name for entry in made.entries)
    for n in (0, 1, 7):
        y = np.zeros((8, 4), np.float32)
        tileir.interpret(made, structures, 1, y, n, seed=n)
        assert np.all(y == of_mixed(n))
        x, y = [0, 0], [0]
        places: list = [(x, 0), None, (y, 0), None]
        places[n & 3] = (x, 1)
        for i, place in enumerate(places[n % 4 :] + places[: n % 4]):
            if place:
                place[0][place[1]] += i + 10
        got = [np.zeros(2, np.int32), np.zeros(1, np.int32)]
        tileir.interpret(made, pointers, 1, *got, n, seed=n)
        assert [given.tolist() for given in got] == [x, y]


STACKS = """
template <typename N> struct stack {
  tile at[4];
  N count = 0;
  __tile__ void push(tile t) { at[static_cast<int>(count)] = t; count += 1; }
  __tile__ tile pop() { count -= 1; return at[static_cast<int>(count)]; }
};
template <typename N> __tile__ void used(float* y, int n) {
  stack<N> stacks[2];
  for (int i = 0; i < 6; ++i)
    stacks[(i + n) & 1].push(ct::full<tile>(i + 0.5f));
  auto copy = stacks[n & 1];
  copy.push(copy.pop() * 2.0f);
  if (n > 2) copy.push(stacks[1].pop());
  tile sum = ct::zeros<tile>();
  while (copy.count > 0) sum = sum * 10.0f + copy.pop();
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(sum, 0, 0);
  *y = static_cast<float>(stacks[0].count);
}
__tile_global__ void counts_int(float* y, int n) { used<int>(y, n); }
__tile_global__ void counts_char(float* y, int n) { used<signed char>(y, n); }
__tile_global__ void counts_long(float* y, int n) { used<long>(y, n); }
__tile_global__ void counts_float(float* y, int n) { used<float>(y, n); }
"""


def test_numbers_behind_arrays_of_tiles():
    """In one structure: LLVM does not say where the array ends."""
    made = module(HEAD + STACKS)
    for n in (1, 2, 4, 5):
        stacks: list[list[float]] = [[], []]
        for i in range(6):
            stacks[(i + n) & 1].append(i + 0.5)
        copy = stacks[n & 1][:]
        copy[-1] *= 2
        copy += [stacks[1].pop()] if n > 2 else []
        total = np.float32(0)
        while copy:
            total = total * np.float32(10) + np.float32(copy.pop())
        expected = np.full(32, total)
        expected[0] = len(stacks[0])
        for entry in made.entries:
            y = np.zeros(32, np.float32)
            tileir.interpret(made, entry.name, 1, y, n, seed=n)
            np.testing.assert_array_equal(y, expected)


NESTED = """
struct entry { tile t; int n; };
struct table { entry in[2]; tile last; unsigned char tag; };
__tile_global__ void nested(float* y, int n) {
  table a{{{ct::full<tile>(1.0f), 1}, {ct::full<tile>(2.0f), 2}}, ct::full<tile>(3.0f), 4}, b = a;
  for (int i = 0; i < n; ++i) {
    a.in[i % 2].n += a.tag;
    a.in[i % 2].t = a.in[(i + 1) % 2].t + static_cast<float>(b.in[a.tag > 50].n);
    a.tag = static_cast<unsigned char>(a.tag + 100);
    if (i % 3 == 2)
      b = a;
    else
      b.in[i % 2] = a.in[n % 2];
  }
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(
      a.in[n % 2].t + static_cast<float>(b.in[n % 2].n), 0, 0);
}
"""


def of_nested(n: int) -> float:
    t, numbers, tag = [1.0, 2.0], [1, 2], 4
    of_b = [1, 2]
    for i in range(n):
        numbers[i % 2] += tag
        t[i % 2] = t[(i + 1) % 2] + of_b[tag > 50]
        tag = (tag + 100) % 256
        if i % 3 == 2:
            of_b = list(numbers)
        else:
            of_b[i % 2] = numbers[n % 2]
    return t[n % 2] + of_b[n % 2]


def test_numbers_of_several_sizes_beside_tiles():
    made = module(HEAD + NESTED)
    for n in (0, 1, 6, 9):
        y = np.zeros((8, 4), np.float32)
        tileir.interpret(made, made.entries[0].name, 1, y, n)
        assert np.all(y == of_nested(n))


SWAPPED = """
struct both { tile t; int n; short a, b; };
__tile_global__ void swapped(int* y, int n) {
  both x[3] = {{ct::zeros<tile>(), 1, 2, 3}, {ct::zeros<tile>(), 4, 5, 6}, {ct::zeros<tile>(), 7, 8, 9}};
  for (int i = 0; i < n; ++i) {
    both other = x[i % 3];
    x[i % 3] = x[(i + 1) % 3];
    x[(i + 1) % 3] = other;
  }
  for (int i = 0; i < 3; ++i)
    y[i] = x[i].n * 100 + x[i].a * 10 + x[i].b;
}
"""


def test_shuffled_copies_change_nothing():
    made = module(HEAD + SWAPPED)
    expected = [123, 456, 789]
    for i in range(7):
        expected[i % 3], expected[(i + 1) % 3] = expected[(i + 1) % 3], expected[i % 3]
    for seed in range(6):
        y = np.zeros(3, np.int32)
        tileir.interpret(made, made.entries[0].name, 1, y, 7, seed=seed)
        assert y.tolist() == expected, seed


CARRIED = """
#include <array>
template <typename A> __tile__ void visit(A& rows, float* y, int n) {
  int count = 0;
  for (auto& row : rows)
    for (auto& t : row) t = ct::full<tile>(1.0f + count++);
  for (int j = 0; j < n; ++j) rows[j & 1][j % 3] = rows[j + 1 & 1][j & 1] + static_cast<float>(j);
  tile sum = ct::zeros<tile>();
  for (auto& row : rows)
    for (auto& t : row) sum = sum * 2.0f + t;
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(sum, 0, 0);
}
__tile_global__ void of_arrays(float* y, int n) { tile rows[2][3]; visit(rows, y, n); }
__tile_global__ void of_standard_arrays(float* y, int n) {
  std::array<std::array<tile, 3>, 2> rows;
  visit(rows, y, n);
}
__tile_global__ void pointers(float* y, int n) {
  tile a = ct::full<tile>(1.0f), b = ct::full<tile>(3.0f);
  tile *from = &a, *to = &b;
  for (int j = 0; j < n; ++j) {
    *to = *from * 2.0f - *to + static_cast<float>(j);
    auto other = from;
    from = to;
    to = other;
  }
  tile sum = *from * 100.0f + *to;
  ct::partition_view{ct::tensor_span{y, ct::extents{8, 4}}, ct::shape<8, 4>{}}.store(sum, 0, 0);
}
"""


def of_rows(n: int) -> int:
    rows = [[1, 2, 3], [4, 5, 6]]
    for j in range(n):
        rows[j & 1][j % 3] = rows[j + 1 & 1][j & 1] + j
    return functools.reduce(lambda total, t: total * 2 + t, [*rows[0], *rows[1]])


def of_pointers(n: int) -> int:
    start, to = 1, 3
    for j in range(n):
        start, to = start * 2 - to + j, start
    return start * 100 + to


def test_loops_may_carry_pointers_to_tiles():
    made = module(HEAD + CARRIED)
    built = tileir.build(made, options=("-O1",))
    for entry, expected in zip(made.entries, (of_rows, of_rows, of_pointers), strict=True):
        for n in (0, 1, 2, 7):
            interpreted, launched = np.zeros((2, 8, 4), np.float32)
            tileir.interpret(made, entry.name, 1, interpreted, n, seed=n)
            built.kernel(entry.name)[1](launched, n)
            assert np.all(interpreted == expected(n)) and np.all(launched == expected(n)), (entry.name, n)


def test_distances_between_tiles_are_refused():
    """Tiles are apart by other numbers than LLVM says."""
    text = """
__tile_global__ void k(float* y, int n) {
  tile a[3], *p = a;
  for (int j = 0; j < n; ++j) *p++ = ct::full<tile>(1.0f);
  *y = p - a;
}
"""
    with pytest.raises(NotAvailableYet, match="the address of an element of an array of tiles as a number"):
        module(HEAD + text)
