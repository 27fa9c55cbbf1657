"""Loads from places that loops compute from positions: quotients, remainders and rows that begin anywhere."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pass_results import guarded

import pycuda_tile as pct

SIZE = 512
TABLE = 4096
#: Places in terms of positions `i` and two numbers. Quotients change within strips, or not at all.
PLACES = {
    "quotient": "i / n",
    "remainder": "i % n",
    "both": "(i % n) * 5 + i / n",
    "nested": "((i / n) % m) * 3 + i % n",
    "of_quotients": "(i / n) / m + (i % n) / m",
    "backward": "(511 - i) / n",
    "steps": "(2 * i + m) / n + (3 * i) % m",
    "far": "(i + 2147483000) / n % m",
    "clamped": "least(2 * i + n, 9 * m + 100)",
    "clamped_backward": "most(least(511 - i, n), m) / 2",
    # Numbers that are repeated a constant power of two times.
    "halves": "i / 2 + n",
    "eighths": "(i + n) / 8",
    "nested_halves": "(i + 3 * m) / 4 / 2",
    "of_columns": "(i / n) * 4 + (i % n) / 2",
    "of_several": "i / 2 + i / 4 * 8 + i / 64",
    "packed": "(i >> 4) + (i & 15) / 8 * n",
    "halves_backward": "(511 - i) / 2",
    "clamped_halves": "least(i / 2, n) + most(i / 16, m)",
    "products": "(i / 4) * (i % 4)",
    "large": "(i + m) / 256 + (i + n >> 10)",
    "halves_of_steps": "(3 * i + n) / 2 % 1024",
}
HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename E, int... N>
using tile = ct::tile<E, ct::shape<N...>>;
template <typename A, typename B>
__tile__ auto least(A a, B b) { return ct::min(a, b); }
template <typename A, typename B>
__tile__ auto most(A a, B b) { return ct::max(a, b); }
"""
KERNEL = """
__tile_global__ void NAME(const E* table, E* y, int count, T n, T m) {
  auto i = ct::iota<tile<T, 512>>();
  auto place = PLACE;
  auto own = ct::iota<tile<int, 512>>();
  auto x = ct::load_masked(table + place, own < count, E(7));
  ct::store(y + own, x + x);
}
"""
DTYPES = {"float": np.float32, "double": np.float64, "short": np.int16}


@pytest.fixture(scope="module", params=[("int", "float"), ("unsigned", "double"), ("long long", "short")])
def built(request):
    """A module with a kernel for each place, and the type of its elements."""
    index, kind = request.param
    places = {name: re.sub(r"(\d+)", r"T(\1)", text) for name, text in PLACES.items()}
    each = [KERNEL.replace("NAME", name).replace("PLACE", text) for name, text in places.items()]
    types = f"using T = {index};\nusing E = {kind};\n"
    return pct.build(HEAD + types + "".join(each), target="cpu", optimize=True), np.dtype(DTYPES[kind])


@given(st.integers(1, 600), st.integers(1, 40), st.sampled_from([0, 1, 31, 32, 33, 500, SIZE]))
@example(32, 8, SIZE)  # whole strips
@example(1, 1, SIZE)
@example(2, 1, SIZE)
@example(33, 16, SIZE)
@example(49, 16, 500)
@example(20, 7, SIZE)
@settings(max_examples=30)
def test_places(built, n: int, m: int, count: int):
    module, dtype = built
    table = np.arange(TABLE).astype(dtype)
    i = np.arange(SIZE, dtype=np.int64)
    for name, text in PLACES.items():
        place = eval(
            text.replace("/", "//"), {"i": i, "n": n, "m": m, "least": np.minimum, "most": np.maximum}
        )
        known = place < TABLE
        if not known.all():
            continue
        y = np.zeros(SIZE, dtype)
        read = guarded_copy(table[: place[:count].max(initial=0) + 1])
        module[name][1](read, y, count, n, m)
        x = np.where(i < count, table[place], dtype.type(7))
        np.testing.assert_array_equal(y, x + x, f"{name}, n = {n}, m = {m}, count = {count}")


