// Reductions of rows that come strip by strip, in the order of one_thread/reduce.h, so that the results have
// the same bits.
#pragma once

#include "cuda_tile/loops/strips.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

using ct::detail::reduced_in_turn;

/// How many lanes a reduction along strips has.
template <unsigned N>
inline constexpr unsigned reduction_lanes = N < 32 ? N : 32;

/// The first element after combining the first half of S elements of a vector with the second one, and so on.
/// Lanes beyond the halves are combined, too, which costs nothing.
template <unsigned S, typename F, typename E, unsigned N>
CUDA_TILE_API E combine_lanes(F f, E const (&x)[N]) {
  if constexpr (S == 1) {
    return x[0];
  } else {
    E others[N], result[N];
    auto v = ct::platform::load_vector<ct::platform::vector<E>>(x);
    ct::platform::store_vector(others, ct::platform::rotate_lanes<S / 2>(v));
    for (unsigned l = 0; l < N; ++l)
      result[l] = f(x[l], others[l]);
    return combine_lanes<S / 2>(f, result);
  }
}

template <typename E>
inline constexpr unsigned vector_lanes = 0;
template <typename E>
  requires(ct::detail::is_same_v<E, float> || ct::detail::is_same_v<E, double>)
inline constexpr unsigned vector_lanes<E> = ct::platform::vector_bytes / sizeof(E);

/// The same for S elements in memory: reduce_halves(), in which vectors stay in registers.
template <unsigned S, typename F, typename E>
CUDA_TILE_API E combine_halves(F f, E const* x) {
  if constexpr (S < vector_lanes<E> || vector_lanes<E> == 0) {
    return ct::detail::reduce_halves<S>(f, x);
  } else if constexpr (S == vector_lanes<E>) {
    E lanes[S];
    copy<E, S>(lanes, x);
    return combine_lanes<S>(f, lanes);
  } else {
    E result[S / 2];
    for (unsigned l = 0; l < S / 2; ++l)
      result[l] = f(x[l], x[S / 2 + l]);
    return combine_halves<S / 2>(f, result);
  }
}

/// The sums of the lanes of a reduction by F.
template <typename E, unsigned Lanes, typename F>
struct lanes_in_memory {
  alignas(64) E sums[Lanes];

  CUDA_TILE_API void begin(E start) {
    for (E& each : sums)
      each = start;
  }
  CUDA_TILE_API void begin(strip<E, Lanes> const& x) { copy<E, Lanes>(sums, x.slots); }
  CUDA_TILE_API void add(F f, strip<E, Lanes> const& x) { // in place: compilers copy tiles piece by piece
    ct::detail::combine_elements<Lanes>(f, sums, x.slots);
  }
  CUDA_TILE_API E total(F f) const { return combine_halves<Lanes>(f, sums); }
};

/// The same in registers: compilers keep whole vectors there, but not all arrays.
template <typename E, unsigned Lanes, typename F>
struct lanes_in_vectors {
  using lane = typename ct::detail::lane<E>::type;
  using vector = ct::platform::vector_of_most<lane, Lanes>;
  static constexpr unsigned width = sizeof(vector) / sizeof(E), count = Lanes / width;
  vector sums[count];

  CUDA_TILE_API void begin(E start) {
    for (vector& each : sums)
      each = ct::detail::before_combining<F>(static_cast<lane>(start) - vector{});
  }
  CUDA_TILE_API void begin(strip<E, Lanes> const& x) {
    for (unsigned v = 0; v < count; ++v)
      sums[v] = at(x, v);
  }
  CUDA_TILE_API void add(F, strip<E, Lanes> const& x) {
    for (unsigned v = 0; v < count; ++v)
      sums[v] = ct::detail::combine_vectors<F>(sums[v], at(x, v));
  }
  CUDA_TILE_API E total(F) const {
    vector left[count];
    for (unsigned v = 0; v < count; ++v)
      left[v] = sums[v];
    return static_cast<E>(ct::detail::reduce_lanes<F>(left));
  }

private:
  CUDA_TILE_API static vector at(strip<E, Lanes> const& x, unsigned v) {
    return ct::detail::before_combining<F>(ct::platform::load_vector<vector>(x.slots + v * width));
  }
};

