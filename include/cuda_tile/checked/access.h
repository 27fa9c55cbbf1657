// Checks memory accesses before they happen in checked builds: through tiles of pointers, and through rows of
// a partition. Empty in other builds.
#pragma once

#include "cuda_tile/checked/elements.h"
#include "cuda_tile/tile/access.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

/// What an access does; the values are those of cuda_tile_access_flags.
inline constexpr unsigned reads = 1, writes = 2, is_atomic = 4, acquires = 8, releases = 16, block_scope = 32;

/// The flags of an Access whose reads and writes are given by `Flags`.
template <typename Access, unsigned Flags>
inline constexpr unsigned access_flags = Flags;
template <memory_order Order, thread_scope Scope, unsigned Flags>
inline constexpr unsigned access_flags<detail::atomic_access<Order, Scope>, Flags> =
    Flags | is_atomic |
    ((Flags & reads) != 0 && (Order == memory_order::acquire || Order == memory_order::acq_rel) ? acquires
                                                                                                : 0) |
    ((Flags & writes) != 0 && (Order == memory_order::release || Order == memory_order::acq_rel) ? releases
                                                                                                 : 0) |
    (Scope == thread_scope::block ? block_scope : 0);

#if CUDA_TILE_CHECKED

static_assert(block_scope == cuda_tile_block_scope);

/// Collects accesses into runs of adjacent elements.
template <typename S>
struct access_runs {
  cuda_tile_access run;
  char const* function;

  CUDA_TILE_API access_runs(char const* f, unsigned size, unsigned flags)
      : run{nullptr, 0, size, flags, {}}, function{f} {}

  CUDA_TILE_API void add(void const volatile* pointer, unsigned position, unsigned long long count = 1) {
    char const* p = const_cast<char const*>(static_cast<char const volatile*>(pointer));
    // With several threads per block, the elements that one thread holds are scattered.
    if (CUDA_TILE_CHECKED_FULLY && run.count != 0 &&
        static_cast<char const*>(run.address) + run.count * run.size == p) {
      run.count += count;
      return;
    }
    flush();
    run.address = p;
    run.count = count;
    run.element = checks::element_of<S>(function, position);
  }
  CUDA_TILE_API void flush() {
    if (run.count != 0)
      platform::check_access(run);
    run.count = 0;
  }
};

#if CUDA_TILE_CHECKED_FULLY

/// A write that is not atomic must access each location only once.
template <typename Ptrs, typename Mask>
CUDA_TILE_API void require_distinct(char const* function, Ptrs const& ptrs, Mask const& mask) {
  using S = tile_shape_t<Ptrs>;
  cuda_tile_place places[shape_size_v<S>];
  unsigned count = 0;
  for (unsigned s = 0; s < shape_size_v<S>; ++s)
    if (detail::convert<bool>(detail::operand_value(mask, s)))
      places[count++] = {
          const_cast<void const*>(static_cast<void const volatile*>(detail::operand_value(ptrs, s))), s};
  auto* block = platform::current_block;
  unsigned twice = block->checks->find_repetition(block, places, count);
  if (twice != count)
    checks::report<S>(cuda_tile_data_race, function, places[twice].position, places[twice].address);
}

#else

template <typename Ptrs, typename Mask>
CUDA_TILE_API void require_distinct(char const*, Ptrs const&, Mask const&) {}

#endif

/// Called before the locations whose mask is true are accessed.
template <unsigned Flags, typename Ptrs, typename Mask>
CUDA_TILE_API void before_access(char const* function, Ptrs const& ptrs, Mask const& given_mask) {
  using S = tile_shape_t<Ptrs>;
  decltype(auto) mask = detail::aligned_operand<S>(given_mask);
  checks::require_defined(function, mask);
  checks::require_defined(function, ptrs, mask);
  access_runs<S> runs{function, sizeof(*detail::operand_value(ptrs, 0)), Flags};
  [[maybe_unused]] auto const* last = detail::operand_value(ptrs, 0);
  [[maybe_unused]] bool distinct = true, first = true;
  for (unsigned s = 0; s < detail::distribution_of<S>::slots; ++s) {
    if (!detail::convert<bool>(detail::operand_value(mask, s)))
      continue;
    auto const* p = detail::operand_value(ptrs, s);
    distinct = distinct && (first || p > last);
    first = false;
    last = p;
    runs.add(p, position<S>(s));
  }
  runs.flush();
  if constexpr ((Flags & (writes | is_atomic)) == writes)
    if (!distinct)
      checks::require_distinct(function, ptrs, mask);
}

#if CUDA_TILE_CHECKED_FULLY

