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

/// The partition of a tensor span that has shape Shape and index `at`.
template <typename Span, typename Shape>
struct partition_index {
  Span const& span;
  size_t at[Shape::rank() == 0 ? 1 : Shape::rank()]; // an array cannot be empty
};
template <typename Span, typename Shape>
using partition_tile = tile<typename Span::value_type, Shape>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
