// Tiles beyond the API: the only file of this folder that knows how a tile stores its elements and that uses
// internal functions of cuda_tile.h.
#pragma once

#include "cuda_tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// The structures that generated code declares, so that a tile can have such elements.
template <typename T>
  requires requires { typename T::is_structure; }
struct scalar_traits<T> {
  static constexpr category kind = category::structure;
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

namespace ct = cuda::tiles;
namespace elements = ct::elements;

using ct::detail::bits_t;
using ct::detail::bitwidth_v;
using ct::detail::conditional_t;
using ct::detail::convert;
using ct::detail::is_pointer_scalar_v;
using ct::detail::is_restricted_floating_point_v;
using ct::detail::is_same_v;
using ct::detail::length;
using ct::detail::length_product;
using ct::detail::map;
using ct::detail::reduce;
using ct::detail::scalar_traits;
using ct::detail::scan;
using ct::detail::small_format;
using ct::detail::to_odd_float;
using ct::detail::unsigned_of_size;
using ct::platform::barrier;
using ct::platform::bit_cast;
using ct::platform::thread;

/// The only element of a tile.
template <typename T>
CUDA_TILE_API ct::tile_element_t<T> element_of(T const& x) {
  if constexpr (ct::scalar<T>)
    return x;
  else
    return ct::detail::only_element(x);
}

/// A tile whose elements all equal a scalar or the element of a tile of one element.
template <typename R, typename T>
CUDA_TILE_API R splat(T const& x) {
  return map<R>([](auto e) { return e; }, element_of(x));
}

/// a where a condition holds, else b.
struct selecting {
  template <typename E>
  CUDA_TILE_API E operator()(bool condition, E a, E b) const {
    return condition ? a : b;
  }
};
template <typename R, typename C, typename A>
CUDA_TILE_API R select(C const& condition, A const& a, A const& b) {
  return map<R>(selecting{}, condition, a, b);
}

/// The value of elements read outside of a tensor.
template <typename E, ct::view_padding Pad>
CUDA_TILE_API E padding() {
  return ct::detail::padding_value<Pad, E>();
}

/// The elements of an array, in row-major order.
template <typename R, typename E>
CUDA_TILE_API R listed(E const* from) {
  R result;
  unsigned const t = thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = from[R::distribution::index(t, s)];
  return result;
}

/// The elements in reverse order along dimension D.
template <ct::size_t D, typename T>
CUDA_TILE_API T reversed(T const& x) {
  using S = ct::tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  auto position = [](unsigned i) { return i + (n - 1 - 2 * (i / inner % n)) * inner; };
  return ct::detail::taken(x, position);
}

/// Calls f(i, element) for each element, in row-major order, in one thread of the block.
template <typename T, typename F>
CUDA_TILE_API void for_each_element(T const& x, F f) {
  if constexpr (ct::platform::block_threads == 1) { // without a copy for each element
    for (unsigned i = 0; i < T::distribution::size; ++i)
      f(i, x.slots[i]);
  } else {
    auto const flat = ct::reshape(x, ct::shape<ct::tile_size_v<T>>{});
    for (unsigned i = 0; i < ct::tile_size_v<T>; ++i) {
      auto const e = element_of(ct::extract(flat, ct::shape<1>{}, i));
      if (thread() == 0)
        f(i, e);
    }
  }
}

// ---- reductions and scans of several tiles at once: of one tile whose elements are structures

/// The tile whose elements are structures P of the elements of `tiles`.
template <typename P, typename T, typename... Ts>
CUDA_TILE_API auto zip(T const& first, Ts const&... others) {
  return map<ct::tile<P, ct::tile_shape_t<T>>>([](auto... e) { return P{e...}; }, first, others...);
}
/// The tile of one member, in a shape with the same number of elements.
template <typename R, typename T, typename F>
CUDA_TILE_API R unzip(T const& x, F member) {
  auto const result = map<ct::tile<ct::tile_element_t<R>, ct::tile_shape_t<T>>>(member, x);
  if constexpr (ct::scalar<R>)
    return element_of(result);
  else
    return ct::reshape(result, ct::tile_shape_t<R>{});
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
