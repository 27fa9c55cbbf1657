// One kernel for each way to undefined behaviour that the manual's annex 3.1 lists. Arguments decide whether
// it happens.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, unsigned... N>
using tile = ct::tile<T, ct::shape<N...>>;
using ints = tile<int, 8>;
using bytes = tile<signed char, 8>;

// ---- pointers

__tile_global__ void advance(const int* a, int n, int* out) {
  auto p = ct::full<tile<const int*, 4>>(a) + n;
  ct::store_masked(out + ct::iota<tile<int, 4>>(), ct::element_cast<int>(p == a), false);
}
__tile_global__ void retreat(const int* a, int n, int* out) {
  auto p = ct::full<tile<const int*, 4>>(a) - n;
  ct::store_masked(out + ct::iota<tile<int, 4>>(), ct::element_cast<int>(p == a), false);
}
__tile_global__ void difference(const int* a, const int* b, long* out) {
  ct::store(out, ct::full<tile<const int*>>(b) - ct::full<tile<const int*>>(a));
}

#ifndef ONLY_POINTERS
// ---- integers: each takes 8 elements of a and b

#define BINARY(name, ...)                                                                                    \
  __tile_global__ void name(const signed char* a, const signed char* b, signed char* out) {                  \
    auto i = ct::iota<ints>();                                                                               \
    bytes x = ct::load(a + i), y = ct::load(b + i);                                                          \
    ct::store(out + i, __VA_ARGS__);                                                                         \
  }
BINARY(add, ct::add(x, y))
BINARY(plus, x + y)
BINARY(sub, ct::sub(x, y))
BINARY(minus, x - y)
BINARY(mul, ct::mul(x, y))
BINARY(times, x* y)
BINARY(div, ct::div(x, y))
BINARY(divided_by, x / y)
BINARY(ceildiv, ct::ceildiv(x, y))
BINARY(floordiv, ct::floordiv(x, y))
BINARY(remainder, ct::remainder(x, y))
BINARY(modulo, x % y)
BINARY(shift_left, x << y)
BINARY(shift_right, x >> y)
BINARY(negate, -x + (y - y))
BINARY(abs, ct::abs(x) + (y - y))
#undef BINARY

__tile_global__ void sum(const signed char* a, signed char* out) {
  ct::store(out + ct::iota<tile<int, 1>>(), ct::sum(ct::load(a + ct::iota<tile<int, 4>>()), 0_ic));
}
__tile_global__ void prod(const signed char* a, signed char* out) {
  ct::store(out + ct::iota<tile<int, 1>>(), ct::prod(ct::load(a + ct::iota<tile<int, 4>>()), 0_ic));
}
__tile_global__ void partial_sum(const signed char* a, signed char* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store(out + i, ct::partial_sum(ct::load(a + i), 0_ic));
}
__tile_global__ void partial_prod(const signed char* a, signed char* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store(out + i, ct::partial_prod(ct::load(a + i), 0_ic));
}

__tile_global__ void atomic_add(int* memory, int v) {
  ct::atomic_add(memory, v, ct::memory_order_relaxed_t{});
}
__tile_global__ void atomic_sub(int* memory, int v) {
  ct::atomic_sub(memory, v, ct::memory_order_relaxed_t{});
}
__tile_global__ void atomic_add_masked(int* memory, int v, int which) {
  auto i = ct::iota<tile<int, 4>>();
  ct::atomic_add_masked(memory + i, ct::full<tile<int, 4>>(v), i == which, ct::memory_order_relaxed_t{});
}

// ---- conversions

__tile_global__ void element_cast(const float* a, unsigned char* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store(out + i, ct::element_cast<unsigned char>(ct::load(a + i)));
}
__tile_global__ void make_tile(float a, int* out) {
  tile<int> x{tile<float>{a}};
  ct::store(out, x);
}
__tile_global__ void to_scalar(float a, signed char* out) {
  tile<float> x{a};
  out[0] = static_cast<signed char>(x);
}
__tile_global__ void to_bool(float a, bool* out) { ct::store(out, ct::element_cast<bool>(a)); }
__tile_global__ void to_long(double a, long long* out) { ct::store(out, ct::element_cast<long long>(a)); }
__tile_global__ void bitcast(const unsigned char* a, bool* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store(out + i, ct::element_bitcast<bool>(ct::load(a + i)));
}

// ---- memory

__tile_global__ void load_at(const int* a, const long* at, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  auto address = ct::element_bitcast<long>(ct::full<tile<const int*, 4>>(a)) + ct::load(at + i);
  ct::store(out + i, ct::load(ct::element_bitcast<const int*>(address)));
}
__tile_global__ void store_at(const int* a, const long* at) {
  auto i = ct::iota<tile<int, 4>>();
  auto address = ct::element_bitcast<long>(ct::full<tile<const int*, 4>>(a)) + ct::load(at + i);
  ct::store(ct::element_bitcast<int*>(address), i);
}
__tile_global__ void load_null(const int* a, int* out) { ct::store(out, ct::load(a)); }
__tile_global__ void store_indexed(const int* index, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store_masked(out + ct::load(index + i), i, i < 3);
}