/// Along the elements of strips that have all lanes, N elements in all. A sum starts with its first strip,
/// or, which is faster, with a neutral element: one that leaves the bits of every other as they are.
template <typename E, unsigned N, typename F, bool Neutral>
struct reduction_along {
  static constexpr unsigned lanes = reduction_lanes<N>, most = 32 * reduced_in_turn;
  static constexpr unsigned parts = N > most ? N / most : 1;
  static constexpr bool in_vectors =
      ct::detail::has_vector_form<F, E, lanes> || ct::detail::fits_short_vector<F, E, lanes>;
  ct::detail::conditional_t<in_vectors, lanes_in_vectors<E, lanes, F>, lanes_in_memory<E, lanes, F>> sums;
  E totals[parts];
  E neutral;

  CUDA_TILE_API explicit reduction_along(E start = E()) : neutral(start) {
    if constexpr (Neutral)
      sums.begin(neutral);
  }

  /// Adds the strip that begins at element `at`.
  CUDA_TILE_API void add(F f, unsigned at, strip<E, lanes> const& x) {
    if (!Neutral && at % most == 0)
      sums.begin(x);
    else
      sums.add(f, x);
    if constexpr (parts > 1)
      if ((at + lanes) % most == 0) {
        totals[at / most] = sums.total(f);
        if constexpr (Neutral)
          sums.begin(neutral);
      }
  }
  CUDA_TILE_API E result(F f) {
    if constexpr (parts == 1)
      return sums.total(f);
    E whole;
    ct::detail::reduce_rows<parts, 1>(&whole, f, totals);
    return whole;
  }
};

/// Combines the elements of several strips, which are together structures (emit.py).
template <typename R, typename F>
  requires requires { typename R::structure; }
CUDA_TILE_API void combine_strips(F f, R& sums, R const& x) {
  for (unsigned l = 0; l < R::length; ++l)
    sums.set(l, f(sums.at(l), x.at(l)));
}
template <typename R, typename F>
CUDA_TILE_API void combine_strips(F f, R& sums, R const& x) {
  if constexpr (ct::scalar<R>)
    sums = f(sums, x);
  else
    ct::detail::combine_elements<R::distribution::size>(f, sums.slots, x.slots);
}

/// reduction_along for several strips that are reduced together, R.
template <typename R, unsigned N>
struct reduction_of_several {
  using element = typename R::structure;
  static constexpr unsigned lanes = R::length, most = 32 * reduced_in_turn;
  static constexpr unsigned parts = N > most ? N / most : 1;
  R sums;
  element totals[parts];

  template <typename F>
  CUDA_TILE_API void add(F f, unsigned at, R const& x) {
    if (at % most == 0)
      sums = x;
    else
      loops::combine_strips(f, sums, x);
    if constexpr (parts > 1)
      if ((at + lanes) % most == 0)
        totals[at / most] = total(f);
  }
  template <typename F>
  CUDA_TILE_API element result(F f) {
    if constexpr (parts == 1)
      return total(f);
    element whole;
    ct::detail::reduce_rows<parts, 1>(&whole, f, totals);
    return whole;
  }

private:
  template <typename F>
  CUDA_TILE_API element total(F f) {
    element all[lanes];
    for (unsigned l = 0; l < lanes; ++l)
      all[l] = sums.at(l);
    return ct::detail::reduce_halves<lanes>(f, all);
  }
};

/// to = from: compilers copy strips piece by piece.
template <typename R>
CUDA_TILE_API void copy_strip(R& to, R const& from) {
  if constexpr (requires { typename R::distribution; })
    copy<typename R::element_type, R::distribution::size>(to.slots, from.slots);
  else
    to = from;
}

/// Across strips, T, or across single elements: N of them, one after the other.
template <typename T, unsigned N>
struct reduction_across {
  static constexpr unsigned parts = N > reduced_in_turn ? N / reduced_in_turn : 1;
  T sum;
  T totals[parts];

  template <typename F>
  CUDA_TILE_API void add(F f, unsigned at, T const& x) {
    if (at % reduced_in_turn == 0)
      copy_strip(sum, x);
    else
      loops::combine_strips(f, sum, x);
    if constexpr (parts > 1)
      if ((at + 1) % reduced_in_turn == 0)
        copy_strip(totals[at / reduced_in_turn], sum);
  }
  template <typename F>
  CUDA_TILE_API T result(F f) {
    if constexpr (parts == 1) {
      return sum;
    } else {
      reduction_across<T, parts> whole;
      for (unsigned p = 0; p < parts; ++p)
        whole.add(f, p, totals[p]);
      return whole.result(f);
    }
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
