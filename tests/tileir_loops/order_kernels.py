"""Kernels in C++ that fused loops would get wrong if a rule of legality were missing; they take float arrays,
then ints."""

from __future__ import annotations

#: For each kernel: which rule it needs, its code, and launches: where its arrays begin, and its numbers.
KERNELS: dict[str, tuple[str, list[tuple[list[int], list[int]]]]] = {}


def _kernel(name: str, parameters: str, body: str, *launches: tuple[list[int], list[int]]) -> None:
    KERNELS[name] = (f"__tile_global__ void {name}({parameters}) {{{body}}}\n", list(launches))


HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

template <unsigned N>
__tile__ auto count() { return ct::iota<ct::tile<int, ct::shape<N>>>(); }
template <unsigned N>
__tile__ auto rows() { return ct::reshape(count<N>(), ct::shape<N, 1>{}); }
template <typename Shape>
__tile__ auto view(float* x, int m, int n, Shape tile) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{m, n}}, tile};
}
template <unsigned N>
__tile__ auto row(float* x) {
  return ct::partition_view{ct::tensor_span{x, ct::extents{int(N)}}, ct::shape<N>{}};
}
"""

# An outer loop would load the row again that the round before it has changed.
_kernel(
    "row_in_place",
    "float* x, float* y, float* z",
    """
  auto added = view(x, 1, 64, ct::shape<1, 64>{}).load(0, 0);
  auto tile = view(y, 8, 64, ct::shape<8, 64>{});
  tile.store(tile.load(0, 0) + added, 0, 0);
  view(x, 1, 64, ct::shape<1, 64>{}).store(added + 1.0f, 0, 0);
  view(z, 1, 64, ct::shape<1, 64>{}).store(added * 2.0f, 0, 0);
""",
    ([0, 100, 2000], []),
    ([0, 64, 0], []),
    ([0, 0, 64], []),
)
_kernel(
    "row_to_other",
    "float* x, float* y, float* z",
    """
  auto added = view(x, 1, 64, ct::shape<1, 64>{}).load(0, 0);
  auto tile = view(y, 8, 64, ct::shape<8, 64>{});
  tile.store(tile.load(0, 0) + added, 0, 0);
  view(z, 1, 64, ct::shape<1, 64>{}).store(added + 1.0f, 0, 0);
""",
    ([0, 100, 0], []),
)
_kernel(
    "carried_row",
    "float* x, float* y, int n",
    """
  auto added = view(x, 1, 64, ct::shape<1, 64>{}).load(0, 0);
  auto sum = ct::full<ct::tile<float, ct::shape<8, 64>>>(0.0f);
  for (int i : ct::irange(0, n)) {
    sum = sum + added;
    added = added * 2.0f + 1.0f;
  }
  view(y, 8, 64, ct::shape<8, 64>{}).store(sum, 0, 0);
""",
    ([0, 100], [3]),
)
# Rows that overlap are not the same place only once.
_kernel(
    "rows_overlap",
    "float* x, float* y, int n",
    """
  auto at = rows<8>() * n + count<64>();
  ct::store(y + at, ct::load(x + at) + 1.0f);
""",
    ([0, 0], [64]),
    ([0, 0], [16]),
    ([0, 1], [64]),
    ([0, 512], [64]),
)
_kernel(
    "rows_overlap_in_place",
    "float* x, int n",
    """
  auto at = rows<8>() * n + count<64>();
  ct::store(x + at, ct::load(x + at) + 1.0f);
""",
    ([0], [64]),
    ([0], [16]),
)
# More is loaded than stored: what is stored lies at different addresses, what is loaded does not.
for _name, _at in (("more_loaded_in_place", "x + 64"), ("more_loaded", "z + 64")):
    _kernel(
        _name,
        "float* x, float* y, float* z, int n, int m",
        f"""
  auto row = ct::broadcast(rows<64>(), ct::shape<64, 64>{{}}), at = row * m - count<64>();
  auto values = ct::load(x + 64 + at) + 1.0f;
  ct::store_masked({_at} + at, values, ct::broadcast(count<64>(), ct::shape<64, 64>{{}}) < n);
  ct::store(y + (row * 64 + count<64>()), values);