// ---- uninitialised tiles

__tile_global__ void use_default(int skip, int* out) {
  tile<int, 4> x;
  auto i = ct::iota<tile<int, 4>>();
  if (skip)
    x = i;
  ct::store(out + i, x + 3);
}
__tile_global__ void use_unpadded(const int* a, int n, int stored, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  auto x = ct::load_masked(a + i, i < n);
  ct::store_masked(out + i, x * 2, i < stored);
}
__tile_global__ void select_unpadded(const int* a, int n, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  auto x = ct::load_masked(a + i, i < n);
  ct::store(out + i, ct::select(i < n, x, i));
}
// Of a[0] to a[n - 1], the others have no value, with `decider`.
#define LOGIC(name, ...)                                                                                     \
  __tile_global__ void name(const int* a, int n, const bool* decider, bool* out) {                           \
    auto i = ct::iota<tile<int, 4>>();                                                                       \
    auto x = ct::load_masked(a + i, i < n) == 1;                                                             \
    auto y = ct::load(decider + i);                                                                          \
    ct::store(out + i, __VA_ARGS__);                                                                         \
  }
LOGIC(logical_and, y&& x)
LOGIC(logical_and_mirrored, x&& y)
LOGIC(logical_and_of_ints, ct::element_cast<int>(x) && ct::element_cast<int>(y))
LOGIC(bitwise_and, x& y)
LOGIC(logical_or, y || x)
LOGIC(logical_or_mirrored, x || y)
LOGIC(bitwise_or, y | x)
LOGIC(all_of, ct::broadcast<ct::shape<4>>(ct::all_of(ct::cat(x, y, 0_ic), 0_ic)))
LOGIC(any_of, ct::broadcast<ct::shape<4>>(ct::any_of(ct::cat(x, y, 0_ic), 0_ic)))
LOGIC(bitwise_xor, x ^ y)
LOGIC(bitwise_and_of_ints, (ct::element_cast<int>(x) & ct::element_cast<int>(y)) == 1)
#undef LOGIC
__tile_global__ void sum_unpadded(const int* a, int rows, int stored, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  auto place = ct::reshape(i, ct::shape{4_ic, 1_ic}) * 4 + ct::reshape(i, ct::shape{1_ic, 4_ic});
  auto x = ct::load_masked(a + place, ct::reshape(i, ct::shape{4_ic, 1_ic}) < rows);
  ct::store_masked(out + i, ct::reshape(ct::sum(x, 1_ic), ct::shape{4_ic}), i < stored);
}
__tile_global__ void mma_unpadded(const float* a, int rows, int stored, float* out) {
  auto i = ct::iota<tile<int, 4>>();
  auto row = ct::reshape(i, ct::shape{4_ic, 1_ic});
  auto place = row * 4 + ct::reshape(i, ct::shape{1_ic, 4_ic});
  auto x = ct::load_masked(a + place, row < rows);
  auto y = ct::load(a + place);
  ct::store_masked(out + place, ct::mma(x, y, ct::zeros<tile<float, 4, 4>>()), row < stored);
}

// ---- parts of tiles and views

__tile_global__ void extract(int i, int j, int* out) {
  auto x = ct::iota<tile<int, 4, 4>>();
  auto part = ct::extract(x, ct::shape{2_ic, 2_ic}, i, j);
  ct::store(out, ct::reshape(ct::extract(part, ct::shape{1_ic, 1_ic}, 0, 0), ct::shape{}));
}
__tile_global__ void view_masked(float* data, int rows, int columns, int i, int j, int store) {
  ct::partition_view view{ct::tensor_span{data, ct::extents{rows, columns}}, ct::shape{4_ic, 2_ic}};
  if (store)
    view.store_masked(ct::zeros<tile<float, 4, 2>>(), i, j);
  else
    ct::store(data + ct::iota<tile<int, 1>>(),
              ct::sum(ct::reshape(view.load_masked(i, j), ct::shape{8_ic}), 0_ic));
}
__tile_global__ void view_unmasked(float* data, int rows, int columns, int i, int j, int store) {
  ct::partition_view view{ct::tensor_span{data, ct::extents{rows, columns}}, ct::shape{4_ic, 4_ic}};
  if (store)
    view.store(ct::zeros<tile<float, 4, 4>>(), i, j);
  else
    ct::store(data + ct::iota<tile<int, 1>>(), ct::sum(ct::reshape(view.load(i, j), ct::shape{16_ic}), 0_ic));
}
__tile_global__ void view_strided(float* data, int rows, int columns, int row_stride, int stride, int store) {
  ct::layout_strided_mapping mapping{ct::extents{rows, columns}, ct::extents{row_stride, stride}};
  ct::partition_view view{ct::tensor_span{data, mapping}, ct::shape{4_ic, 4_ic}};
  if (store)
    view.store(ct::zeros<tile<float, 4, 4>>(), 0, 0);
  else
    ct::store(data + ct::iota<tile<int, 1>>(), ct::sum(ct::reshape(view.load(0, 0), ct::shape{16_ic}), 0_ic));
}

