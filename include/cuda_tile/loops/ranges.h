// The bytes that a tile in memory occupies, and whether two such ranges overlap.
#pragma once

#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// A test before loops. Compilers would guess that each of many fails half of the time, and take the loops
/// behind them for code that never runs.
CUDA_TILE_API bool holds(bool test) { return __builtin_expect_with_probability(test, true, 0.99); }

/// From `begin` up to but not including `end`; empty if they are equal. The elements within are at distances
/// of `steps`, in bytes, along `rank` axes.
struct range {
  unsigned long long begin, end;
  unsigned rank;
  long long size, counts[8], steps[8];
};

/// The range of an access: `counts` elements along each axis, at the given distances in elements.
template <unsigned Rank, typename E>
CUDA_TILE_API range range_of(E const* origin, long long const (&counts)[Rank],
                             long long const (&steps)[Rank]) {
  static_assert(Rank <= 8);
  auto begin = reinterpret_cast<unsigned long long>(origin), end = begin + sizeof(E);
  range result; // whatever there is beyond its rank: zeros would take longer than the rest
  result.begin = result.end = 0;
  result.rank = Rank;
  result.size = sizeof(E);
  for (unsigned d = 0; d < Rank; ++d) {
    if (counts[d] <= 0)
      return result;
    result.counts[d] = counts[d];
    result.steps[d] = steps[d] * static_cast<long long>(sizeof(E));
    auto reach = static_cast<unsigned long long>((counts[d] - 1) * result.steps[d]);
    (steps[d] < 0 ? begin : end) += reach;
  }
  result.begin = begin;
  result.end = end;
  return result;
}

/// The length of an interval that holds all bytes of a range, after whole multiples of `period` are taken off
/// their places; longer than that if steps are negative.
CUDA_TILE_API long long length_within(range const& a, long long period) {
  long long length = a.size;
  for (unsigned d = 0; d < a.rank; ++d) {
    if (a.counts[d] <= 1)
      continue;
    if (a.steps[d] < 0)
      return period + 1;
    if (a.steps[d] < period || a.steps[d] % period != 0) // a division takes long
      length += (a.counts[d] - 1) * a.steps[d];
  }
  return length;
}

/// Whether ranges that overlap have no byte in common but between their elements: they are like the left and
/// the right half of the rows of one matrix. Not inlined, because it is rarely called and long.
[[gnu::noinline]] inline bool interleaved(range const& a, range const& b) {
  for (unsigned d = 0; d < a.rank; ++d) {
    long long period = a.steps[d];
    if (a.counts[d] <= 1 || period <= 0)
      continue;
    long long first = length_within(a, period), second = length_within(b, period);
    long long apart = static_cast<long long>(b.begin - a.begin) % period;
    apart = apart < 0 ? apart + period : apart;
    if (first <= apart && apart + second <= period)
      return true;
  }
  return false;
}

/// Whether two ranges have no byte in common, apart from those between their elements.
CUDA_TILE_API bool disjoint(range const& a, range const& b) {
  if (a.begin == a.end || b.begin == b.end || a.end <= b.begin || b.end <= a.begin)
    return true;
  return loops::interleaved(a, b);
}

/// The same for two accesses where another test has to fail before.
template <unsigned A, unsigned B, typename E, typename F>
[[gnu::noinline]] bool disjoint_tiles(E const* a, long long const (&a_counts)[A],
                                      long long const (&a_steps)[A], F const* b,
                                      long long const (&b_counts)[B], long long const (&b_steps)[B]) {
  return loops::disjoint(loops::range_of<A>(a, a_counts, a_steps), loops::range_of<B>(b, b_counts, b_steps));
}

