// The primitives: what a back end implements, and what ops/ and view/ are built on.
//
// config.h chooses the back end, a folder that has these files:
//   storage.h     what a tile holds (tile/tile.h)
//   primitives.h  the functions below, and the two in tile/tile.h
//   print.h       print(), which only cuda_tile/print.h includes
//
// The callers' concepts have checked all types, so a primitive may rely on the requirements stated here. R
// and T are tile types; they may be scalar types where the comment says so. An operand (`Operand`, `Mask`,
// `Value`, `Padding`) is a tile or a scalar; an operand that is broadcast to a shape has a shape that allows
// it. The primitive itself converts masks to bool and values to their target type, element by element. All
// threads of a block call a primitive, and all of them get the whole result.
//
// Where kernels run, map, reduce and scan also take tiles whose elements are structures of scalars: code made
// from Tile IR folds several tiles at once as one of these (tileir/tiles.h).
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/access.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

// ---- elements

/// r(I) = f(a(I), b(I), …), with operands broadcast to the shape of R. R is a scalar if all operands are. `f`
/// is a function object without side effects (from core/elements.h, or a lambda that calls such objects). A
/// back end may call it any number of times, in any order.
template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map(F f, Operands const&... operands);

/// Returns x itself, which may be a scalar, or a copy of x whose elements have been computed. This exists
/// because a back end may defer computing the elements of a tile that a function returns.
template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x);

// ---- new tiles

/// All elements are x.
template <typename R>
CUDA_TILE_API R filled(typename R::element_type x);

/// 0, 1, 2, … in row-major order; the element type can represent them all.
template <typename R>
CUDA_TILE_API R numbered();

// ---- shapes; T is not a scalar, and has the element type of R

/// The elements in row-major order; R has the same number of them.
template <typename R, typename T>
CUDA_TILE_API R reshape(T const& x);

/// Dimension d of the result is dimension Map::mapping(d) of x, which has at least two dimensions.
template <typename R, typename Map, typename T>
CUDA_TILE_API R permute(T const& x);

/// The partition of x that has the shape of R and the given index, one size_t for each dimension. If the
/// index is out of bounds, the result is unspecified but the call is harmless.
template <typename R, typename T, typename... Indices>
CUDA_TILE_API R extract(T const& x, Indices... index);

/// y after x along dimension D; x and y have the same type.
template <typename R, size_t D, typename T>
CUDA_TILE_API R cat(T const& x, T const& y);

// ---- along one dimension

/// Reduces the elements along dimension D to one: f(f(a, b), …), in any order and grouping. `f` is
/// associative and commutative except for rounding.
template <size_t D, typename F, typename T>
CUDA_TILE_API reduced_tile<T, D> reduce(F f, T const& x);

/// Element k along dimension D becomes the combination by `f` of elements 0 to k, in this order, in any
/// grouping.
template <size_t D, typename F, typename T>
CUDA_TILE_API T scan(F f, T const& x);

// ---- matrix products, of ranks 2 or 3; a batch of length 1 is broadcast

/// lhs * rhs + acc.
template <typename L, typename R, typename A>
CUDA_TILE_API A multiply_add_tiles(L const& lhs, R const& rhs, A const& acc);

/// lhs * rhs, summed and rounded as by multiply_add_tiles with an accumulator of zeros.
template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs);

// ---- memory, by pointers: `ptrs` is a tile or a scalar, to which masks, values and paddings are broadcast;
// R is the type that a load of them yields. Accesses happen in the block's program order. The access of each
// element happens once in the block, except that plain loads may be repeated. Access is plain_access or
// atomic_access (tile/access.h).

/// *ptrs, by plain access.
template <typename R, typename Ptrs>
CUDA_TILE_API R load(Ptrs const& ptrs);

/// *ptrs where the mask is true, otherwise the padding. Nothing is read where the mask is false.
template <typename R, typename Access, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_masked(Access, Ptrs const& ptrs, Mask const& mask, Padding const& padding);

/// *ptrs = value where the mask is true; a mask of `true` means that there is none.
template <typename Access, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_masked(Access, Ptrs const& ptrs, Value const& value, Mask const& mask);

/// Updates *ptrs where the mask is true (`Update`: tile/access.h). Returns the previous value, or zero where
/// the mask is false.
template <typename R, typename Access, typename Update, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API R update(Access, Update, Ptrs const& ptrs, Value const& value, Mask const& mask);

/// Stores value where the mask is true and the memory holds the bits of `expected`. Returns the previous
/// value, or `expected` where the mask is false.
template <typename R, typename Access, typename Ptrs, typename Expected, typename Value, typename Mask>
CUDA_TILE_API R compare_exchange(Access, Ptrs const& ptrs, Expected const& expected, Value const& value,
                                 Mask const& mask);

// ---- memory, by views

/// Loads the partition, which lies entirely within the span.
template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API partition_tile<Span, Shape> load_view(Access, partition_index<Span, Shape, Steps> const& from);

/// Loads the partition. Elements beyond the span are not read; they become the padding.
template <view_padding Padding, typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(Access,
                                                           partition_index<Span, Shape, Steps> const& from);

/// Stores `value` to the partition, which lies entirely within the span.
template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API void store_view(Access, partition_index<Span, Shape, Steps> const& to,
                              partition_tile<Span, Shape> const& value);

/// The same, but nothing is stored beyond the span.
template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API void store_view_masked(Access, partition_index<Span, Shape, Steps> const& to,
                                     partition_tile<Span, Shape> const& value);

// ---- assumptions of a program about its values [2.15]: x is a tile or a scalar; a back end may use them

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x);
template <auto Least, auto Greatest, typename T>
CUDA_TILE_API T assume_bounded(T const& x);
/// Each partition of shape Blocks holds a single value.
template <typename Blocks, typename T>
CUDA_TILE_API T assume_blocked(T const& x);
/// Pointers are multiples of Alignment.
template <auto Alignment, typename T>
CUDA_TILE_API T assume_aligned(T const& x);
/// Along dimension D there are runs of Stride numbers n, n + 1, … or pointers p, p + 1, …, each of which
/// begins with a multiple of Divisor.
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T assume_runs(T const& x);

// ---- the block

/// Its index in the grid.
CUDA_TILE_API uint3 block_index();
/// The number of blocks.
CUDA_TILE_API dim3 block_count();

/// Prints the tile x under a label, which may be null, once per block.
template <typename T>
CUDA_TILE_API void print(char const* label, T const& x);

// ---- built on the primitives

/// `f`, a function of two elements of type E, applied to operands converted to E.
template <typename R, typename E, typename F, typename Lhs, typename Rhs>
CUDA_TILE_API R map_converted(F f, Lhs const& lhs, Rhs const& rhs) {
  return detail::map<R>(on_converted<E, F>{f}, lhs, rhs);
}

/// Converts to the tile type T; a tile that already has that type is not copied.
template <typename T, typename Value>
CUDA_TILE_API decltype(auto) converted_tile(Value const& value) {
  if constexpr (is_same_v<T, Value>)
    return (value);
  else
    return T(value);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

#include CUDA_TILE_PRIMITIVES
