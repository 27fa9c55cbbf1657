// What the atomic read-modify-write operations are made of; ops/atomics.h makes the API [2.7.6] to [2.7.14]
// of it.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/ops/create.h"
#include "cuda_tile/ops/memory_access.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/atomic_sums.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

// Which element types an operation takes: 32 and 64 bit integers; those and float and double; those and half.
// NVIDIA's 13.4 adds bfloat16 to the last.

template <typename T>
concept atomic_integer =
    integral_tile<T> && (bitwidth_v<tile_element_t<T>> == 32 || bitwidth_v<tile_element_t<T>> == 64);
template <typename T>
concept atomic_word =
    atomic_integer<T> || is_same_v<tile_element_t<T>, float> || is_same_v<tile_element_t<T>, double>;
template <typename T>
concept atomic_number =
    atomic_word<T> || is_same_v<tile_element_t<T>, __half> || is_same_v<tile_element_t<T>, __nv_bfloat16>;

/// Replaces *p by Function(*p, v).
template <typename Function>
struct memory_function {
  using function = Function;
  template <int Order, int Scope, typename E>
  CUDA_TILE_API static E apply(E* p, E v) {
    return platform::atomic_update<Order, Scope>(p, [v](E k) { return Function{}(k, v); });
  }
};
using memory_bit_and = memory_function<elements::bit_and>;
using memory_bit_or = memory_function<elements::bit_or>;
using memory_bit_xor = memory_function<elements::bit_xor>;
using memory_max = memory_function<elements::max>;
using memory_min = memory_function<elements::min>;

struct memory_add {
  using function = elements::add;
  template <int Order, int Scope, typename E>
  CUDA_TILE_API static E apply(E* p, E v) {
    if constexpr (platform::has_atomic_add<E>)
      return platform::atomic_add<Order, Scope>(p, v);
    else
      return memory_function<elements::add>::apply<Order, Scope>(p, v);
  }
};
/// [2.7.13] k - v is k + (-v), for floating point types exactly so.
struct memory_sub {
  using function = elements::sub;
  template <int Order, int Scope, typename E>
  CUDA_TILE_API static E apply(E* p, E v) {
    return memory_add::apply<Order, Scope>(p, elements::negate{}(v));
  }
};

struct second_value {
  template <typename E>
  CUDA_TILE_API E operator()(E, E v) const {
    return v;
  }
};
struct memory_exchange {
  using function = second_value;
  template <int Order, int Scope, typename E>
  CUDA_TILE_API static E apply(E* p, E v) {
    return platform::atomic_exchange<Order, Scope>(p, v);
  }
};

/// Applies an operation to each location whose mask is true; yields what was there before, zero where the
/// mask is false.
template <memory_order Order, thread_scope Scope, typename Operation, typename Ptrs, typename Values,
          typename Mask>
CUDA_TILE_API tile_load_t<Ptrs> update_memory(Operation, Ptrs const& ptrs, Values const& values,
                                              Mask const& mask) {
  using E = tile_element_t<tile_load_t<Ptrs>>;
  using R = tile<E, tile_shape_t<Ptrs>>;
  constexpr unsigned flags = checks::atomic_flags<checks::reads | checks::writes, Order, Scope>;
  checks::before_write<tile_shape_t<Ptrs>>("an atomic update", values, mask);
  checks::before_access<flags>("an atomic update", ptrs, mask);
  R old;
  checks::define(old);
  bool done = false, changed = false;
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
  if constexpr (!checks::enabled && is_same_v<Operation, memory_add> &&
                sums_before_adding<E, shape_size_v<tile_shape_t<Ptrs>>>)
    done = add_sums(
        [](auto p, E sum) {
          return Operation::template apply<static_cast<int>(Order), static_cast<int>(Scope)>(p, sum);
        },
        old, ptrs, broadcast_tile<R>(values), broadcast_tile<tile<bool, tile_shape_t<Ptrs>>>(mask));
#endif
  if (!done)
    detail::for_each_location(
        [&](unsigned s, auto p, auto v, auto m) {
          old.slots[s] = detail::convert<E>(0);
          if (!detail::convert<bool>(m))
            return;
          old.slots[s] = Operation::template apply<static_cast<int>(Order), static_cast<int>(Scope)>(
              p, detail::convert<E>(v));
          changed |=
              checks::after_update<tile_shape_t<Ptrs>, Operation>(s, old.slots[s], detail::convert<E>(v));
        },
        ptrs, values, mask);
  checks::after_access<flags>(ptrs, mask, changed);
  checks::after_masked_load(old, mask);
  return static_cast<tile_load_t<Ptrs>>(detail::shared_value(old));
}

/// [2.7.6] Stores vals where the memory holds the bits of cmps; yields what was there, cmps where the mask is
/// false.
template <memory_order Order, thread_scope Scope, typename Ptrs, typename Cmp, typename Val, typename Mask>
CUDA_TILE_API tile_load_t<Ptrs> compare_exchange_memory(Ptrs const& ptrs, Cmp const& cmps, Val const& vals,
                                                        Mask const& mask) {
  using E = tile_element_t<tile_load_t<Ptrs>>;
  using R = tile<E, tile_shape_t<Ptrs>>;
  constexpr unsigned flags = checks::atomic_flags<checks::reads | checks::writes, Order, Scope>;
  checks::before_write<tile_shape_t<Ptrs>>("atomic_compare_exchange", cmps, mask);
  checks::before_write<tile_shape_t<Ptrs>>("atomic_compare_exchange", vals, mask);
  checks::before_access<flags>("atomic_compare_exchange", ptrs, mask);
  R old = detail::normal(detail::map<R>([](auto c) { return detail::convert<E>(c); }, cmps));
  bool changed = false;
  detail::for_each_location(
      [&](unsigned s, auto p, auto v, auto m) {
        if (!detail::convert<bool>(m))
          return;
        E const expected = old.slots[s];
        old.slots[s] = platform::atomic_compare_exchange<static_cast<int>(Order), static_cast<int>(Scope)>(
            p, expected, detail::convert<E>(v));
        changed |= checks::after_exchange(old.slots[s], expected);
      },
      ptrs, vals, mask);
  checks::after_access<flags>(ptrs, mask, changed);
  return static_cast<tile_load_t<Ptrs>>(detail::shared_value(old));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