""",
        *(([0, 9000, 0], numbers) for numbers in ([1, 1], [32, 32], [64, 64])),
    )
# A mask along one axis and one along both.
for _name, _mask in (("rows_first", "(row < m) & (at < n)"), ("rows_last", "(at < n) & (row < m)")):
    _kernel(
        _name,
        "float* x, float* y, int n, int m",
        f"""
  auto at = rows<32>() * 64 + count<64>();
  auto row = ct::broadcast(rows<32>(), ct::shape<32, 64>{{}});
  auto mask = {_mask};
  auto values = ct::load_masked(x + at, mask);
  ct::store_masked(y + at, ct::exp(values) - values, mask);
""",
        *(([0, shift], sizes) for shift in (4096, 64, 0) for sizes in ([2048, 3], [70, 32])),
    )
# Masks that are no bounds, or of all elements.
for _name, _mask in (
    ("reversed", "63 - i < n"),
    ("wrapped", "ct::element_cast<unsigned>(i) + static_cast<unsigned>(n) < static_cast<unsigned>(m)"),
    ("nothing", "ct::full<ct::tile<bool, ct::shape<64>>>(false)"),
    ("all_or_nothing", "ct::full<ct::tile<int, ct::shape<64>>>(n) < m"),
    ("odd", "ct::element_cast<unsigned>(i) * static_cast<unsigned>(n) < static_cast<unsigned>(m)"),
):
    _kernel(
        _name,
        "float* x, float* y, int n, int m",
        f"""
  auto i = count<64>();
  auto found = ct::load_masked(x + i, {_mask}, ct::full<ct::tile<float, ct::shape<64>>>(-3.0f));
  ct::store(y + i, found * 2.0f);
""",
        ([0, 100], [10, 12]),
        ([0, 100], [-10, 5]),
    )
_kernel(
    "triangle",
    "float* x, float* y, int n",
    """
  auto i = ct::broadcast(rows<16>(), ct::shape<16, 64>{});
  auto j = ct::broadcast(count<64>(), ct::shape<16, 64>{});
  auto found = ct::load_masked(x + (i * 64 + j), j < i, ct::full<ct::tile<float, ct::shape<16, 64>>>(-3.0f));
  ct::store(y + (i * 64 + j), found * 2.0f);
""",
    ([0, 2000], [0]),
)
# Offsets that wrap around.
for _name, _kind, _offset in (
    ("wraps", "short", "i"),
    ("wraps_widened", "short", "ct::element_cast<int>(i)"),
    ("wraps_unsigned", "unsigned short", "ct::element_cast<int>(i)"),
):
    _kernel(
        _name,
        "float* x, float* y, int n",
        f"""
  auto i = ct::iota<ct::tile<{_kind}, ct::shape<64>>>() + static_cast<{_kind}>(n);
  ct::store(y + count<64>(), ct::load(x + 40000 + {_offset}) * 2.0f);
""",
        ([100, 0], [5]),
        ([100, 0], [32767 - 10]),
        ([100, 0], [-10]),
    )
# The transposed place is another one.
_kernel(
    "turned",
    "float* x, float* y, int n",
    """
  auto i = rows<64>();
  auto j = count<64>();
  auto values = ct::load(x + (i * n + j));
  ct::store(y + (j * n + i), values * 2.0f + 1.0f);
""",
    ([0, 0], [64]),
    ([0, 5000], [64]),
)
_kernel(
    "turned_in_place",
    "float* x",
    """
  auto i = rows<64>();
  auto j = count<64>();
  ct::store(x + (j * 64 + i), ct::load(x + (i * 64 + j)) * 2.0f + 1.0f);
""",
    ([0], []),
)
# What a later stage loads again has been stored.
_kernel(
    "stored_between_stages",
    "float* x, float* y, float* z",
    """
  auto from = view(x, 64, 16, ct::shape<64, 16>{}), to = view(y, 64, 16, ct::shape<64, 16>{});
  auto values = from.load(0, 0);
  to.store(values + 1.0f, 0, 0);
  view(z, 64, 16, ct::shape<64, 16>{}).store(values - ct::sum(values, 0_ic), 0, 0);
""",
    ([0, 0, 2000], []),
    ([0, 2000, 4000], []),
    ([0, 2000, 0], []),
)
# Loads and stores in the order of the program.
_kernel(
    "interleaved",
    "float* x, float* y, float* z, float* w",
    """
  auto a = row<64>(x).load(0);
  auto b = row<64>(z).load(0);
  row<64>(w).store(b + 1.0f, 0);
  row<64>(y).store(a + 2.0f, 0);
