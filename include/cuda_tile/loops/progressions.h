// Places that loops compute from positions, such as i / n: what they are along a row, and how far they reach.
// A function of positions is written once, and called with progressions, or with bounds of each position.
#pragma once

#include "cuda_tile/loops/ranges.h"
#include "cuda_tile/tileir/integers.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

namespace ct = cuda::tiles;

/// first, first + step, ..., so many numbers; nothing is known if `count` is 0. A number that does not vary
/// has any count. Others may be `repeats` times each, a power of two, of the first one `phase` times fewer.
struct progression {
  long long first, step, count, repeats = 1, phase = 0;

  CUDA_TILE_API constexpr progression(long long same) : first(same), step(0), count(__LONG_LONG_MAX__) {}
  CUDA_TILE_API constexpr progression(long long from, long long by, long long numbers, long long times = 1,
                                      long long before = 0)
      : first(from), step(by), count(numbers), repeats(times), phase(before) {}

  /// The part up to where the number changes.
  CUDA_TILE_API constexpr progression of_one_number() const {
    return {first, 0, step == 0 ? count : least(count, repeats - phase)};
  }
};

/// Numbers from `least` to `most`; any numbers if these are not known.
struct bounds {
  long long least, most;
  bool are_known = true;

  CUDA_TILE_API constexpr bounds(long long same) : least(same), most(same) {}
  CUDA_TILE_API constexpr bounds(long long from, long long to, bool known = true)
      : least(from), most(to), are_known(known) {}
};

template <typename E>
CUDA_TILE_API constexpr bool is_value_of(long long x) {
  return x == static_cast<E>(x);
}
template <typename E>
CUDA_TILE_API progression checked(progression x, bool overflows) {
  long long last; // or a number after it, if they are repeated
  overflows |= __builtin_mul_overflow(x.step, x.count - 1, &last);
  overflows |= __builtin_add_overflow(x.first, last, &last);
  bool const known = !overflows && x.count > 0 && is_value_of<E>(x.first) && is_value_of<E>(last);
  return {x.first, x.step, known ? x.count : 0, x.repeats, x.phase};
}
template <typename E>
CUDA_TILE_API bounds checked(bounds x) {
  return {x.least, x.most, x.are_known && is_value_of<E>(x.least) && is_value_of<E>(x.most)};
}

/// Sums, differences and products of integers of type E, as long as none wraps around.
template <bool Minus>
CUDA_TILE_API bool add_overflows(long long a, long long b, long long& result) {
  return Minus ? __builtin_sub_overflow(a, b, &result) : __builtin_add_overflow(a, b, &result);
}
template <typename E, bool Minus>
CUDA_TILE_API progression added(progression a, progression b) {
  if (a.step != 0 && b.step != 0 && (a.repeats != b.repeats || a.phase != b.phase)) {
    // The sum is known where the number that changes less often stays the same.
    bool const first_stays = a.repeats > b.repeats;
    return first_stays ? added<E, Minus>(a.of_one_number(), b) : added<E, Minus>(a, b.of_one_number());
  }
  bool const varies = a.step != 0;
  progression result{0, 0, least(a.count, b.count), varies ? a.repeats : b.repeats,
                     varies ? a.phase : b.phase};
  bool overflows = add_overflows<Minus>(a.first, b.first, result.first);
  overflows |= add_overflows<Minus>(a.step, b.step, result.step);
  return checked<E>(result, overflows);
}
template <typename E, bool Minus>
CUDA_TILE_API bounds added(bounds a, bounds b) {
  bounds result{0, 0, a.are_known && b.are_known};
  result.are_known &= !add_overflows<Minus>(a.least, Minus ? b.most : b.least, result.least);
  result.are_known &= !add_overflows<Minus>(a.most, Minus ? b.least : b.most, result.most);
  return checked<E>(result);
}
template <typename E>
CUDA_TILE_API progression sum(progression a, progression b) {
  return added<E, false>(a, b);
}
template <typename E>
CUDA_TILE_API bounds sum(bounds a, bounds b) {
  return added<E, false>(a, b);
}
template <typename E>
CUDA_TILE_API progression difference(progression a, progression b) {
  return added<E, true>(a, b);
}
template <typename E>
CUDA_TILE_API bounds difference(bounds a, bounds b) {
  return added<E, true>(a, b);
}
template <typename E>
CUDA_TILE_API progression product(progression a, progression b) {
  if (a.step != 0 && b.step != 0 && a.repeats != b.repeats)
    return a.repeats > b.repeats ? product<E>(a.of_one_number(), b) : product<E>(b.of_one_number(), a);
  if (a.step != 0)
    return b.step != 0 ? progression{0, 0, 0} : product<E>(b, a);
  progression result{0, 0, least(a.count, b.count), b.repeats, b.phase};
  bool overflows = __builtin_mul_overflow(a.first, b.first, &result.first);
  overflows |= __builtin_mul_overflow(a.first, b.step, &result.step);
  return checked<E>(result, overflows);
}
template <typename E>
CUDA_TILE_API bounds product(bounds a, bounds b) {
  bounds result{__LONG_LONG_MAX__, -__LONG_LONG_MAX__, a.are_known && b.are_known};
  long long const ends[][2] = {{a.least, a.most}, {b.least, b.most}};
  for (long long x : ends[0])
    for (long long y : ends[1]) {
      long long both = 0;
      result.are_known &= !__builtin_mul_overflow(x, y, &both);
      result.least = least(result.least, both);
      result.most = greatest(result.most, both);
    }
  return checked<E>(result);
}