// ---- extents, mappings, ranges

__tile_global__ void extent(int d, int* out) {
  ct::extents<uint32_t, 4, ct::dynamic_extent> e{8};
  ct::store(out, static_cast<int>(e.extent(static_cast<size_t>(d))));
}
__tile_global__ void static_extent(int d, int* out) {
  ct::store(out, static_cast<int>(ct::extents<uint32_t, 4, 8>::static_extent(static_cast<size_t>(d)) % 1000));
}
template <size_t N>
__tile_global__ void short_extent(int* out) {
  ct::extents<uint16_t, N> e;
  ct::store(out, static_cast<int>(e.extent(0)));
}
__tile_global__ void all_extents(int n, int* out) {
  ct::extents<uint32_t, 4, ct::dynamic_extent> e{n, 8};
  ct::store(out, static_cast<int>(e.extent(1)));
}
__tile_global__ void dimension_map(int d, int* out) {
  ct::store(out, static_cast<int>(ct::dimension_map<1, 0>::mapping(static_cast<size_t>(d))));
}
__tile_global__ void static_stride(int d, int* out) {
  using mapping = ct::layout_right_mapping<ct::extents<uint32_t, 4, 8>>;
  ct::store(out, static_cast<int>(mapping::static_stride(static_cast<size_t>(d))));
}
__tile_global__ void stride(int d, int* out) {
  ct::layout_left_mapping mapping{ct::extents{4, 8}};
  ct::store(out, static_cast<int>(mapping.stride(static_cast<size_t>(d))));
}
__tile_global__ void padded_stride(int d, int alignment, int* out) {
  ct::layout_right_padded_mapping mapping{ct::extents{4, 8}, alignment};
  ct::store(out, static_cast<int>(mapping.stride(static_cast<size_t>(d))));
}
__tile_global__ void large_stride(unsigned n, int* out) {
  ct::layout_right_mapping mapping{ct::extents{n, n, n}};
  ct::store(out, static_cast<int>(mapping.stride(0)));
}
__tile_global__ void large_static_stride(int d, int* out) {
  using mapping = ct::layout_right_mapping<ct::extents<uint32_t, 65536, 65536, 65536, 65536, 65536>>;
  ct::store(out, static_cast<int>(mapping::static_stride(static_cast<size_t>(d))));
}
__tile_global__ void range(int lower, int upper, int step, int* out) {
  ct::irange r(lower, upper, step);
  ct::store(out, static_cast<int>(r.size()));
}
__tile_global__ void byte_range(int upper, int step, int* out) {
  ct::irange<unsigned char> r(0, static_cast<unsigned char>(upper), static_cast<unsigned char>(step));
  ct::store(out, static_cast<int>(r.size()));
}

// ---- assumptions: each takes 16 elements

#define ASSUMPTION(name, ...)                                                                                \
  __tile_global__ void name(const int* a, int* out) {                                                        \
    auto i = ct::iota<tile<int, 2, 8>>();                                                                    \
    auto x = ct::load(a + i);                                                                                \
    ct::store(out + i, __VA_ARGS__);                                                                         \
  }
ASSUMPTION(assume_blocked, ct::assume_blocked(x, ct::shape{1_ic, 3_ic}))
ASSUMPTION(assume_bounded, ct::assume_bounded(x, -10_ic, 100_ic))
ASSUMPTION(assume_bounded_above, ct::assume_bounded_above(x, 100_ic))
ASSUMPTION(assume_bounded_below, ct::assume_bounded_below(x, -10_ic))
ASSUMPTION(assume_divisible, ct::assume_divisible(x, 16_ic))
ASSUMPTION(assume_divisible_strided, ct::assume_divisible_strided(x, 16_ic, 3_ic, 1_ic))
#undef ASSUMPTION
__tile_global__ void assume_aligned(const int* a, const int* at, int* out) {
  auto i = ct::iota<tile<int, 4>>();
  ct::store(out + i, ct::load(ct::assume_aligned(a + ct::load(at + i), 16_ic)));
}
__tile_global__ void assume_aligned_strided(const int* a, const int* at, int* out) {
  auto i = ct::iota<tile<int, 8>>();
  ct::store(out + i, ct::load(ct::assume_aligned_strided(a + ct::load(at + i), 16_ic, 3_ic, 0_ic)));
}
__tile_global__ void assume_scalar(int x, int* out) { ct::store(out, ct::assume_bounded_above(x, 10_ic)); }
#endif
