// printf in record mode, which also takes tiles, as NVIDIA's compiler does. Calls without tiles are those of
// the C function, which the translator knows.
#pragma once

#include "cuda_tile/record/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail::back_end {

/// An argument as it travels to the translator: a tile as its handle, a small float as a float.
template <typename T>
CUDA_TILE_API auto printed(T const& x) {
  if constexpr (!__is_class(T))
    return x;
  else if constexpr (scalar<T>)
    return detail::convert<float>(x);
  else if constexpr (tile_like<T>)
    return x.handle;
  else
    static_assert(tile_like<T>, "printf takes numbers, pointers and tiles");
}

} // namespace detail::back_end

// Chosen where an argument is an object: in this namespace for our own classes, in std for all (see
// core/printf.h).
template <typename... Arguments>
  requires(... || __is_class(Arguments))
CUDA_TILE_API int printf(char const* format, Arguments const&... arguments) {
  return detail::back_end::record::effect<detail::back_end::record::formatted, int>(
      format, detail::back_end::printed(arguments)...);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI

namespace std {

using ::printf;

template <typename... Arguments>
  requires(... || __is_class(Arguments))
CUDA_TILE_API int printf(char const* format, Arguments const&... arguments) {
  return cuda::tiles::printf(format, arguments...);
}

} // namespace std
