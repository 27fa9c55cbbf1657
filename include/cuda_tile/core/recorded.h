// Elements in calls of record mode.
#pragma once

#include "cuda_tile/core/scalars.h"
#include "cuda_tile/platform/platform.h"
#include "cuda_tile/platform/record_calls.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How an element travels through a call: a small floating point number, which is a class, as its bits.
template <typename E>
constexpr auto to_travel(E x) {
  if constexpr (is_floating_point_v<E> && floating_rank<E>() < 4)
    return platform::bit_cast<bits_t<E>>(x);
  else
    return x;
}

/// The scalar that an operation yields.
template <typename Operation, typename E, typename... Operands>
CUDA_TILE_API E recorded(Operands... operands) {
  return platform::bit_cast<E>(
      ::cuda_tile::record::pure<Operation, decltype(detail::to_travel(E{}))>(detail::to_travel(operands)...));
}

/// The conversion of numbers of which one is a small floating point number.
template <typename To, typename From>
CUDA_TILE_API To convert_small(From x) {
  if constexpr (is_bool_v<To>)
    return detail::recorded<::cuda_tile::record::convert<float, From>, float>(x) != 0;
  else
    return detail::recorded<::cuda_tile::record::convert<To, From>, To>(x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
