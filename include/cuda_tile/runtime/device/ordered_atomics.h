// Atomic functions that name an order and a scope, __nv_atomic_load() and so on. All of them are sequentially
// consistent, and all scopes are the system here.
#pragma once

#include "cuda_tile/runtime/device/atomics.h"
#include "cuda_tile/runtime/device/synchronize.h"

#include <type_traits>

enum {
  __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace cuda_tile::runtime {
template <typename T>
using value_of = std::remove_cv_t<T>; // not deduced: arguments are converted to the type of the place

/// Integers as unsigned ones, whose sums may overflow.
template <typename T>
auto unsigned_if_integer(T x) {
  if constexpr (std::is_integral<T>::value)
    return static_cast<std::make_unsigned_t<T>>(x);
  else
    return x;
}
} // namespace cuda_tile::runtime

inline void __nv_atomic_thread_fence(int, int = __NV_THREAD_SCOPE_SYSTEM) { __threadfence(); }

// ---- loads, stores and exchanges, of values and by pointers ----------------------------------------------

template <typename T>
void __nv_atomic_load(T* place, cuda_tile::runtime::value_of<T>* result, int,
                      int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::count_atomic();
  __atomic_load(place, result, __ATOMIC_SEQ_CST);
}
template <typename T>
cuda_tile::runtime::value_of<T> __nv_atomic_load_n(T* place, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::value_of<T> result;
  __nv_atomic_load(place, &result, order);
  return result;
}
template <typename T>
void __nv_atomic_store(T* place, cuda_tile::runtime::value_of<T>* value, int,
                       int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::count_atomic();
  __atomic_store(place, value, __ATOMIC_SEQ_CST);
}
template <typename T>
void __nv_atomic_store_n(T* place, cuda_tile::runtime::value_of<T> value, int order,
                         int = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store(place, &value, order);
}
template <typename T>
void __nv_atomic_exchange(T* place, cuda_tile::runtime::value_of<T>* value,
                          cuda_tile::runtime::value_of<T>* before, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::count_atomic();
  __atomic_exchange(place, value, before, __ATOMIC_SEQ_CST);
}
template <typename T>
cuda_tile::runtime::value_of<T> __nv_atomic_exchange_n(T* place, cuda_tile::runtime::value_of<T> value,
                                                       int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::value_of<T> before;
  __nv_atomic_exchange(place, &value, &before, order);
  return before;
}
template <typename T>
bool __nv_atomic_compare_exchange(T* place, cuda_tile::runtime::value_of<T>* expected,
                                  cuda_tile::runtime::value_of<T>* value, bool, int, int,
                                  int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_tile::runtime::count_atomic();
  return __atomic_compare_exchange(place, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
template <typename T>
bool __nv_atomic_compare_exchange_n(T* place, cuda_tile::runtime::value_of<T>* expected,
                                    cuda_tile::runtime::value_of<T> value, bool weak, int success,
                                    int failure, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange(place, expected, &value, weak, success, failure);
}

// ---- updates, which return what was there or nothing -----------------------------------------------------

#define CUDA_TILE_ORDERED_UPDATE(name, expression)                                                           \
  template <typename T>                                                                                      \
  cuda_tile::runtime::value_of<T> __nv_atomic_fetch_##name(T* place, cuda_tile::runtime::value_of<T> value,  \
                                                           int, int = __NV_THREAD_SCOPE_SYSTEM) {            \
    using V = cuda_tile::runtime::value_of<T>;                                                               \
    return cuda_tile::runtime::update(const_cast<V*>(place),                                                 \
                                      [=](V old) { return static_cast<V>(expression); });                    \
  }                                                                                                          \
  template <typename T>                                                                                      \
  void __nv_atomic_##name(T* place, cuda_tile::runtime::value_of<T> value, int order,                        \
                          int = __NV_THREAD_SCOPE_SYSTEM) {                                                  \
    __nv_atomic_fetch_##name(place, value, order);                                                           \
  }
CUDA_TILE_ORDERED_UPDATE(add, cuda_tile::runtime::unsigned_if_integer(old) +
                                  cuda_tile::runtime::unsigned_if_integer(value))
CUDA_TILE_ORDERED_UPDATE(sub, cuda_tile::runtime::unsigned_if_integer(old) -
                                  cuda_tile::runtime::unsigned_if_integer(value))
CUDA_TILE_ORDERED_UPDATE(min, value < old ? value : old)
CUDA_TILE_ORDERED_UPDATE(max, old < value ? value : old)
CUDA_TILE_ORDERED_UPDATE(and, old& value)
CUDA_TILE_ORDERED_UPDATE(or, old | value)
CUDA_TILE_ORDERED_UPDATE(xor, old ^ value)
#undef CUDA_TILE_ORDERED_UPDATE
