// Atomic additions with one thread a block. A processor takes as long for a word as for one of the elements
// in it, and for floating point elements it has no other instruction than compare and exchange.
#pragma once

#include "cuda_tile/tile/memory_elements.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
inline constexpr unsigned elements_of_word = sizeof(platform::atomic_word) / sizeof(E);

/// Adds to the elements that begin at p, and writes what they were.
template <memory_order Order, thread_scope Scope, typename E>
CUDA_TILE_API void add_to_word(atomic_access<Order, Scope>, E* old, E* p, E const* values) {
  auto const function = [values](platform::atomic_word word) {
    E parts[elements_of_word<E>];
    __builtin_memcpy(parts, &word, sizeof word);
    for (unsigned i = 0; i < elements_of_word<E>; ++i)
      parts[i] = elements::add{}(parts[i], values[i]);
    __builtin_memcpy(&word, parts, sizeof word);
    return word;
  };
  platform::atomic_word const word =
      platform::atomic_update_word<static_cast<int>(Order), static_cast<int>(Scope)>(p, function);
  __builtin_memcpy(old, &word, sizeof word);
}

/// Adds values to *ptrs where the mask is true, to neighbours in a word together. `old` receives what each
/// element found, or 0.
template <typename Access, typename E, typename S>
CUDA_TILE_API void add_to_words(Access access, tile<E, S>& old, tile<E*, S> const& ptrs,
                                tile<E, S> const& values, tile<bool, S> const& mask) {
  constexpr unsigned size = static_cast<unsigned>(shape_size_v<S>), count = elements_of_word<E>;
  auto const fill_a_word = [&](unsigned s) {
    bool fill = count > 1 && s + count <= size &&
                platform::bit_cast<unsigned long long>(ptrs.slots[s]) % sizeof(platform::atomic_word) == 0;
    for (unsigned i = 0; fill && i < count; ++i)
      fill = mask.slots[s + i] && ptrs.slots[s + i] == ptrs.slots[s] + i;
    return fill;
  };
  // No load begins before the atomic operations in front of it have ended, so memory is fetched ahead.
  constexpr unsigned ahead = 32;
  for (unsigned s = 0; s < ahead && s < size; s += count)
    __builtin_prefetch(ptrs.slots[s], 1);
  for (unsigned s = 0; s < size;) {
    if (s + ahead < size)
      __builtin_prefetch(ptrs.slots[s + ahead], 1);
    if (fill_a_word(s)) {
      detail::add_to_word(access, old.slots + s, ptrs.slots[s], values.slots + s);
      s += count;
    } else {
      old.slots[s] = mask.slots[s]
                         ? detail::update_element(access, memory_add{}, ptrs.slots[s], values.slots[s])
                         : detail::convert<E>(0);
      ++s;
    }
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