/// Quotients and remainders of numbers that are not negative: the same whether E is read as signed or not. A
/// progression ends where the quotient changes.
template <typename E, bool Remainder>
CUDA_TILE_API progression divided(progression a, progression b) {
  using number = ct::detail::conditional_t<sizeof(E) <= 4, unsigned, unsigned long long>;
  if (a.count <= 0 || b.count <= 0 || b.step != 0 || a.first < 0 || a.step < 0 || b.first <= 0)
    return {0, 0, 0};
  if (a.step != 0 && a.repeats != 1)
    return divided<E, Remainder>(a.of_one_number(), b);
  auto const divisor = static_cast<number>(b.first), first = static_cast<number>(a.first);
  long long const rest = first % divisor, left = b.first - rest;
  long long count = a.count;
  if (a.step != 0)
    count = least(count, a.step == 1 ? left : (left + a.step - 1) / a.step);
  if (Remainder)
    return {rest, a.step, count};
  return {static_cast<long long>(first / divisor), 0, count};
}
template <typename E>
CUDA_TILE_API progression quotient(progression a, progression b) {
  return divided<E, false>(a, b);
}
template <typename E>
CUDA_TILE_API progression remainder(progression a, progression b) {
  return divided<E, true>(a, b);
}
template <typename E>
CUDA_TILE_API bounds quotient(bounds a, bounds b) {
  if (!a.are_known || !b.are_known || a.least < 0 || b.least <= 0)
    return {0, 0, false};
  return {a.least / b.most, a.most / b.least};
}
template <typename E>
CUDA_TILE_API bounds remainder(bounds a, bounds b) {
  if (!a.are_known || !b.are_known || a.least < 0 || b.least <= 0)
    return {0, 0, false};
  if (b.least == b.most && a.least / b.least == a.most / b.least)
    return {a.least % b.least, a.most % b.least};
  return {0, least(a.most, b.most - 1)};
}

/// The same by a constant power of two, with numbers that are repeated.
template <typename E, long long Divisor>
CUDA_TILE_API progression quotient_by(progression a) {
  if (a.count <= 0 || a.first < 0 || a.step != 1)
    return quotient<E>(a, Divisor);
  return {a.first / Divisor, 1, a.count, a.repeats * Divisor, a.first % Divisor * a.repeats + a.phase};
}
template <typename E, long long Divisor>
CUDA_TILE_API bounds quotient_by(bounds a) {
  return quotient<E>(a, Divisor);
}

/// The lesser numbers: of a progression and what does not vary, up to where they are equal.
template <typename E>
CUDA_TILE_API progression minimum(progression a, progression b) {
  if (a.step == 0 && b.step != 0)
    return minimum<E>(b, a);
  if (a.count <= 0 || b.count <= 0 || b.step != 0)
    return {0, 0, 0};
  long long const distance = b.first - a.first, step = a.step < 0 ? -a.step : a.step;
  // By numbers: of two structures, compilers would choose one in memory.
  bool const is_greater = distance < 0, meets = a.step != 0 && is_greater == (a.step < 0);
  long long const way = is_greater ? -distance : distance;
  long long const count = least(a.count, b.count), meet = (step <= 1 ? way : way / step) + 1;
  return {is_greater ? b.first : a.first, is_greater ? 0 : a.step, meets ? least(count, meet) : count,
          a.repeats, a.phase};
}
template <typename E>
CUDA_TILE_API bounds minimum(bounds a, bounds b) {
  return {least(a.least, b.least), least(a.most, b.most), a.are_known && b.are_known};
}
template <typename E>
CUDA_TILE_API progression maximum(progression a, progression b) {
  return difference<E>(0, minimum<E>(difference<E>(0, a), difference<E>(0, b)));
}
template <typename E>
CUDA_TILE_API bounds maximum(bounds a, bounds b) {
  return {greatest(a.least, b.least), greatest(a.most, b.most), a.are_known && b.are_known};
}

/// Numbers read as unsigned, of which progressions and bounds know the lower half of the values.
template <typename I>
  requires ct::detail::is_integral_scalar_v<I>
CUDA_TILE_API long long not_negative(I x) {
  auto const number = tileir::read<tileir::as_unsigned>(x);
  return number <= static_cast<unsigned long long>(__LONG_LONG_MAX__) ? static_cast<long long>(number)
                                                                      : __LONG_LONG_MAX__;
}
CUDA_TILE_API progression not_negative(progression x) {
  return x.first < 0 || x.step < 0 ? progression{0, 0, 0} : x;
}
CUDA_TILE_API bounds not_negative(bounds x) { return {x.least, x.most, x.are_known && x.least >= 0}; }

/// An element of a tile of Count, of which the place does not vary within a row; and the bounds of all.
template <unsigned Count, typename E>
CUDA_TILE_API progression element(E const* slots, progression place) {
  return {slots[place.first], 0, place.count};
}
template <unsigned Count, typename E>
CUDA_TILE_API bounds element(E const* slots, bounds) {
  E low = slots[0], high = slots[0];
  for (unsigned i = 1; i < Count; ++i) {
    low = slots[i] < low ? slots[i] : low;
    high = slots[i] > high ? slots[i] : high;
  }
  return {low, high};
}

/// The bytes of elements at these numbers from a pointer on.
template <typename E>
CUDA_TILE_API range reach(E const* from, bounds x) {
  long long count;
  x.are_known &= !__builtin_sub_overflow(x.most, x.least, &count) && count < 1ll << 48 &&
                 x.least > -(1ll << 48) && x.least < 1ll << 48;
  if (x.are_known)
    return range_of<1>(from + x.least, {count + 1}, {1});
  range everything;
  everything.begin = 0;
  everything.end = ~0ull;
  everything.rank = 0;
  everything.size = 1ll << 62;
  return everything;
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
