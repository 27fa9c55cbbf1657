// Memory in record mode, by pointers and by views.
#pragma once

#include "cuda_tile/record/map.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
namespace back_end {

/// An access as numbers: the order, -1 for a weak one, and the scope.
template <typename Access>
struct access_numbers {
  static constexpr int order = -1, scope = 0;
};
template <memory_order Order, thread_scope Scope>
struct access_numbers<atomic_access<Order, Scope>> {
  static constexpr int order = static_cast<int>(Order), scope = static_cast<int>(Scope);
};

/// T, or a tile of it where that is a scalar.
template <typename T>
using as_tile_t = tile<tile_element_t<T>, tile_shape_t<T>>;
template <typename Ptrs>
using mask_t = tile<bool, tile_shape_t<Ptrs>>;

template <template <typename, int, int> typename Operation, typename Access, typename T>
using accessing = Operation<described_t<T>, access_numbers<Access>::order, access_numbers<Access>::scope>;

template <typename R, typename Operation, typename... Operands>
CUDA_TILE_API R loaded(Operands... operands) {
  as_tile_t<R> result;
  result.handle = record::effect<Operation, record::handle>(operands...);
  return static_cast<R>(result);
}

template <typename Ptrs>
CUDA_TILE_API record::handle handle_of(Ptrs const& ptrs) {
  return back_end::handle_as<as_tile_t<Ptrs>>(ptrs);
}

} // namespace back_end

template <typename R, typename Ptrs>
CUDA_TILE_API R load(Ptrs const& ptrs) {
  using operation = back_end::accessing<back_end::record::load_pointers, plain_access, R>;
  return back_end::loaded<R, operation>(back_end::handle_of(ptrs));
}
template <typename R, typename Access, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_masked(Access, Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using operation = back_end::accessing<back_end::record::load_pointers, Access, R>;
  return back_end::loaded<R, operation>(back_end::handle_of(ptrs),
                                        back_end::handle_as<back_end::mask_t<Ptrs>>(mask),
                                        back_end::handle_as<back_end::as_tile_t<R>>(padding));
}
template <typename Access, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_masked(Access, Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using T = tile<remove_cv_t<remove_pointer_t<tile_element_t<Ptrs>>>, tile_shape_t<Ptrs>>;
  using operation = back_end::accessing<back_end::record::store_pointers, Access, T>;
  back_end::record::effect<operation, void>(back_end::handle_of(ptrs), back_end::handle_as<T>(value),
                                            back_end::handle_as<back_end::mask_t<Ptrs>>(mask));
}

template <typename R, typename Access, typename Function, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API R update(Access, memory_function<Function>, Ptrs const& ptrs, Value const& value,
                       Mask const& mask) {
  using operation =
      back_end::record::update_pointers<back_end::described_t<R>, typename back_end::name_of<Function>::type,
                                        back_end::access_numbers<Access>::order,
                                        back_end::access_numbers<Access>::scope>;
  return back_end::loaded<R, operation>(back_end::handle_of(ptrs),
                                        back_end::handle_as<back_end::as_tile_t<R>>(value),
                                        back_end::handle_as<back_end::mask_t<Ptrs>>(mask));
}
template <typename R, typename Access, typename Ptrs, typename Expected, typename Value, typename Mask>
CUDA_TILE_API R compare_exchange(Access, Ptrs const& ptrs, Expected const& expected, Value const& value,
                                 Mask const& mask) {
  using operation = back_end::accessing<back_end::record::exchange_pointers, Access, R>;
  return back_end::loaded<R, operation>(
      back_end::handle_of(ptrs), back_end::handle_as<back_end::as_tile_t<R>>(expected),
      back_end::handle_as<back_end::as_tile_t<R>>(value), back_end::handle_as<back_end::mask_t<Ptrs>>(mask));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
