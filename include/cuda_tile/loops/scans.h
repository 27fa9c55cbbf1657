// Scans of rows that come strip by strip, in the order of one_thread/scan.h, so that the results have the
// same bits.
#pragma once

#include "cuda_tile/loops/reductions.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Element l of a strip, or the structure of those of several strips (emit.py).
template <typename R>
CUDA_TILE_API auto lane(R const& x, unsigned l) {
  if constexpr (requires { typename R::structure; })
    return x.at(l);
  else
    return x.slots[l];
}
template <typename R, typename E>
CUDA_TILE_API void set_lane(R& x, unsigned l, E const& e) {
  if constexpr (requires { typename R::structure; })
    x.set(l, e);
  else
    x.slots[l] = e;
}
template <typename R>
using strip_element = decltype(loops::lane(*static_cast<R const*>(nullptr), 0));
template <typename R>
constexpr unsigned lanes_of() {
  if constexpr (requires { typename R::structure; })
    return R::length;
  else
    return R::distribution::size;
}
template <typename R>
CUDA_TILE_API R reversed_lanes(R const& x) {
  R result;
  for (unsigned l = 0; l < lanes_of<R>(); ++l)
    loops::set_lane(result, l, loops::lane(x, lanes_of<R>() - 1 - l));
  return result;
}

/// Scans strips R in turn: each lane by itself.
template <typename R>
struct turns_across {
  using total = R;
  static constexpr unsigned step = 1;
  R sum;

  template <typename F>
  CUDA_TILE_API void next(F f, bool is_first, R& x) {
    if (is_first)
      copy_strip(sum, x);
    else
      loops::combine_strips(f, sum, x);
    copy_strip(x, sum);
  }
  template <typename F>
  CUDA_TILE_API static void put_behind(F f, R const& before, R& x) {
    R all;
    copy_strip(all, before);
    loops::combine_strips(f, all, x);
    copy_strip(x, all);
  }
  CUDA_TILE_API static R const& last(R const& x) { return x; }
};

/// The same where the elements of a strip follow each other.
template <typename R>
struct turns_along {
  using total = strip_element<R>;
  static constexpr unsigned step = lanes_of<R>();
  total sum;

  template <typename F>
  CUDA_TILE_API void next(F f, bool is_first, R& x) {
    sum = is_first ? loops::lane(x, 0) : f(sum, loops::lane(x, 0));
    loops::set_lane(x, 0, sum);
    for (unsigned l = 1; l < step; ++l) {
      sum = f(sum, loops::lane(x, l));
      loops::set_lane(x, l, sum);
    }
  }
  CUDA_TILE_API static total last(R const& x) { return loops::lane(x, step - 1); }
  template <typename F>
  CUDA_TILE_API static void put_behind(F f, total const& before, R& x) {
    for (unsigned l = 0; l < step; ++l)
      loops::set_lane(x, l, f(before, loops::lane(x, l)));
  }
};

/// The same for sums, vector by vector.
template <typename R>
struct vectors_along : turns_along<R> {
  using vector = ct::detail::sums_vector<typename R::element_type>;
  static constexpr unsigned width = sizeof(vector) / sizeof(typename R::element_type);
  vector before;

  template <typename F>
  CUDA_TILE_API void next(F, bool is_first, R& x) {
    before = is_first ? -vector{} : before;
    for (unsigned l = 0; l < lanes_of<R>(); l += width) {
      vector const sums = ct::detail::add_before(ct::platform::load_vector<vector>(x.slots + l)) + before;
      ct::platform::store_vector(x.slots + l, sums);
      before = ct::platform::splat_last(sums);
    }
  }
};

/// N elements along a row. More than `Most` are scanned in parts, to each of which the last total is added.
template <typename Turns, unsigned N, unsigned Most>
struct scan_of_parts {
  static constexpr unsigned part = N / Most < Most ? Most : N / Most;
  scan_of_parts<Turns, part, Most> parts;
  typename Turns::total before;

  template <typename F, typename R>
  CUDA_TILE_API void next(F f, unsigned at, R& x) {
    parts.next(f, at % part, x);
    if (at >= part)
      Turns::put_behind(f, before, x);
    if ((at + Turns::step) % part == 0)
      copy_strip(before, Turns::last(x));
  }
};
template <typename Turns, unsigned N, unsigned Most>
  requires(N <= Most)
struct scan_of_parts<Turns, N, Most> {
  Turns turns;
  template <typename F, typename R>
  CUDA_TILE_API void next(F f, unsigned at, R& x) {
    turns.next(f, at == 0, x);
  }
};

/// A scan by F across strips R, or along their elements; of N in all.
template <typename R, unsigned N, typename F, bool Along>
class row_scan {
  using element = strip_element<R>;
  static constexpr bool in_vectors = Along && ct::detail::scans_vectors<F, element, N>;
  static constexpr auto choose_turns() {
    if constexpr (in_vectors)
      return static_cast<vectors_along<R>*>(nullptr);
    else if constexpr (Along)
      return static_cast<turns_along<R>*>(nullptr);
    else
      return static_cast<turns_across<R>*>(nullptr);
  }
  using turns = ct::detail::remove_cvref_t<decltype(*choose_turns())>;
  static constexpr unsigned inner = Along ? 1 : 2; // all numbers but one are alike
  scan_of_parts<turns, N, ct::detail::scanned_in_turn<N, inner, element, F>()> parts;

public:
  /// What becomes of the strip at element `at`, or of strip `at`; strips come in order.
  CUDA_TILE_API R next(F f, unsigned at, R const& given) {
    R x;
    copy_strip(x, given);
    parts.next(f, at, x);
    return x;
  }
  /// The same for strips that come from the last to the first one.
  CUDA_TILE_API R next_back(F f, unsigned at, R const& x) {
    if constexpr (Along)
      return loops::reversed_lanes(next(f, N - turns::step - at, loops::reversed_lanes(x)));
    else
      return next(f, N - turns::step - at, x);
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
