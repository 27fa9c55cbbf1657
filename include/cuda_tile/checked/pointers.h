// Pointer arithmetic in checked builds: it must stay within one array or one past its last element [2.2.26].
// Only arrays passed to the launch are known; the bounds of a kernel's own variables are not. Nearly every
// kernel computes pointers past the end of an array and masks them off, so only CUDA_TILE_CHECKED_STRICT
// reports a pointer before it is accessed; a difference of unrelated pointers is always reported. Empty in
// other builds.
#pragma once

#include "cuda_tile/checked/values.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED_FULLY

/// An array that was passed to the launch.
struct known_array {
  char const* begin = nullptr;
  char const* end = nullptr;

  /// One past the last element counts.
  CUDA_TILE_API bool contains(char const* p) const { return begin != nullptr && begin <= p && p <= end; }
  CUDA_TILE_API bool find(char const* p) {
    return platform::current_block->checks->find_array(platform::current_block, p, &begin, &end) != 0;
  }
  /// The array that begins at p, or the one that ends there if the arithmetic goes backwards.
  CUDA_TILE_API bool find(char const* p, bool backwards) {
    if (contains(p) && (!backwards || p != begin))
      return true;
    return (backwards && find(p - 1)) || find(p);
  }
};

template <typename T>
CUDA_TILE_API char const* address_of(T const volatile* p) {
  return const_cast<char const*>(reinterpret_cast<char const volatile*>(p));
}

#if CUDA_TILE_CHECKED_STRICT

/// Whether `count` elements of `size` bytes lie between p and the end of its array in that direction.
CUDA_TILE_API bool is_within_array(known_array& array, char const* p, size_t size, unsigned long long count,
                                   bool backwards) {
  if (count == 0)
    return true;
  if (p == nullptr)
    return false;
  if (!array.find(p, backwards))
    return true;
  return count <= static_cast<size_t>(backwards ? p - array.begin : array.end - p) / size;
}

/// Called before pointers of shape S are computed from others by adding or subtracting offsets.
template <typename S, typename Ptr, typename Offset>
CUDA_TILE_API void before_advance(char const* function, bool subtracts, Ptr const& given_ptrs,
                                  Offset const& given_offsets) {
  decltype(auto) ptrs = detail::aligned_operand<S>(given_ptrs);
  decltype(auto) offsets = detail::aligned_operand<S>(given_offsets);
  known_array array;
  for (unsigned s = 0; s < shape_size_v<S>; ++s) {
    auto const p = detail::operand_value(ptrs, s);
    auto const n = detail::operand_value(offsets, s);
    bool const negative = n < decltype(n)(0);
    auto const count = static_cast<unsigned long long>(n);
    if (checks::is_within_array(array, checks::address_of(p), sizeof *p, negative ? 0 - count : count,
                                negative != subtracts))
      continue;
    if (!is_undefined(ptrs, s) && !is_undefined(offsets, s))
      checks::report<S>(cuda_tile_pointer_arithmetic, function, s, p, n);
  }
}

#else

template <typename S, typename Ptr, typename Offset>
CUDA_TILE_API void before_advance(char const*, bool, Ptr const&, Offset const&) {}

#endif

/// Called before a difference of pointers is computed.
template <typename S, typename Lhs, typename Rhs>
CUDA_TILE_API void before_difference(Lhs const& given_lhs, Rhs const& given_rhs) {
  decltype(auto) lhs = detail::aligned_operand<S>(given_lhs);
  decltype(auto) rhs = detail::aligned_operand<S>(given_rhs);
  for (unsigned s = 0; s < shape_size_v<S>; ++s) {
    auto const a = detail::operand_value(lhs, s);
    auto const b = detail::operand_value(rhs, s);
    known_array of_a, of_b;
    bool const known_a = of_a.find(checks::address_of(a)), known_b = of_b.find(checks::address_of(b));
    bool const one_array = known_a || known_b
                               ? of_a.contains(checks::address_of(b)) || of_b.contains(checks::address_of(a))
                               : (a == nullptr) == (b == nullptr);
    if (!one_array && !checks::is_undefined(lhs, s) && !checks::is_undefined(rhs, s))
      checks::report<S>(cuda_tile_pointer_arithmetic, "operator-", s, a, b);
  }
}

#else

template <typename S, typename Ptr, typename Offset>
CUDA_TILE_API void before_advance(char const*, bool, Ptr const&, Offset const&) {}
template <typename S, typename Lhs, typename Rhs>
CUDA_TILE_API void before_difference(Lhs const&, Rhs const&) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
