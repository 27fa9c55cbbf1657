// Atomic memory accesses on the host. Order and Scope are the values of memory_order [2.13.7] and
// thread_scope [2.13.8]; every scope is the whole process here.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

template <int Order>
inline constexpr int host_order = Order == 0   ? __ATOMIC_RELAXED
                                  : Order == 1 ? __ATOMIC_ACQUIRE
                                  : Order == 2 ? __ATOMIC_RELEASE
                                               : __ATOMIC_ACQ_REL;
/// The order of a compare-and-exchange that fails, and so only reads.
template <int Order>
inline constexpr int host_failure_order = Order == 1 || Order == 3 ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;

template <int Order, int Scope, typename E>
inline E atomic_load(E const* p) {
  E value;
  __atomic_load(p, &value, host_order<Order>);
  return value;
}

template <int Order, int Scope, typename E>
inline void atomic_store(E* p, E value) {
#if defined(__SSE2__)
  if constexpr (Order >= 2) // unlike locked instructions, a plain store may overtake streaming stores
    __builtin_ia32_sfence();
#endif
  __atomic_store(p, &value, host_order<Order>);
}

/// Stores `value` if *p holds the bits of `expected`; returns what *p held.
template <int Order, int Scope, typename E>
inline E atomic_compare_exchange(E* p, E expected, E value) {
  __atomic_compare_exchange(p, &expected, &value, false, host_order<Order>, host_failure_order<Order>);
  return expected;
}

template <int Order, int Scope, typename E>
inline E atomic_exchange(E* p, E value) {
  E old;
  __atomic_exchange(p, &value, &old, host_order<Order>);
  return old;
}

/// Replaces *p by update(*p) and returns what it held.
template <int Order, int Scope, typename E, typename F>
inline E atomic_update(E* p, F update) {
  E old;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  E value = update(old);
  while (!__atomic_compare_exchange(p, &old, &value, true, host_order<Order>, __ATOMIC_RELAXED))
    value = update(old);
  return old;
}

/// The most that the processor can compare and exchange.
#if defined(__x86_64__) && defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
__extension__ typedef unsigned __int128 atomic_word;
#else
using atomic_word = unsigned long long;
#endif

/// Replaces the word at p, a multiple of its size, by update(it), and returns what it was. Each element that
/// lies in it is replaced atomically, too.
template <int Order, int Scope, typename F>
inline atomic_word atomic_update_word(void* p, F update) {
  typedef atomic_word word __attribute__((may_alias));
  typedef unsigned long long half __attribute__((may_alias));
  word old = 0; // read in halves: what another thread changed between them is not exchanged
  for (unsigned i = 0; i < sizeof(word) / sizeof(half); ++i)
    old |= static_cast<word>(__atomic_load_n(static_cast<half*>(p) + i, __ATOMIC_RELAXED)) << 64 * i;
  for (;;) {
    word const found = __sync_val_compare_and_swap(static_cast<word*>(p), old, update(old));
    if (found == old)
      return old;
    old = found;
  }
}

/// Whether the processor has an atomic addition for E.
template <typename E>
inline constexpr bool has_atomic_add = requires(E e) { e << 1; };

template <int Order, int Scope, typename E>
inline E atomic_add(E* p, E value) {
  return __atomic_fetch_add(p, value, host_order<Order>);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
