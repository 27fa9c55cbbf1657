// [2.6.1] Reduction of a tile along one dimension by any function object; ops/reduce.h makes the API of it.
//
// The element with row-major index i = (o * n + k) * inner + j goes into result element o * inner + j, where
// n is the length of the reduced dimension and inner the number of elements behind it. All are powers of two.
#pragma once

#include "cuda_tile/ops/convert.h"
#include "cuda_tile/ops/elements.h"
#include "cuda_tile/tile/exchange.h"
#if !CUDA_TILE_ON_CUDA && CUDA_TILE_BLOCK_THREADS == 1
#include "cuda_tile/ops/vector_elements.h"
#endif

namespace cuda::tiles {
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

/// With one thread: each run of N elements, or N rows of Inner elements, in turn.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_rows(R& result, F f, T const& a) {
  for (unsigned o = 0; o < T::distribution::size / (N * Inner); ++o) {
    auto* to = result.slots + o * Inner;
    auto const* from = a.slots + o * N * Inner;
    if constexpr (Inner == 1) {
      *to = reduce_run<N>(f, from);
    } else {
      for (unsigned j = 0; j < Inner; ++j)
        to[j] = from[j];
      for (unsigned k = 1; k < N; ++k)
        for (unsigned j = 0; j < Inner; ++j)
          to[j] = f(to[j], from[k * Inner + j]);
    }
  }
}

/// Which threads hold parts of one result element, from the bits of the row-major index (see
/// tile/distribution.h).
template <typename Distribution, unsigned N, unsigned Inner>
struct reduction_parts {
  using D = Distribution;
  static constexpr unsigned thread_low = D::replicated ? 1 : D::vector;
  static constexpr unsigned thread_high = D::replicated ? D::size : D::vector * D::threads;
  static constexpr unsigned low = thread_low > Inner ? thread_low : Inner;
  static constexpr unsigned high = thread_high < Inner * N ? thread_high : Inner * N;
  /// Number of threads whose parts make one result element.
  static constexpr unsigned count = high > low ? high / low : 1;

  /// Which of them element `i` is in.
  CUDA_TILE_CONSTEXPR static unsigned part(unsigned i) { return i / low % count; }
  /// The slot in which a thread collects what it has of slot `s`'s result element.
  CUDA_TILE_CONSTEXPR static unsigned collecting_slot(unsigned s) {
    unsigned i = D::index(0, s);
    return D::slot(i - i / Inner % N * Inner);
  }
  CUDA_TILE_CONSTEXPR static unsigned result_index(unsigned i) { return i / (Inner * N) * Inner + i % Inner; }
};

/// With several threads: each reduces what it holds, then the parts meet in scratch memory.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_across_threads(R& result, F f, T const& a) {
  using E = typename T::element_type;
  using source = typename T::distribution;
  using target = typename R::distribution;
  using parts = reduction_parts<source, N, Inner>;
  unsigned const t = platform::thread();

  E collected[source::slots];
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < source::slots; ++s) {
    unsigned c = parts::collecting_slot(s);
    collected[c] = c == s ? a.slots[s] : f(collected[c], a.slots[s]);
  }

  constexpr unsigned fitting = static_cast<unsigned>(platform::scratch_bytes / (parts::count * sizeof(E)));
  constexpr unsigned step = target::size < fitting ? target::size : fitting;
  E* scratch = static_cast<E*>(platform::scratch());
  for (unsigned begin = 0; begin < target::size; begin += step) {
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < source::slots; ++s) {
      unsigned i = source::index(t, s), r = parts::result_index(i) - begin;
      if (parts::collecting_slot(s) == s && r < step && source::first(t))
        scratch[parts::part(i) * step + r] = collected[s];
    }
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < target::slots; ++s) {
      unsigned r = target::index(t, s) - begin;
      if (r >= step)
        continue;
      E value = scratch[r];
      for (unsigned p = 1; p < parts::count; ++p)
        value = f(value, scratch[p * step + r]);
      result.slots[s] = value;
    }
  }
}

template <size_t D, typename F, typename T>
CUDA_TILE_API reduction_result_t<T, D> reduce(F f, T const& a) {
  using S = tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(length_product<S>(D + 1, S::rank()));
  reduction_result_t<T, D> result;
  checks::before_reduction<n, inner>(f, a);
  checks::after_reduction<n, inner>(result, a);
  if constexpr (platform::block_threads == 1)
    reduce_rows<n, inner>(result, f, a);
  else
    reduce_across_threads<n, inner>(result, f, a);
  return result;
}

} // namespace detail
} // namespace cuda::tiles
