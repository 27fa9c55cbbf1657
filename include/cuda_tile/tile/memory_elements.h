// Accesses to one element in memory by the platform's instructions, shared by the back ends that run kernels.
#pragma once

#include "cuda_tile/checked/access.h"
#include "cuda_tile/platform/platform.h"
#include "cuda_tile/tile/access.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
CUDA_TILE_API remove_cv_t<E> read_element(plain_access, E* p) {
  return *p;
}
template <memory_order Order, thread_scope Scope, typename E>
CUDA_TILE_API remove_cv_t<E> read_element(atomic_access<Order, Scope>, E* p) {
  return platform::atomic_load<static_cast<int>(Order), static_cast<int>(Scope)>(p);
}

template <typename E>
CUDA_TILE_API void write_element(plain_access, E* p, E value) {
  *p = value;
}
template <memory_order Order, thread_scope Scope, typename E>
CUDA_TILE_API void write_element(atomic_access<Order, Scope>, E* p, E value) {
  platform::atomic_store<static_cast<int>(Order), static_cast<int>(Scope)>(p, value);
}

/// Replaces *p by Function(*p, v) and returns the previous value.
template <memory_order Order, thread_scope Scope, typename Function, typename E>
CUDA_TILE_API E update_element(atomic_access<Order, Scope>, memory_function<Function>, E* p, E v) {
  constexpr int order = static_cast<int>(Order), scope = static_cast<int>(Scope);
  if constexpr (is_same_v<Function, elements::sub>)
    return detail::update_element(atomic_access<Order, Scope>{}, memory_add{}, p, elements::negate{}(v));
  else if constexpr (is_same_v<Function, elements::second>)
    return platform::atomic_exchange<order, scope>(p, v);
  else if constexpr (is_same_v<Function, elements::add> && platform::has_atomic_add<E>)
    return platform::atomic_add<order, scope>(p, v);
  else
    return platform::atomic_update<order, scope>(p, [v](E k) { return Function{}(k, v); });
}

/// Stores `value` if *p holds the bits of `expected`; returns the previous value.
template <memory_order Order, thread_scope Scope, typename E>
CUDA_TILE_API E exchange_element(atomic_access<Order, Scope>, E* p, E expected, E value) {
  return platform::atomic_compare_exchange<static_cast<int>(Order), static_cast<int>(Scope)>(p, expected,
                                                                                             value);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
