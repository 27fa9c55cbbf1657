// [2.6.1] Reduction of a tile along one dimension by any function object; ops/reductions.h makes the API of
// it.
//
// The element with row-major index i = (o * n + k) * inner + j goes into result element o * inner + j, where
// n is the length of the reduced dimension and inner the number of elements behind it. All are powers of two.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/ops/convert.h"
#include "cuda_tile/tile/exchange.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/vector_elements.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <typename S, size_t D>
struct reduced_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return d == D ? 1 : length<S>(d); }
};

} // namespace detail

/// [2.6.2] T with length 1 in dimension D.
template <tile_like T, size_t D>
  requires(D < tile_rank_v<T>)
using reduction_result_t =
    tile<tile_element_t<T>, detail::make_shape<detail::reduced_lengths<tile_shape_t<T>, D>, tile_rank_v<T>>>;

namespace detail {

/// Reduces N neighbouring elements over explicit lanes, so that the loop vectorises without reordering by the
/// compiler.
template <unsigned N, typename E, typename F>
CUDA_TILE_API E reduce_run(F f, E const* from) {
  constexpr unsigned lanes = N < 32 ? N : 32;
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
  if constexpr (has_vector_form<F, E, lanes>)
    return reduce_vectors<N, lanes>(f, from);
#endif
  E sums[lanes];
  for (unsigned l = 0; l < lanes; ++l)
    sums[l] = from[l];
  for (unsigned i = lanes; i < N; i += lanes)
    for (unsigned l = 0; l < lanes; ++l)
      sums[l] = f(sums[l], from[i + l]);
  for (unsigned half = lanes / 2; half > 0; half /= 2)
    for (unsigned l = 0; l < half; ++l)
      sums[l] = f(sums[l], sums[l + half]);
  return sums[0];
}

/// How many elements, or rows, meet in a lane one after another. Of more, parts are reduced first: else a sum
/// of many would lose digits, and one of bfloat16 would end at 256 ones.
inline constexpr unsigned reduced_in_turn = 128;

/// N neighbouring elements, or N rows of Inner elements.
template <unsigned N, unsigned Inner, typename E, typename F>
CUDA_TILE_API void reduce_rows(E* to, F f, E const* from) {
  constexpr unsigned most = Inner == 1 ? 32 * reduced_in_turn : reduced_in_turn;
  if constexpr (N > most) {
    E parts[N / most * Inner];
    for (unsigned p = 0; p < N / most; ++p)
      reduce_rows<most, Inner>(parts + p * Inner, f, from + p * most * Inner);
    reduce_rows<N / most, Inner>(to, f, parts);
  } else if constexpr (Inner == 1) {
    *to = reduce_run<N>(f, from);
  } else {
    for (unsigned j = 0; j < Inner; ++j)
      to[j] = from[j];
    for (unsigned k = 1; k < N; ++k)
      for (unsigned j = 0; j < Inner; ++j)
        to[j] = f(to[j], from[k * Inner + j]);
  }
}

/// Each N of a tile along a dimension that Inner elements separate.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_in_one_thread(R& result, F f, T const& a) {
  for (unsigned o = 0; o < T::distribution::size / (N * Inner); ++o)
    reduce_rows<N, Inner>(result.slots + o * Inner, f, a.slots + o * N * Inner);
}

/// Where what goes into one result element is, from the bits of the row-major index (tile/distribution.h): in
/// slots of a thread, in lanes of a warp, in warps.
template <typename Distribution, unsigned N, unsigned Inner>
struct reduction_parts {
  using D = Distribution;
  static constexpr unsigned lanes = D::threads < 32 ? D::threads : 32;