/// The bytes from the first element of an array to its last one; all of memory if these have no address.
struct interval {
  unsigned long long begin, end;
};
template <unsigned Rank, typename E>
CUDA_TILE_API interval whole(E const* base, long long const (&extents)[Rank],
                             long long const (&strides)[Rank]) {
  auto begin = reinterpret_cast<unsigned long long>(base), end = begin + sizeof(E);
  for (unsigned d = 0; d < Rank; ++d) {
    if (extents[d] <= 0)
      return {0, 0};
    long long reach;
    if (__builtin_mul_overflow(extents[d] - 1, strides[d], &reach) ||
        __builtin_mul_overflow(reach, static_cast<long long>(sizeof(E)), &reach))
      return {0, ~0ull};
    unsigned long long& edge = reach < 0 ? begin : end;
    if (reach < 0 ? edge < -static_cast<unsigned long long>(reach)
                  : edge + static_cast<unsigned long long>(reach) < edge)
      return {0, ~0ull};
    edge += static_cast<unsigned long long>(reach);
  }
  return {begin, end};
}
CUDA_TILE_API bool apart(interval const& a, interval const& b) {
  return a.end <= b.begin || b.end <= a.begin;
}

/// Whether no two elements of an access, or of an array, lie at the same address; axes from the outermost to
/// the innermost.
template <unsigned Rank>
CUDA_TILE_API bool is_injective(long long const (&counts)[Rank], long long const (&steps)[Rank]) {
  long long reach = 1;
  for (unsigned d = Rank; d-- > 0;) {
    if (counts[d] <= 1)
      continue;
    long long more;
    if (steps[d] < reach || __builtin_mul_overflow(counts[d] - 1, steps[d], &more) ||
        __builtin_add_overflow(reach, more, &reach))
      return false;
  }
  return true;
}

/// Whether all of first + i * step, for i below each count, are values of the integer type E, so that none
/// wraps around.
template <unsigned Rank, typename E>
CUDA_TILE_API bool fits(E first, long long const (&counts)[Rank], long long const (&steps)[Rank]) {
  __int128 least = first, greatest = first;
  for (unsigned d = 0; d < Rank; ++d)
    (steps[d] < 0 ? least : greatest) += static_cast<__int128>(counts[d] - 1) * steps[d];
  return least == static_cast<E>(least) && greatest == static_cast<E>(greatest);
}

/// Whether all of first + i * step, for i below each count, are values of E that are not negative, and have
/// the same quotient by a divisor: then their remainders have the same steps.
template <unsigned Rank, typename E>
CUDA_TILE_API bool have_one_quotient(E first, long long const (&counts)[Rank], long long const (&steps)[Rank],
                                     E divisor) {
  __int128 least = first, greatest = first;
  for (unsigned d = 0; d < Rank; ++d)
    (steps[d] < 0 ? least : greatest) += static_cast<__int128>(counts[d] - 1) * steps[d];
  return divisor > 0 && least >= 0 && greatest == static_cast<E>(greatest) &&
         static_cast<E>(least) / divisor == static_cast<E>(greatest) / divisor;
}

/// How many of the `count` elements of a view's tile at an index are within the extent. Tiles begin `apart`
/// elements from each other.
template <typename I>
CUDA_TILE_API long long inside(long long extent, I index, long long count, long long apart) {
  auto number = static_cast<unsigned long long>(index);
  bool exists = number <= static_cast<unsigned long long>(extent / apart);
  long long left = exists ? extent - static_cast<long long>(number) * apart : 0;
  return left < count ? left : count;
}

CUDA_TILE_API constexpr long long least(long long a, long long b) { return a < b ? a : b; }
CUDA_TILE_API constexpr long long greatest(long long a, long long b) { return a < b ? b : a; }

/// For how many i, from 0 up to but not including `most`, first + i * step is below the bound.
template <bool Inclusive, typename E>
CUDA_TILE_API long long below(E first, E bound, long long step, long long most) {
  __int128 left = static_cast<__int128>(bound) - first + (Inclusive ? step : step - 1);
  return left < step ? 0 : left / step < most ? static_cast<long long>(left / step) : most;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
