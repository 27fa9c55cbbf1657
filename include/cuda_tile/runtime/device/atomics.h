// Atomic updates, of the whole device, the block (_block) and the system (_system): all are the same here.
#pragma once

#include "cuda_tile/runtime/device/thread.h"

#include <type_traits>

namespace cuda_tile::runtime {

/// Atomic operations and fences of the running thread since it last let others run.
extern __thread unsigned atomics_in_turn;

/// A thread may wait in a loop of atomic operations for another one of its block, which has to get its turn.
inline void count_atomic() {
  if (++atomics_in_turn % 4096 == 0)
    cuda_tile_yield();
}

template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 8, unsigned long long,
                                   std::conditional_t<sizeof(T) == 4, unsigned, unsigned short>>;

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

/// *place becomes update(*place); returns what was there.
template <typename T, typename Update>
T update(T* place, Update update) {
  using Bits = bits_of<T>;
  count_atomic();
  Bits* const word = reinterpret_cast<Bits*>(place);
  Bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before,
                                      bits_as<Bits>(static_cast<T>(update(bits_as<T>(before)))), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return bits_as<T>(before);
}

template <typename T>
T exchange(T* place, T value) {
  count_atomic();
  return bits_as<T>(__atomic_exchange_n(reinterpret_cast<bits_of<T>*>(place), bits_as<bits_of<T>>(value),
                                        __ATOMIC_SEQ_CST));
}
template <typename T>
T compare_exchange(T* place, T expected, T value) {
  count_atomic();
  bits_of<T> before = bits_as<bits_of<T>>(expected);
  __atomic_compare_exchange_n(reinterpret_cast<bits_of<T>*>(place), &before, bits_as<bits_of<T>>(value),
                              false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return bits_as<T>(before);
}

} // namespace cuda_tile::runtime

#define CUDA_TILE_IN_SCOPES(T, name, parameters, body)                                                       \
  inline T name parameters { body }                                                                          \
  inline T name##_block parameters { body }                                                                  \
  inline T name##_system parameters { body }
#define CUDA_TILE_UPDATE(T, name, expression)                                                                \
  CUDA_TILE_IN_SCOPES(T, name, (T * place, T value), return cuda_tile::runtime::update(place, [=](T old) {   \
                        return static_cast<T>(expression);                                                   \
                      });)
#define CUDA_TILE_EXCHANGE(T)                                                                                \
  CUDA_TILE_IN_SCOPES(T, atomicExch, (T * place, T value), return cuda_tile::runtime::exchange(place, value);)
#define CUDA_TILE_COMPARE(T)                                                                                 \
  CUDA_TILE_IN_SCOPES(T, atomicCAS, (T * place, T expected, T value),                                        \
                      return cuda_tile::runtime::compare_exchange(place, expected, value);)
#define CUDA_TILE_ORDER_AND_BITS(T)                                                                          \
  CUDA_TILE_UPDATE(T, atomicMin, value < old ? value : old)                                                  \
  CUDA_TILE_UPDATE(T, atomicMax, old < value ? value : old)                                                  \
  CUDA_TILE_UPDATE(T, atomicAnd, old& value)                                                                 \
  CUDA_TILE_UPDATE(T, atomicOr, old | value)                                                                 \
  CUDA_TILE_UPDATE(T, atomicXor, old ^ value)

CUDA_TILE_UPDATE(int, atomicAdd, static_cast<unsigned>(old) + static_cast<unsigned>(value))
CUDA_TILE_UPDATE(unsigned, atomicAdd, old + value)
CUDA_TILE_UPDATE(unsigned long long, atomicAdd, old + value)
CUDA_TILE_UPDATE(float, atomicAdd, old + value)
CUDA_TILE_UPDATE(double, atomicAdd, old + value)
CUDA_TILE_UPDATE(int, atomicSub, static_cast<unsigned>(old) - static_cast<unsigned>(value))
CUDA_TILE_UPDATE(unsigned, atomicSub, old - value)
CUDA_TILE_UPDATE(unsigned, atomicInc, old >= value ? 0 : old + 1)
CUDA_TILE_UPDATE(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
CUDA_TILE_ORDER_AND_BITS(int)
CUDA_TILE_ORDER_AND_BITS(unsigned)
CUDA_TILE_ORDER_AND_BITS(long long)
CUDA_TILE_ORDER_AND_BITS(unsigned long long)
CUDA_TILE_EXCHANGE(int)
CUDA_TILE_EXCHANGE(unsigned)
CUDA_TILE_EXCHANGE(unsigned long long)
CUDA_TILE_EXCHANGE(float)
CUDA_TILE_COMPARE(int)
CUDA_TILE_COMPARE(unsigned)
CUDA_TILE_COMPARE(unsigned long long)
CUDA_TILE_COMPARE(unsigned short)

#undef CUDA_TILE_ORDER_AND_BITS
#undef CUDA_TILE_COMPARE
#undef CUDA_TILE_EXCHANGE
#undef CUDA_TILE_UPDATE
#undef CUDA_TILE_IN_SCOPES

// ---- half, bfloat16 and vectors, of which each element is one update -------------------------------------

namespace cuda_tile::runtime {
template <typename T>
using if_small_float = std::enable_if_t<std::is_class<T>::value && sizeof(T) == 2, T>;
template <typename T>
using if_vector = decltype(T::y, T());
} // namespace cuda_tile::runtime

template <typename T>
cuda_tile::runtime::if_small_float<T> atomicAdd(T* place, T value) {
  return cuda_tile::runtime::update(place, [=](T old) { return static_cast<T>(old + value); });
}
template <typename T>
cuda_tile::runtime::if_vector<T> atomicAdd(T* place, T value) {
  T before = value;
  before.x = atomicAdd(&place->x, value.x);
  before.y = atomicAdd(&place->y, value.y);
  if constexpr (sizeof(T) == 4 * sizeof(value.x)) {
    before.z = atomicAdd(&place->z, value.z);
    before.w = atomicAdd(&place->w, value.w);
  }
  return before;
}