""",
    ([0, 100, 100, 200], []),
    ([0, 100, 200, 100], []),
)
_kernel(
    "stored_again",
    "float* x, float* y, float* z, float* w",
    """
  auto a = row<64>(x).load(0);
  auto c = row<64>(w).load(0);
  row<64>(y).store(a + 1.0f, 0);
  auto b = row<64>(y).load(0);
  row<64>(z).store(b + c, 0);
  row<64>(w).store(a * 3.0f, 0);
""",
    ([0, 100, 200, 100], []),
    ([0, 100, 200, 300], []),
)
_kernel(
    "scalar_after_store",
    "float* x, float* y",
    """
  auto a = row<64>(x).load(0);
  row<64>(y).store(a + 1.0f, 0);
  auto first = ct::load(y + 3);
  row<64>(x).store(a * first, 0);
""",
    ([0, 100], []),
)
# Two tiles of one array may overlap although their indices differ.
_kernel(
    "other_tiles",
    "float* x, int i, int j",
    """
  auto row = view(x, 8, 64, ct::shape<1, 64>{}).load(i, 0);
  view(x, 8, 64, ct::shape<2, 64>{}).store(ct::broadcast(row, ct::shape<2, 64>{}) * 2.0f + 1.0f, j, 0);
""",
    ([0], [2, 1]),
)
_kernel(
    "rows_of_partitions",
    "float* x, int n, int i, int j",
    """
  ct::tensor_span span{x, ct::layout_strided_mapping{ct::extents{8, 64}, ct::extents{n, 1}}};
  ct::partition_view tiles{span, ct::shape<2, 64>{}};
  tiles.store(tiles.load(i, 0) * 2.0f + 1.0f, j, 0);
""",
    ([0], [32, 0, 1]),
    ([0], [64, 0, 1]),
)
# A comparison that another group needs, a bound that the group computes, and what a reduction captures.
_kernel(
    "mask_used_later",
    "float* x, float* y",
    """
  auto a = view(x, 4, 64, ct::shape<4, 64>{}).load(0, 0);
  auto positive = a > 0.0f;
  auto b = ct::select(positive, a, a * 2.0f);
  auto sum = ct::broadcast(ct::sum(b, 1_ic), ct::shape<4, 64>{});
  view(y, 4, 64, ct::shape<4, 64>{}).store(ct::select(positive, b - sum, sum), 0, 0);
""",
    ([0, 300], []),
)
_kernel(
    "bound_from_sum",
    "float* x, float* y",
    """
  auto a = row<64>(x).load(0);
  auto n = ct::element_cast<int>(ct::sum(ct::element_cast<int>(a), 0_ic)) & 63;
  auto i = count<64>();
  ct::store_masked(y + i, a * 2.0f, i < n);
""",
    ([0, 300], []),
)
_kernel(
    "rows_and_columns",
    "float* x, float* y, float* z",
    """
  auto a = view(x, 16, 64, ct::shape<16, 64>{}).load(0, 0) * 2.0f;
  view(y, 16, 1, ct::shape<16, 1>{}).store(ct::sum(a, 1_ic), 0, 0);
  view(z, 1, 64, ct::shape<1, 64>{}).store(ct::sum(a, 0_ic), 0, 0);
""",
    ([0, 2000, 3000], []),
)
# A product of factors of which the first n elements exist, and one whose addresses are needed again.
_kernel(
    "first_elements",
    "float* x, float* y, int n",
    """
  auto at = rows<32>() * 32 + count<32>();
  auto zeros = ct::full<ct::tile<float, ct::shape<32, 32>>>(0.0f);
  auto left = ct::load_masked(x + at, at < n, zeros), right = ct::load_masked(y + at, at < n, zeros);
  ct::store(x + at, ct::mma(left, right, zeros));
""",
    *(([0, shift], [n]) for shift in (2000, 1, 0) for n in (0, 33, 1000)),
)
_kernel(
    "shared_pointers",
    "float* x, float* y, int pitch",
    """
  auto at = x + (rows<32>() * pitch + count<32>());
  auto right = ct::load(y + (rows<32>() * 32 + count<32>()));
  ct::store(at, ct::mma(ct::load(at), right, ct::full<ct::tile<float, ct::shape<32, 32>>>(1.0f)));