/// `changed`: whether the bits in memory are different now.
template <unsigned Flags, typename Ptrs, typename Mask>
CUDA_TILE_API void after_access(Ptrs const& ptrs, Mask const& given_mask, bool changed = false) {
  if (changed)
    platform::current_block->checks->changed(platform::current_block);
  if constexpr ((Flags & (acquires | block_scope)) == acquires) {
    using S = tile_shape_t<Ptrs>;
    decltype(auto) mask = detail::aligned_operand<S>(given_mask);
    for (unsigned s = 0; s < shape_size_v<S>; ++s)
      if (detail::convert<bool>(detail::operand_value(mask, s)))
        platform::current_block->checks->acquired(platform::current_block, detail::operand_value(ptrs, s));
  }
}

#endif

/// Called after the element in slot s of a tile of shape S was updated; returns whether the memory changed.
template <typename S, typename Operation, typename E>
CUDA_TILE_API bool after_update(unsigned s, E old, E value) {
  if constexpr (requires { precondition<Operation>::violated(old, value); })
    if (int kind = precondition<Operation>::violated(old, value); kind >= 0)
      checks::report<S>(static_cast<cuda_tile_violation_kind>(kind), precondition<Operation>::function,
                        position<S>(s), old, value);
  if constexpr (CUDA_TILE_CHECKED_FULLY) {
    E const result = typename Operation::function{}(old, value);
    return __builtin_memcmp(&result, &old, sizeof old) != 0;
  }
  return false;
}

#if CUDA_TILE_CHECKED_FULLY

/// Whether the compare-and-exchange stored its value.
template <typename E>
CUDA_TILE_API bool after_exchange(E const& old, E const& expected) {
  return __builtin_memcmp(&old, &expected, sizeof old) == 0;
}

/// The value must be defined where the mask is true.
template <typename S, typename Value, typename Mask>
CUDA_TILE_API void before_write(char const* function, Value const& value, Mask const& mask) {
  checks::require_defined(function, detail::aligned_operand<S>(value), detail::aligned_operand<S>(mask));
}

/// Elements of a result are those of x where the condition is true, otherwise those of y.
template <typename R, typename Condition, typename Chosen, typename Other>
CUDA_TILE_API void after_choice(R& result, Condition const& given_condition, Chosen const& given_x,
                                Other const& given_y) {
  if constexpr (!scalar<R>) {
    if (result.undefined == all_defined)
      return;
    using S = tile_shape_t<R>;
    decltype(auto) condition = detail::aligned_operand<S>(given_condition);
    decltype(auto) x = detail::aligned_operand<S>(given_x);
    decltype(auto) y = detail::aligned_operand<S>(given_y);
    checks::set_undefined(result, [&](unsigned s) {
      return checks::is_undefined(condition, s) ||
             (detail::convert<bool>(detail::operand_value(condition, s)) ? checks::is_undefined(x, s)
                                                                         : checks::is_undefined(y, s));
    });
  }
}

/// A load without padding leaves elements undefined where the mask is false.
template <typename R, typename Mask>
CUDA_TILE_API void after_masked_load(R& result, Mask const& given_mask) {
  if constexpr (!scalar<R>) {
    decltype(auto) mask = detail::aligned_operand<tile_shape_t<R>>(given_mask);
    bool whole = true;
    for (unsigned s = 0; s < tile_size_v<R>; ++s)
      whole = whole && detail::convert<bool>(detail::operand_value(mask, s));
    if (!whole)
      checks::set_undefined(
          result, [&](unsigned s) { return !detail::convert<bool>(detail::operand_value(mask, s)); });
  }
}

#endif

#else

template <unsigned Flags, typename Ptrs, typename Mask>
CUDA_TILE_API void before_access(char const*, Ptrs const&, Mask const&) {}
template <typename S, typename Operation, typename E>
CUDA_TILE_API bool after_update(unsigned, E, E) {
  return false;
}

#endif

#if !CUDA_TILE_CHECKED_FULLY

template <unsigned Flags, typename Ptrs, typename Mask>
CUDA_TILE_API void after_access(Ptrs const&, Mask const&, bool = false) {}
template <typename E>
CUDA_TILE_API bool after_exchange(E const&, E const&) {
  return false;
}
template <typename S, typename Value, typename Mask>
CUDA_TILE_API void before_write(char const*, Value const&, Mask const&) {}
template <typename R, typename Condition, typename Chosen, typename Other>
CUDA_TILE_API void after_choice(R&, Condition const&, Chosen const&, Other const&) {}
template <typename R, typename Mask>
CUDA_TILE_API void after_masked_load(R&, Mask const&) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
