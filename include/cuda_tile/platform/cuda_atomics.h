// Atomic memory accesses on CUDA devices. Order and Scope are the values of memory_order [2.13.7] (relaxed,
// acquire, release, acq_rel) and thread_scope [2.13.8] (system, device, block). CUDA's atomic functions are
// relaxed; fences provide the stronger orders.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

template <int Scope>
__device__ __forceinline__ void fence() {
  if constexpr (Scope == 0)
    __threadfence_system();
  else if constexpr (Scope == 1)
    __threadfence();
  else
    __threadfence_block();
}
template <int Order, int Scope>
__device__ __forceinline__ void fence_before() {
  if constexpr (Order == 2 || Order == 3)
    fence<Scope>();
}
template <int Order, int Scope>
__device__ __forceinline__ void fence_after() {
  if constexpr (Order == 1 || Order == 3)
    fence<Scope>();
}

template <size_t Bytes>
struct atomic_word;
template <>
struct atomic_word<2> {
  using type = unsigned short;
};
template <>
struct atomic_word<4> {
  using type = unsigned int;
};
template <>
struct atomic_word<8> {
  using type = unsigned long long;
};

template <int Scope, typename W>
__device__ __forceinline__ W compare_and_swap(W* p, W expected, W value) {
  if constexpr (sizeof(W) == 2)
    return atomicCAS(p, expected, value); // exists for the device scope only, which contains the block
  else if constexpr (Scope == 0)
    return atomicCAS_system(p, expected, value);
  else if constexpr (Scope == 1)
    return atomicCAS(p, expected, value);
  else
    return atomicCAS_block(p, expected, value);
}

template <int Order, int Scope, typename E>
__device__ __forceinline__ E atomic_load(E const* p) {
  E value = *const_cast<E const volatile*>(p);
  fence_after<Order, Scope>();
  return value;
}

template <int Order, int Scope, typename E>
__device__ __forceinline__ void atomic_store(E* p, E value) {
  fence_before<Order, Scope>();
  *const_cast<E volatile*>(p) = value;
}

/// Stores `value` if *p holds the bits of `expected`; returns what *p held.
template <int Order, int Scope, typename E>
__device__ __forceinline__ E atomic_compare_exchange(E* p, E expected, E value) {
  using word = typename atomic_word<sizeof(E)>::type;
  fence_before<Order, Scope>();
  word old = platform::compare_and_swap<Scope>(reinterpret_cast<word*>(p), platform::bit_cast<word>(expected),
                                               platform::bit_cast<word>(value));
  fence_after<Order, Scope>();
  return platform::bit_cast<E>(old);
}

/// Replaces *p by update(*p) and returns what it held.
template <int Order, int Scope, typename E, typename F>
__device__ __forceinline__ E atomic_update(E* p, F update) {
  using word = typename atomic_word<sizeof(E)>::type;
  fence_before<Order, Scope>();
  word* address = reinterpret_cast<word*>(p);
  word old = *const_cast<word volatile*>(address), seen;
  do {
    seen = old;
    old = platform::compare_and_swap<Scope>(address, seen,
                                            platform::bit_cast<word>(update(platform::bit_cast<E>(seen))));
  } while (old != seen);
  fence_after<Order, Scope>();
  return platform::bit_cast<E>(old);
}

template <int Order, int Scope, typename E>
__device__ __forceinline__ E atomic_exchange(E* p, E value) {
  return platform::atomic_update<Order, Scope>(p, [value](E) { return value; });
}

template <int Scope, typename W>
__device__ __forceinline__ W fetch_add(W* p, W value) {
  if constexpr (Scope == 0)
    return atomicAdd_system(p, value);
  else if constexpr (Scope == 1)
    return atomicAdd(p, value);
  else
    return atomicAdd_block(p, value);
}

/// Whether the device has an atomic addition for E.
template <typename E>
inline constexpr bool has_atomic_add = sizeof(E) >= 4;

template <int Order, int Scope, typename E>
__device__ __forceinline__ E atomic_add(E* p, E value) {
  fence_before<Order, Scope>();
  E old;
  if constexpr (requires(E e) { e << 1; }) {
    using word = typename atomic_word<sizeof(E)>::type;
    old = static_cast<E>(fetch_add<Scope>(reinterpret_cast<word*>(p), static_cast<word>(value)));
  } else {
    old = platform::fetch_add<Scope>(p, value);
  }
  fence_after<Order, Scope>();
  return old;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
