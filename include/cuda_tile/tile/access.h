// How and where memory is accessed, and how it is updated. These are names only; back ends give them a
// meaning.
#pragma once

#include "cuda_tile/core/constants.h"
#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Weak memory operations.
struct plain_access {};
/// Strong memory operations of an order and scope.
template <memory_order Order, thread_scope Scope>
struct atomic_access {};

/// An update of the value k in memory by an operand v: k becomes function(k, v).
template <typename Function>
struct memory_function {
  using function = Function;
};
using memory_bit_and = memory_function<elements::bit_and>;
using memory_bit_or = memory_function<elements::bit_or>;
using memory_bit_xor = memory_function<elements::bit_xor>;
using memory_max = memory_function<elements::max>;
using memory_min = memory_function<elements::min>;
using memory_add = memory_function<elements::add>;
/// [2.7.13] k - v is k + (-v); this is exact for floating point types.
using memory_sub = memory_function<elements::sub>;
using memory_exchange = memory_function<elements::second>;

/// The chunk of shape Shape of a tensor span with index `at`, where chunks begin Steps apart: the partition
/// with that index if Steps is Shape.
template <typename Span, typename Shape, typename Steps = Shape>
struct partition_index {
  Span const& span;
  size_t at[Shape::rank() == 0 ? 1 : Shape::rank()]; // an array cannot be empty
};
template <typename Span, typename Shape>
using partition_tile = tile<typename Span::value_type, Shape>;

/// A chunk of which dimension Dim has its places in the tile `indices`, others begin at an element.
template <typename Span, typename Shape, size_t Dim, typename T>
struct gathered_index {
  Span const& span;
  size_t first[Shape::rank()];
  T indices; // of shape (1, …, length of Dim, …, 1)
};

/// What elements beyond the span are replaced by.
template <view_padding Pad, typename E>
CUDA_TILE_API E padding_value() {
  constexpr bool is_infinite = Pad == view_padding::positive_inf || Pad == view_padding::negative_inf;
  if constexpr (Pad == view_padding::zero)
    return detail::convert<E>(0);
  else if constexpr (Pad == view_padding::nan)
    return elements::quiet_nan<E>();
  else if constexpr (!is_infinite)
    return detail::convert<E>(-0.0f);
  else if constexpr (is_restricted_floating_point_v<E> && scalar_traits<E>::saturates) // as conversions do
    return platform::bit_cast<E>(static_cast<bits_t<E>>(
        format_of<E>::infinity | (Pad == view_padding::negative_inf ? format_of<E>::sign : 0)));
  else if constexpr (Pad == view_padding::positive_inf)
    return elements::infinity<E>();
  else
    return elements::negate{}(elements::infinity<E>());
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
