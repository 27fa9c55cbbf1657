// Arguments of printf, and printing tiles element by element.
#pragma once

#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::tileir {

/// The argument of printf: a `long long` for integers and pointers.
template <sign Sign, typename E>
CUDA_TILE_API long long printed(E x) {
  if constexpr (is_pointer_scalar_v<E>)
    return reinterpret_cast<long long>(x);
  else
    return static_cast<long long>(read<Sign>(x));
}
/// A `double` for the others; the sign of a NaN is meaningless.
template <typename E>
CUDA_TILE_API double printed(E x) {
  double const value = convert<double>(x);
  return value == value ? value : bit_cast<double>(0x7ff8000000000000ULL);
}

/// Calls one(e) for each element in row-major order, and prints brackets and commas, nested like NumPy's.
template <typename T, typename F>
CUDA_TILE_API void print_tile(T const& x, F one) {
  using S = ct::tile_shape_t<T>;
  for_each_element(x, [&](unsigned i, auto e) {
    unsigned opened = 0, closed = 0;
    for (ct::size_t d = S::rank(); d-- > 0;) {
      unsigned run = static_cast<unsigned>(length_product<S>(d, S::rank()));
      opened += i % run == 0;
      closed += (i + 1) % run == 0;
    }
    if (i != 0 && opened != 0)
      printf(", ");
    for (unsigned k = 0; k < opened; ++k)
      printf("[");
    one(e);
    for (unsigned k = 0; k < closed; ++k)
      printf("]");
    if (closed == 0)
      printf(", ");
  });
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::tileir