OTHERS = (
    HEAD
    + """
// y[i] = table[i / n]: in place, if these overlap
__tile_global__ void repeated(const int* table, int* y, int n) {
  auto i = ct::iota<tile<int, 512>>();
  ct::store(y + i, ct::load(table + i / n) + 1);
}
// places below and above zero, whose quotients are rounded to zero, and that wrap around
__tile_global__ void around(const int* table, int* y, int first, int factor, int n) {
  auto i = ct::iota<tile<int, 512>>();
  auto place = (first + i * factor) / n;
  ct::store(y + i, ct::load_masked(table + place, (place > -100) & (place < 100), -1));
}
// rows that begin where a tile says, and their sums
__tile_global__ void rows(const float* table, const int* first, float* y, int n) {
  auto i = ct::iota<tile<int, 16>>();
  auto j = ct::iota<tile<int, 128>>();
  auto begin = ct::load(first + i);
  auto place = ct::reshape(begin, ct::shape<16, 1>{}) + ct::reshape(j, ct::shape<1, 128>{});
  auto x = ct::load_masked(table + place, ct::reshape(j < n, ct::shape<1, 128>{}), 0.0f);
  ct::store(y + j, ct::reshape(ct::sum(x, 0_ic), ct::shape<128>{}));
  ct::store(y + 128 + i, ct::reshape(ct::sum(x * x, 1_ic), ct::shape<16>{}));
}
// the same for short rows, whose numbers may wrap around on the way; they are stored to such rows, too
template <int N>
__tile_global__ void short_rows(const float* table, const int* first, float* y, int shift, int n) {
  auto i = ct::reshape(ct::iota<tile<int, 16>>(), ct::shape<16, 1>{});
  auto j = ct::reshape(ct::iota<tile<int, N>>(), ct::shape<1, N>{});
  auto begin = ct::load(first + i);
  auto x = ct::load_masked(table + (begin + shift + j + -shift), (j < n) & (i != 3), -1.0f);
  ct::store_masked(y + (begin + shift + j + -shift), x + 1.0f, j < n - 1);
}
template __tile_global__ void short_rows<8>(const float*, const int*, float*, int, int);
template __tile_global__ void short_rows<64>(const float*, const int*, float*, int, int);
// of what is stored to one place the last element counts
__tile_global__ void put(const int* x, int* y, int n, int m, int count) {
  auto i = ct::iota<tile<int, 512>>();
  auto place = i / n % m * 3 + i % n;
  ct::store_masked(y + place, ct::load(x + i) * 2, i < count);
}
__tile_global__ void put_rows(const short* x, const int* first, short* y, int n) {
  auto i = ct::reshape(ct::iota<tile<int, 16>>(), ct::shape<16, 1>{});
  auto j = ct::reshape(ct::iota<tile<int, 128>>(), ct::shape<1, 128>{});
  auto begin = ct::load(first + i);
  ct::store_masked((y + begin) + j, ct::load(x + (i * 128 + j)), (j < n) & (i != 3));
}
__tile_global__ void put_eighths(const int* x, int* y, int first, int count) {
  auto i = ct::iota<tile<int, 512>>();
  ct::store_masked(y + (i + first) / 8, ct::load(x + i) * 2, i < count);
}
// packed numbers, of which groups share a factor
template <int Rows, int Columns>
__tile_global__ void unpack(const unsigned* words, const short* factors, int* y, int columns, int first) {
  auto i = ct::reshape(ct::iota<tile<int, Rows>>(), ct::shape<Rows, 1>{});
  auto j = first + ct::reshape(ct::iota<tile<int, Columns>>(), ct::shape<1, Columns>{});
  auto packed = ct::load(words + i * (columns / 8) + j / 8);
  auto number = ct::element_cast<int>((packed >> ct::element_cast<unsigned>(j % 8 * 4)) & 15u);
  ct::store(y + i * Columns + (j - first), number * ct::load(factors + i * (columns >> 5) + (j >> 5)));
}
template __tile_global__ void unpack<4, 256>(const unsigned*, const short*, int*, int, int);
template __tile_global__ void unpack<16, 32>(const unsigned*, const short*, int*, int, int);
template __tile_global__ void unpack<8, 16>(const unsigned*, const short*, int*, int, int);
// all elements are loaded before the first one is stored
__tile_global__ void update(int* y, int n) {
  auto place = ct::iota<tile<int, 512>>() / n;
  ct::store(y + place, ct::load(y + place) + 1);
}
// several arrays at the same places, of numbers of other sizes, and one at other places
__tile_global__ void normalized(const float* x, const float* a, const double* b, const short* c, double* y,
                                int n, int m, int count) {
  auto i = ct::iota<tile<int, 512>>();
  auto place = i / n % m, other = i % n;
  auto exist = i < count;
  auto shift = ct::load_masked(b + place, exist, -1.0) * ct::load_masked(c + place, exist, short(3));
  auto scaled = ct::load_masked(x + i, exist, 0.5f) * ct::load_masked(a + place, exist, 2.0f);
  ct::store_masked(y + i, scaled + shift * ct::load_masked(a + other, exist, 1.0f), exist);
}
// a row is loaded again after its sum, and a scan from its end
__tile_global__ void again(const float* table, float* y, int n) {
  auto i = ct::iota<tile<int, 512>>();
  auto x = ct::load(table + i / n * 2);
  ct::store(y + i, ct::partial_sum(x / ct::sum(x, 0_ic), 0_ic));
}
"""
)


