// Shuffles, votes, matches and reductions of the lanes of a warp. All are made of one exchange of values.
#pragma once

#include "cuda_tile/runtime/device/thread.h"

#include <type_traits>

namespace cuda_tile::runtime {

template <typename T>
unsigned long long to_word(T value) {
  static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 8, "lanes exchange up to 8 bytes");
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
template <typename T>
T from_word(unsigned long long word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}

/// The value of lane `source`; this lane's own where that one does not take part.
template <typename T>
T shuffle(unsigned mask, T value, unsigned source) {
  if constexpr (sizeof(T) <= 8) {
    const cuda_tile_warp_values* const all = cuda_tile_warp_barrier(mask, to_word(value));
    return source < 32 && all->lanes >> source & 1 ? from_word<T>(all->of[source]) : value;
  } else { // word by word
    static_assert(std::is_trivially_copyable<T>::value, "lanes exchange bytes");
    unsigned long long words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned long long& word : words)
      word = shuffle(mask, word, source);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
}

/// The lanes of which `is(value)` is true.
template <typename Condition>
unsigned lanes_where(const cuda_tile_warp_values& all, Condition is) {
  unsigned found = 0;
  for (unsigned lane = 0; lane != 32; ++lane)
    if (all.lanes >> lane & 1 && is(all.of[lane]))
      found |= 1u << lane;
  return found;
}

template <typename T, typename Operation>
T reduce(unsigned mask, T value, Operation operation) {
  const cuda_tile_warp_values* const all = cuda_tile_warp_barrier(mask, to_word(value));
  bool is_first = true;
  T result = value;
  for (unsigned lane = 0; lane != 32; ++lane)
    if (all->lanes >> lane & 1) {
      const T other = from_word<T>(all->of[lane]);
      result = is_first ? other : operation(result, other);
      is_first = false;
    }
  return result;
}

} // namespace cuda_tile::runtime

// ---- shuffles --------------------------------------------------------------------------------------------

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  const unsigned segment = cuda_tile::runtime::lane() & ~static_cast<unsigned>(width - 1);
  return cuda_tile::runtime::shuffle(mask, value, segment | (static_cast<unsigned>(source) & (width - 1)));
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const unsigned lane = cuda_tile::runtime::lane(), segment = lane & ~static_cast<unsigned>(width - 1);
  return cuda_tile::runtime::shuffle(mask, value, lane - segment >= delta ? lane - delta : lane);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const unsigned lane = cuda_tile::runtime::lane(), in_segment = lane & static_cast<unsigned>(width - 1);
  return cuda_tile::runtime::shuffle(mask, value,
                                     delta < static_cast<unsigned>(width) - in_segment ? lane + delta : lane);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
  const unsigned lane = cuda_tile::runtime::lane(), source = lane ^ static_cast<unsigned>(lane_mask);
  const unsigned last = lane | static_cast<unsigned>(width - 1);
  return cuda_tile::runtime::shuffle(mask, value, source <= last ? source : lane);
}

// ---- votes and matches -----------------------------------------------------------------------------------

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const cuda_tile_warp_values* const all = cuda_tile_warp_barrier(mask, predicate != 0);
  return mask & cuda_tile::runtime::lanes_where(*all, [](unsigned long long value) { return value != 0; });
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }
inline int __uni_sync(unsigned mask, int predicate) {
  const cuda_tile_warp_values* const all = cuda_tile_warp_barrier(mask, predicate != 0);
  return cuda_tile::runtime::lanes_where(*all, [=](unsigned long long other) {
           return other != static_cast<unsigned long long>(predicate != 0);
         }) == 0;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value) {
  const unsigned long long own = cuda_tile::runtime::to_word(value);
  return cuda_tile::runtime::lanes_where(*cuda_tile_warp_barrier(mask, own),
                                         [own](unsigned long long other) { return other == own; });
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  const unsigned long long own = cuda_tile::runtime::to_word(value);
  const cuda_tile_warp_values* const all = cuda_tile_warp_barrier(mask, own);
  *predicate =
      cuda_tile::runtime::lanes_where(*all, [own](unsigned long long other) { return other != own; }) == 0;
  return *predicate ? all->lanes : 0;
}
__attribute__((noinline)) inline unsigned __activemask() {
  return cuda_tile_active_mask(__builtin_return_address(0));
}

// ---- reductions ------------------------------------------------------------------------------------------

#define CUDA_TILE_REDUCE(T, name, expression)                                                                \
  inline T __reduce_##name##_sync(unsigned mask, T value) {                                                  \
    return cuda_tile::runtime::reduce(mask, value, [](T a, T b) { return static_cast<T>(expression); });     \
  }
CUDA_TILE_REDUCE(unsigned, add, a + b)
CUDA_TILE_REDUCE(unsigned, min, b < a ? b : a)
CUDA_TILE_REDUCE(unsigned, max, a < b ? b : a)
CUDA_TILE_REDUCE(unsigned, and, a& b)
CUDA_TILE_REDUCE(unsigned, or, a | b)
CUDA_TILE_REDUCE(unsigned, xor, a ^ b)
CUDA_TILE_REDUCE(int, add, static_cast<unsigned>(a) + static_cast<unsigned>(b))
CUDA_TILE_REDUCE(int, min, b < a ? b : a)
CUDA_TILE_REDUCE(int, max, a < b ? b : a)
#undef CUDA_TILE_REDUCE