  CUDA_TILE_CONSTEXPR static bool is_reduced(unsigned bit) {
    return bit != index_bits::none && (1u << bit & (N - 1) * Inner) != 0;
  }
  /// The bits of the slot that name a part.
  CUDA_TILE_CONSTEXPR static unsigned slot_bits() {
    unsigned mask = 0;
    for (unsigned b = 0; b != D::bits.slot_count; ++b)
      mask |= is_reduced(D::bits.slot[b]) ? 1u << b : 0;
    return mask;
  }
  /// The bits of the thread that do.
  CUDA_TILE_CONSTEXPR static unsigned thread_bits() {
    unsigned mask = 0;
    for (unsigned b = 0; b != D::bits.thread_count; ++b)
      mask |= is_reduced(D::bits.thread[b]) ? 1u << b : 0;
    return mask;
  }
  static constexpr unsigned in_slots = slot_bits();
  static constexpr unsigned in_lanes = thread_bits() & (lanes - 1), in_warps = thread_bits() & ~(lanes - 1);
  static constexpr unsigned lowest_warp = in_warps & ~(in_warps - 1); // these bits are neighbours
  /// Number of warps whose parts make one result element, and which of them thread t is in.
  static constexpr unsigned count = in_warps == 0 ? 1 : in_warps / lowest_warp + 1;
  CUDA_TILE_CONSTEXPR static unsigned part(unsigned t) {
    return in_warps == 0 ? 0 : (t & in_warps) / (lowest_warp + (in_warps == 0));
  }
  CUDA_TILE_CONSTEXPR static unsigned result_index(unsigned i) { return i / (Inner * N) * Inner + i % Inner; }
  /// Whether the result is distributed as it comes out of the lanes.
  template <typename Target>
  CUDA_TILE_CONSTEXPR static bool stays_in_lanes() {
    bool stays = in_warps == 0;
    for (unsigned b = 0; b < D::bits.thread_count; ++b) {
      unsigned const bit = D::bits.thread[b];
      unsigned const left = bit == index_bits::none || is_reduced(bit) ? 0 : result_index(1u << bit);
      unsigned const wanted = Target::bits.thread[b] == index_bits::none ? 0 : 1u << Target::bits.thread[b];
      stays = stays && left == wanted;
    }
    return stays;
  }
};

/// All lanes get what f makes of the values of all lanes that differ in the bits of Mask.
template <unsigned Mask, typename F, typename E>
CUDA_TILE_API E reduce_lanes(F f, E value) {
  if constexpr (Mask == 0) {
    return value;
  } else {
    constexpr unsigned bit = Mask & ~(Mask - 1);
    E const other = platform::shuffle_xor(value, bit);
    // In one order in both lanes, so that they get the same.
    bool const upper = (platform::thread() & bit) != 0;
    return detail::reduce_lanes<Mask & ~bit>(f, f(upper ? other : value, upper ? value : other));
  }
}

/// Parts of warps meet in scratch memory, where also threads that hold none of a result element find it.
template <typename Parts, typename R, typename F, typename E>
CUDA_TILE_API void reduce_warps(R& result, F f, E const* collected) {
  using source = typename Parts::D;
  using target = typename R::distribution;
  unsigned const t = platform::thread();
  constexpr unsigned fitting = static_cast<unsigned>(platform::scratch_bytes / (Parts::count * sizeof(E)));
  constexpr unsigned step = target::size < fitting ? target::size : fitting;
  E* scratch = static_cast<E*>(platform::scratch<Parts::count * step * sizeof(E)>());
  bool const writes = source::first(t) && (t & Parts::in_lanes) == 0;
  for (unsigned begin = 0; begin < target::size; begin += step) {
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < source::slots; ++s) {
      unsigned const r = Parts::result_index(source::index(t, s)) - begin;
      if ((s & Parts::in_slots) == 0 && writes && r < step)
        scratch[Parts::part(t) * step + r] = collected[s];
    }
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < target::slots; ++s) {
      unsigned const r = target::index(t, s) - begin;
      if (r >= step)
        continue;
      E value = scratch[r];
      CUDA_TILE_UNROLL
      for (unsigned p = 1; p < Parts::count; ++p)
        value = f(value, scratch[p * step + r]);
      result.slots[s] = value;
    }
  }
}

/// With several threads: each reduces what it holds, then lanes exchange theirs, then warps.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_across_threads(R& result, F f, T const& a) {
  using E = typename T::element_type;
  using source = typename T::distribution;
  using target = typename R::distribution;
  using parts = reduction_parts<source, N, Inner>;

  E collected[source::slots]; // in the slots whose bits of in_slots are 0
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < source::slots; ++s) {
    unsigned const c = s & ~parts::in_slots;
    collected[c] = c == s ? a.slots[s] : f(collected[c], a.slots[s]);
  }
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < source::slots; ++s)
    if ((s & parts::in_slots) == 0)
      collected[s] = detail::reduce_lanes<parts::in_lanes>(f, collected[s]);

  if constexpr (parts::template stays_in_lanes<target>()) {
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < source::slots; ++s)
      if ((s & parts::in_slots) == 0)
        result.slots[target::slot(parts::result_index(source::index(0, s)))] = collected[s];
  } else {
    detail::reduce_warps<parts>(result, f, collected);
  }
}

template <size_t D, typename F, typename T>
CUDA_TILE_API reduction_result_t<T, D> reduce(F f, T const& a) {
  using S = tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  reduction_result_t<T, D> result;
  checks::before_reduction<n, inner>(f, a);
  checks::after_reduction<n, inner>(f, result, a);
  if constexpr (platform::block_threads == 1)
    detail::reduce_in_one_thread<n, inner>(result, f, a);
  else
    detail::reduce_across_threads<n, inner>(result, f, detail::normal(a));
  return result;
}

} // namespace detail
} // namespace cuda::tiles::inline CUDA_TILE_ABI
