// Elementwise operations in record mode: a function is applied once, to generic elements, and the scalar
// instructions that LLVM leaves of it are read back as operations on tiles.
#pragma once

#include "cuda_tile/record/functions.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
namespace back_end {

/// The record of a tile type, in names of calls.
template <typename E, typename S, typename Indices = make_indices<S::rank()>>
struct described;
template <typename E, typename S, size_t... D>
struct described<E, S, indices<D...>> {
  using type = record::tile<E, static_cast<unsigned>(length<S>(D))...>;
};
template <typename T>
using described_t = typename described<tile_element_t<T>, tile_shape_t<T>>::type;

template <typename T, typename Operation, typename... Operands>
CUDA_TILE_API T tile_of(Operands... operands) {
  T result;
  result.handle = record::pure<Operation, record::handle>(operands...);
  return result;
}
template <typename T>
CUDA_TILE_API auto element(T const& x) {
  if constexpr (scalar<T>)
    return static_cast<remove_cv_t<T>>(x);
  else
    return detail::recorded<record::element<described_t<T>>, typename T::element_type>(x.handle);
}
template <typename T, typename E>
CUDA_TILE_API T tile_of_element(E x) {
  return back_end::tile_of<T, record::tile_of_element<described_t<T>>>(detail::to_travel(x));
}

/// Converted and broadcast to the tile type T.
template <typename T, typename Operand>
CUDA_TILE_API record::handle handle_as(Operand const& operand) {
  if constexpr (is_same_v<T, Operand>)
    return operand.handle;
  else
    return back_end::tile_of_element<T>(detail::convert<typename T::element_type>(back_end::element(operand)))
        .handle;
}

} // namespace back_end

template <typename R, typename F, typename... Operands>
CUDA_TILE_API R map(F f, Operands const&... operands) {
  if constexpr (scalar<R>)
    return back_end::apply(f, back_end::element(operands)...);
  else
    return back_end::tile_of_element<R>(back_end::apply(f, back_end::element(operands)...));
}

template <typename T, typename O>
CUDA_TILE_API void convert_into(T& result, O const& other) {
  result.handle = back_end::handle_as<T>(other);
}
template <typename T>
CUDA_TILE_API element_t<T> only_element(T const& x) {
  return detail::recorded<back_end::record::only_element<back_end::described_t<T>>, element_t<T>>(x.handle);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