@pytest.fixture(scope="module")
def others():
    return [pct.build(OTHERS, target="cpu", optimize=optimize) for optimize in ("auto", False, True)]


def guarded_copy(array: np.ndarray) -> np.ndarray:
    """A copy that ends with a page, behind which nothing can be read."""
    copy = guarded(array.nbytes).view(array.dtype)
    copy[:] = array
    return copy


@pytest.mark.parametrize("n", [1, 7, 31, 32, 33, 49, 100, 512, 600])
@pytest.mark.parametrize("m", [1, 5, 600])
def test_arrays_at_the_same_places(others, n: int, m: int):
    """Strips that begin in one quotient and end in the next one, or with more of them."""
    rng, i = np.random.default_rng(n), np.arange(512)
    x, a = (rng.integers(-9, 9, 600).astype(np.float32) for _ in range(2))
    b, c = rng.integers(-9, 9, 600).astype(np.float64), rng.integers(-9, 9, 600).astype(np.int16)
    place = i // n % m
    wanted = x[:512].astype(np.float64) * a[place] + b[place] * c[place] * a[i % n]
    for module in others:
        for count in (512, 509, 33, 20, 1, 0):
            # Arrays end with what exists: others must not be read.
            last, rest = (place[:count].max(), (i % n)[:count].max()) if count else (0, 0)
            y = np.full(512, 77.0)
            sizes = (max(last, rest) + 1, last + 1, last + 1)
            given = [guarded_copy(array[:size]) for array, size in zip((a, b, c), sizes, strict=True)]
            module["normalized"][1](x, *given, y, n, m, count)
            np.testing.assert_array_equal(y[:count], wanted[:count])
            assert (y[count:] == 77).all()


