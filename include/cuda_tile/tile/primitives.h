// The primitives: what a back end implements, and all that ops/ and view/ are made of.
//
// config.h chooses the back end, a folder that has these files:
//   storage.h     what a tile holds (tile/tile.h)
//   primitives.h  the functions below, and the two in tile/tile.h
//   print.h       print(), which only cuda_tile/print.h includes
//
// The callers' concepts have checked all types, so that a primitive may rely on what is said here. R and T
// are types of tiles, or of scalars where it says so. An operand (`Operand`, `Mask`, `Value`, `Padding`) is a
// tile or a scalar; where it is broadcast to a shape, its own shape broadcasts to that. Masks are converted
// to bool, and values to what they become, by the primitive, element by element. All threads of a block call
// a primitive, and get the whole result.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/access.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

// ---- elements

/// r(I) = f(a(I), b(I), …), operands broadcast to the shape of R. R is a scalar if all operands are. `f` is a
/// function object without side effects (core/elements.h, or a lambda over such); it may be called as often
/// as a back end likes, in any order.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map(F f, Operands const&... operands);

/// x itself, scalars included, or a copy of x whose elements are computed: a back end may go on computing the
/// elements of a tile that a function has returned.
template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x);

// ---- new tiles

/// All elements are x.
template <typename R>
CUDA_TILE_API R filled(typename R::element_type x);

/// 0, 1, 2, … in row-major order; the element type holds them.
template <typename R>
CUDA_TILE_API R numbered();

// ---- shapes; T is no scalar, and has the element type of R

/// The elements in row-major order; R has as many.
template <typename R, typename T>
CUDA_TILE_API R reshape(T const& x);

/// Dimension d of the result is dimension Map::mapping(d) of x, which has at least two.
template <typename R, typename Map, typename T>
CUDA_TILE_API R permute(T const& x);

/// The partition of x of the shape of R that has the given index, a size_t for each dimension. An index that
/// is out of bounds yields anything, but does no harm.
template <typename R, typename T, typename... Indices>
CUDA_TILE_API R extract(T const& x, Indices... index);

/// y behind x along dimension D; x and y are of one type.
template <typename R, size_t D, typename T>
CUDA_TILE_API R cat(T const& x, T const& y);

// ---- along one dimension

/// All elements along dimension D become one: f(f(a, b), …), in any order and grouping. `f` is associative
/// and commutative but for rounding.
template <size_t D, typename F, typename T>
CUDA_TILE_API reduced_tile<T, D> reduce(F f, T const& x);

/// Element k along dimension D becomes what `f` makes of the elements 0 to k, in this order, in any grouping.
template <size_t D, typename F, typename T>
CUDA_TILE_API T scan(F f, T const& x);

// ---- matrix products, of ranks 2 or 3; a batch of length 1 is broadcast

/// lhs * rhs + acc.
template <typename L, typename R, typename A>
CUDA_TILE_API A multiply_add_tiles(L const& lhs, R const& rhs, A const& acc);

/// lhs * rhs, summed and rounded as multiply_add_tiles does with zeros for an accumulator.
template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs);

// ---- memory, by pointers: `ptrs` are a tile or a scalar, to which masks, values and paddings are broadcast;
// R is what a load of them yields. Accesses happen in the block's program order, each location once, but for
// plain loads of one location by several elements. Access is plain_access or atomic_access (tile/access.h).

/// *ptrs, by plain access.
template <typename R, typename Ptrs>
CUDA_TILE_API R load(Ptrs const& ptrs);

/// *ptrs where the mask is true, else the padding; there, nothing is read.
template <typename R, typename Access, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_masked(Access, Ptrs const& ptrs, Mask const& mask, Padding const& padding);

/// *ptrs = value where the mask is true; the mask `true` stands for none.
template <typename Access, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_masked(Access, Ptrs const& ptrs, Value const& value, Mask const& mask);

/// Updates *ptrs where the mask is true (`Update`: tile/access.h); yields what was there before, zero where
/// the mask is false.
template <typename R, typename Access, typename Update, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API R update(Access, Update, Ptrs const& ptrs, Value const& value, Mask const& mask);

/// Stores value where the mask is true and the memory holds the bits of `expected`; yields what was there
/// before, `expected` where the mask is false.
template <typename R, typename Access, typename Ptrs, typename Expected, typename Value, typename Mask>
CUDA_TILE_API R compare_exchange(Access, Ptrs const& ptrs, Expected const& expected, Value const& value,
                                 Mask const& mask);

// ---- memory, by views

/// The partition, all of which lies in the span.
template <typename Access, typename Span, typename Shape>
CUDA_TILE_API partition_tile<Span, Shape> load_view(Access, partition_index<Span, Shape> const& from);

/// The partition; the padding is what elements beyond the span become, which are not read.
template <view_padding Padding, typename Access, typename Span, typename Shape>
CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(Access, partition_index<Span, Shape> const& from);

/// The partition, all of which lies in the span, becomes `value`.
template <typename Access, typename Span, typename Shape>
CUDA_TILE_API void store_view(Access, partition_index<Span, Shape> const& to,
                              partition_tile<Span, Shape> const& value);

/// The same, but what is beyond the span is not stored.
template <typename Access, typename Span, typename Shape>
CUDA_TILE_API void store_view_masked(Access, partition_index<Span, Shape> const& to,
                                     partition_tile<Span, Shape> const& value);

// ---- what a program says of its values [2.15]: x, a tile or a scalar, of which a back end may make use

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x);
template <auto Least, auto Greatest, typename T>
CUDA_TILE_API T assume_bounded(T const& x);
/// Partitions of shape Blocks hold one value each.
template <typename Blocks, typename T>
CUDA_TILE_API T assume_blocked(T const& x);
/// Pointers are multiples of Alignment.
template <auto Alignment, typename T>
CUDA_TILE_API T assume_aligned(T const& x);
/// Along dimension D, runs of Stride numbers n, n + 1, … or pointers p, p + 1, …, of which the first is a
/// multiple of Divisor.
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T assume_runs(T const& x);

// ---- the block

/// Its index in the grid.
CUDA_TILE_API uint3 block_index();
/// The number of blocks.
CUDA_TILE_API dim3 block_count();

/// Prints the tile x under a label, which may be null, once a block.
template <typename T>
CUDA_TILE_API void print(char const* label, T const& x);

// ---- made of these

/// `f`, a function of two elements of type E, on operands converted to E.
template <typename R, typename E, typename F, typename Lhs, typename Rhs>
CUDA_TILE_API R map_converted(F f, Lhs const& lhs, Rhs const& rhs) {
  return detail::map<R>(on_converted<E, F>{f}, lhs, rhs);
}

/// Converts to the tile type T; what has that type already is not copied.
template <typename T, typename Value>
CUDA_TILE_API decltype(auto) converted_tile(Value const& value) {
  if constexpr (is_same_v<T, Value>)
    return (value);
  else
    return T(value);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#include CUDA_TILE_PRIMITIVES