""",
    ([0, 2000], [40]),
    ([0, 3], [40]),
)
# The next value that a loop carries must not lie where the last one does: with other axes, for rows that
# loops repeat, or if a store needs both.
_kernel(
    "carried_turned",
    "float* x, float* y, int n",
    """
  ct::partition_view from{ct::tensor_span{x, ct::extents{8, 8, 64}}, ct::shape<8, 8, 64>{}};
  ct::partition_view to{ct::tensor_span{y, ct::extents{8, 8, 64}}, ct::shape<8, 8, 64>{}};
  auto carried = from.load(0, 0, 0);
  for (int i : ct::irange(0, n))
    carried = ct::permute(carried, ct::dimension_map{1_ic, 0_ic, 2_ic}) * 2.0f + 1.0f;
  to.store(carried, 0, 0, 0);
""",
    ([0, 5000], [3]),
)
_kernel(
    "carried_row_first",
    "float* x, float* y, float* z, int n",
    """
  auto added = view(x, 1, 64, ct::shape<1, 64>{}).load(0, 0);
  auto sum = view(y, 8, 64, ct::shape<8, 64>{}).load(0, 0);
  for (int i : ct::irange(0, n)) {
    auto twice = added * 2.0f;
    added = twice + 1.0f;
    sum = sum + twice;
  }
  view(y, 8, 64, ct::shape<8, 64>{}).store(sum, 0, 0);
  view(z, 1, 64, ct::shape<1, 64>{}).store(added, 0, 0);
""",
    ([0, 100, 1000], [3]),
)
_kernel(
    "carried_and_stored",
    "float* x, float* y, int n",
    """
  auto at = rows<8>() * 64 + count<64>();
  auto carried = ct::load(x + at);
  for (int i : ct::irange(0, n)) {
    auto twice = carried * 2.0f, next = twice + 1.0f;
    ct::store_masked(y + at + i * 512, carried, twice > 0.0f);
    carried = next;
  }
  ct::store(x + at, carried);
""",
    ([0, 1000], [3]),
)
# Factors that each round of the loop changes.
for _name, _factors in (("changed_left", "sums, added"), ("changed_right", "added, sums")):
    _kernel(
        _name,
        "float* x, float* y, int n",
        f"""
  auto sums = view(y, 16, 16, ct::shape<16, 16>{{}}).load(0, 0);
  for (int i : ct::irange(0, n)) {{
    auto added = view(x, 16, 48, ct::shape<16, 16>{{}}).load(0, i);
    sums = ct::mma({_factors}, sums);
  }}
  view(y, 16, 16, ct::shape<16, 16>{{}}).store(sums, 0, 0);
""",
        ([0, 800], [3]),
    )
# The place of the sums is known after the loop.
_kernel(
    "counted_place",
    "float* x, float* y, float* z, int n",
    """
  auto sums = ct::full<ct::tile<float, ct::shape<16, 16>>>(0.0f);
  int j = 0;
  for (int i : ct::irange(0, n)) {
    sums = ct::mma(view(x, 16, 48, ct::shape<16, 16>{}).load(0, i),
                   view(y, 48, 16, ct::shape<16, 16>{}).load(i, 0), sums);
    j += 2;
  }
  view(z, 128, 16, ct::shape<16, 16>{}).store(sums, j, 0);
""",
    ([0, 800, 2000], [3]),
)
# What is loaded again depends on a tile that the loop carries and that is known before.
_kernel(
    "loaded_again_with_a_carried_mask",
    "float* x, float* y, float* z, int n",
    """
  auto at = rows<8>() * 64 + count<64>(), carried = at;
  for (int i : ct::irange(0, n)) {
    auto values = ct::load_masked(x + at + i * 512, carried > 99);
    carried = carried ^ (ct::element_cast<int>(values) * 64);
    ct::store(y + at + i * 512, values - ct::reduce_max(values, 1_ic));
  }
  ct::store(z + at, ct::element_cast<float>(carried));
""",
    ([0, 3000, 6000], [3]),
)
# Positions of two types.
_kernel(
    "two_positions",
    "float* x, float* y, int n",
    """
  auto at = ct::iota<ct::tile<long long, ct::shape<256>>>();
  auto mask = ct::iota<ct::tile<short, ct::shape<256>>>() < static_cast<short>(n);
  auto values = ct::load_masked(x + at, mask);
  ct::store_masked(y + at, ct::exp(values) - values, mask);
""",
    ([0, 3000], [99]),
)
SOURCE = HEAD + "".join(code for code, _ in KERNELS.values())