@pytest.mark.parametrize("n", [1, 2, 33, 512])
def test_overlapping_arrays(others, n: int):
    """All elements are loaded before one is stored."""
    for at in (0, 256, 512):
        arrays = [np.arange(1024, dtype=np.int32) for _ in others]
        wanted = arrays[0][np.arange(512) // n] + 1
        for module, array in zip(others, arrays, strict=True):
            if module is others[2] and 511 // n >= at:
                with pytest.raises(pct.LaunchError, match="overlap"):
                    module["repeated"][1](array, array[at:], n)
            else:
                module["repeated"][1](array, array[at:], n)
                np.testing.assert_array_equal(array[at : at + 512], wanted)


@pytest.mark.parametrize(
    "first, factor, n",
    [
        *[(-100, 1, 3), (-511, 1, 32), (511, -1, 7), (-40, 2, -3), (5, 1, -8)],
        *[(2**31 - 100, 1, 2**25), (2**31 - 1, 2**30, 2**26), (-(2**31), -1, 2**26), (0, 2**24, 2**25)],
    ],
)
def test_places_that_are_negative_or_wrap_around(others, first: int, factor: int, n: int):
    table = np.arange(200, dtype=np.int32)
    i = np.arange(512, dtype=np.int64)
    number = (first + i * factor + 2**31) % 2**32 - 2**31
    place = np.sign(number) * (abs(number) // abs(n)) * np.sign(n)
    wanted = np.where(abs(place) < 100, np.take(table, place + 100, mode="clip"), -1)
    for module in others[:2]:
        y = np.zeros(512, np.int32)
        module["around"][1](table[100:], y, first, factor, n)
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("n", [0, 1, 50, 128])
def test_rows_that_begin_anywhere(others, n: int):
    table = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    first = np.random.default_rng(1).integers(0, 870, 16).astype(np.int32)
    results = []
    for module in others:
        results.append(np.zeros(144, np.float32))
        module["rows"][1](table, first, results[-1], n)
    x = np.where(np.arange(128) < n, table[first[:, None] + np.arange(128)], 0)
    # sums of 16 and 128 floats: their rounding errors
    np.testing.assert_allclose(results[0][:128], x.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(results[0][128:], (x * x).sum(1), rtol=1e-5)
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("columns", [8, 64])
@pytest.mark.parametrize("shift", [0, 2**31 - 200, 2**31 - 1])
def test_short_rows(others, columns: int, shift: int):
    table = np.random.default_rng(2).standard_normal(600).astype(np.float32)
    first = np.random.default_rng(3).permutation(16).astype(np.int32) * 30 + 1
    for n in (0, 1, columns // 2 + 1, columns):
        wanted = np.zeros(600, np.float32)
        for i, begin in enumerate(first):
            x = np.full(columns, -1, np.float32) if i == 3 else table[begin : begin + columns]
            wanted[begin : begin + max(n - 1, 0)] = x[: max(n - 1, 0)] + 1
        for module in others:
            y = np.zeros(600, np.float32)
            module[f"short_rows<{columns}>"][1](table, first, y, shift, n)
            np.testing.assert_array_equal(y, wanted, f"n = {n}")


@pytest.mark.parametrize("n", [1, 3, 32, 100, 512])
def test_rows_that_are_needed_again(others, n: int):
    table = np.random.default_rng(0).uniform(1, 2, 1024).astype(np.float32)
    results = [np.zeros(512, np.float32) for _ in others]
    for module, y in zip(others, results, strict=True):
        module["again"][1](table, y, n)
    x = table[np.arange(512) // n * 2].astype(np.float64)
    np.testing.assert_allclose(results[0], np.cumsum(x / x.sum()), rtol=1e-4)  # 512 sums in float
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize(
    "n, m, count", [(1, 600, 512), (1, 7, 100), (32, 20, 512), (33, 3, 511), (500, 2, 400), (600, 1, 0)]
)
def test_stores(others, n: int, m: int, count: int):
    x, wanted = np.arange(512, dtype=np.int32), np.zeros(2000, np.int32)
    for i in range(count):
        wanted[i // n % m * 3 + i % n] = 2 * i
    for module in others:
        y = np.zeros(2000, np.int32)
        module["put"][1](x, y, n, m, count)
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("first, count", [(0, 512), (3, 512), (8, 500), (40, 3), (0, 0)])
def test_stores_to_repeated_places(others, first: int, count: int):
    """Of what is stored to one place the last element counts."""
    x, wanted = np.arange(512, dtype=np.int32), np.zeros(80, np.int32)
    for i in range(count):
        wanted[(i + first) // 8] = 2 * i
    for module in others:
        y = np.zeros(80, np.int32)
        module["put_eighths"][1](x, y, first, count)
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("rows, columns", [(4, 256), (16, 32), (8, 16)])
@pytest.mark.parametrize("first", [0, 16, 3])
def test_packed_numbers(others, rows: int, columns: int, first: int):
    """Tiles that begin within a word or a group, too."""
    rng, width = np.random.default_rng(first), 512
    words = rng.integers(0, 2**32, (rows, width // 8), dtype=np.uint32)
    factors = rng.integers(-99, 99, (rows, width // 32)).astype(np.int16)
    numbers = (words[:, :, None] >> np.arange(0, 32, 4, dtype=np.uint32)) & 15
    numbers = numbers.reshape(rows, width).astype(np.int32) * np.repeat(factors, 32, axis=1)
    for module in others:
        y = np.zeros((rows, columns), np.int32)
        module[f"unpack<{rows}, {columns}>"][1](words, factors, y, width, first)
        np.testing.assert_array_equal(y, numbers[:, first : first + columns])


@pytest.mark.parametrize("n", [0, 5, 32, 128])
@pytest.mark.parametrize("apart", [100, 40, 1, 0])
def test_stores_of_rows(others, n: int, apart: int):
    """Some of which overlap, or are the same."""
    x = np.arange(2048, dtype=np.int16)
    first = np.arange(16, dtype=np.int32)[::-1] * apart
    wanted = np.zeros(2000, np.int16)
    for i in range(16):
        if i != 3:
            wanted[first[i] : first[i] + n] = x[128 * i : 128 * i + n]
    for module in others:
        y = np.zeros(2000, np.int16)
        module["put_rows"][1](x, first, y, n)
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("n", [1, 3, 64])
def test_updates_in_place(others, n: int):
    for module in others:
        y = np.arange(512, dtype=np.int32)
        module["update"][1](y, n)
        np.testing.assert_array_equal(y, np.arange(512) + (np.arange(512) <= 511 // n))
