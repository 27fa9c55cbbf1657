// Accesses through tiles of pointers with one thread a block: runs of neighbours are copied at once, and
// scattered elements are prefetched.
#pragma once

#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How many elements are examined together: at most a cache line, and at most a row of the tile.
template <typename E, typename S>
CUDA_TILE_CONSTEXPR unsigned load_run() {
  constexpr size_t rank = S::rank();
  if constexpr (rank == 0)
    return 1;
  else
    return static_cast<unsigned>(length<S>(rank - 1) * sizeof(E) > 64 ? 64 / sizeof(E) : length<S>(rank - 1));
}

/// 0, Step, 2 Step, ...
template <typename V, unsigned Step>
CUDA_TILE_CONSTEXPR V multiples() {
  V result{};
  for (unsigned l = 0; l < sizeof(V) / sizeof(result[0]); ++l)
    result[l] = l * Step;
  return result;
}

/// Whether each of N pointers is Step bytes beyond the one before it. Written with vectors, since g++ does
/// not vectorise the conditions.
template <unsigned N, unsigned Step, typename P>
CUDA_TILE_API bool are_apart(P* const* ptrs) {
  using V = platform::vector<long long>;
  constexpr unsigned lanes = sizeof(V) / sizeof(P*);
  auto const first = platform::bit_cast<long long>(ptrs[0]);
  if constexpr (N % lanes == 0) {
    V const expected = first + detail::multiples<V, Step>();
    V differing{};
    for (unsigned i = 0; i < N; i += lanes)
      differing |= platform::load_vector<V>(ptrs + i) ^ (expected + static_cast<long long>(i * Step));
    return platform::is_zero(differing);
  } else {
    long long differing = 0;
    for (unsigned i = 0; i < N; ++i)
      differing |= platform::bit_cast<long long>(ptrs[i]) ^ (first + static_cast<long long>(i * Step));
    return differing == 0;
  }
}
/// Whether N pointers are consecutive.
template <unsigned N, typename P>
CUDA_TILE_API bool are_neighbours(P* const* ptrs) {
  return detail::are_apart<N, sizeof(P)>(ptrs);
}

/// *ptrs for N elements, often consecutive or the same, by way of vectors if they fill some. Compilers keep
/// these in registers where branches fill them, but not the elements of tiles.
template <unsigned N, typename E, typename P>
CUDA_TILE_API void gather_run(E* to, P* const* ptrs) {
  constexpr unsigned full = platform::vector_bytes / sizeof(E), width = N % full == 0 ? full : 1;
  using B = bits_t<E>;
  using V = platform::vector<B, width * sizeof(E)>;
  V vectors[N / width];
  if (detail::are_neighbours<N>(ptrs))
    for (unsigned v = 0; v < N / width; ++v)
      vectors[v] = platform::load_vector<V>(ptrs[0] + v * width);
  else if (ptrs[0] == ptrs[N - 1] && detail::are_apart<N, 0>(ptrs)) {
    V const same = V{} + platform::bit_cast<B>(*ptrs[0]);
    for (unsigned v = 0; v < N / width; ++v)
      vectors[v] = same;
  } else
    for (unsigned v = 0; v < N / width; ++v)
      for (unsigned l = 0; l < width; ++l)
        vectors[v][l] = platform::bit_cast<B>(*ptrs[v * width + l]);
  for (unsigned v = 0; v < N / width; ++v)
    platform::store_vector(to + v * width, vectors[v]);
}

/// *ptrs for each element.
template <typename R, typename Ptrs>
CUDA_TILE_API R load_by_runs(Ptrs const& ptrs) {
  using E = typename R::element_type;
  constexpr unsigned run = load_run<E, typename R::shape_type>(), size = R::distribution::size;
  constexpr unsigned ahead = 32 * run;
  R result;
  checks::define(result);
  for (unsigned i = 0; i < size && i < ahead; i += run)
    __builtin_prefetch(ptrs.slots[i]);
  for (unsigned i = 0; i < size; i += run) {
    if (i + ahead < size)
      __builtin_prefetch(ptrs.slots[i + ahead]);
    detail::gather_run<run>(result.slots + i, ptrs.slots + i);
  }
  return result;
}

/// Whether operands have an element for each pointer.
template <typename Ptrs, typename... Operands>
inline constexpr bool are_aligned = (is_aligned_operand<Operands, tile_shape_t<Ptrs>> && ...);

/// Whether accesses with a mask go by runs: the masks of a run are read as whole words.
template <typename E, typename Ptrs, typename Mask, typename... Operands>
concept masked_runs = !checks::enabled && !scalar<Ptrs> && is_bool_v<tile_element_t<Mask>> &&
                      are_aligned<Ptrs, Mask, Operands...> && load_run<E, tile_shape_t<Ptrs>>() % 8 == 0;

/// Which masks of a run are true.
struct run_of_masks {
  bool all, any;

  template <unsigned N, typename Mask>
  CUDA_TILE_API static run_of_masks of(Mask const& mask, unsigned first) {
    if constexpr (scalar<Mask> || tile_size_v<Mask> == 1) {
      bool const each = detail::operand_value(mask, 0);
      return {each, each};
    } else {
      constexpr unsigned long long ones = 0x0101010101010101;
      unsigned long long all = ones, any = 0;
      for (unsigned i = 0; i < N; i += 8) {
        unsigned long long word;
        __builtin_memcpy(&word, mask.slots + first + i, sizeof word);
        all &= word;
        any |= word;
      }
      return {all == ones, any != 0};
    }
  }
};

/// *ptrs where the mask is true, and the padding elsewhere.
template <typename R, typename Ptrs, typename Mask, typename Padding>
CUDA_TILE_API R load_by_masked_runs(Ptrs const& ptrs, Mask const& mask, Padding const& padding) {
  using E = typename R::element_type;
  constexpr unsigned run = load_run<E, typename R::shape_type>();
  R result;
  for (unsigned i = 0; i < R::distribution::size; i += run) {
    auto const masks = run_of_masks::template of<run>(mask, i);
    auto const pad = [&](unsigned j) { return detail::convert<E>(detail::operand_value(padding, j)); };
    if (masks.all)
      detail::gather_run<run>(result.slots + i, ptrs.slots + i);
    else if (!masks.any)
      for (unsigned j = i; j < i + run; ++j)
        result.slots[j] = pad(j);
    else
      for (unsigned j = i; j < i + run; ++j)
        result.slots[j] = detail::operand_value(mask, j) ? *ptrs.slots[j] : pad(j);
  }
  return result;
}

/// *ptrs = values where the mask is true, in the order of the elements.
template <typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API void store_by_masked_runs(Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = remove_pointer_t<tile_element_t<Ptrs>>;
  constexpr unsigned run = load_run<E, tile_shape_t<Ptrs>>();
  for (unsigned i = 0; i < Ptrs::distribution::size; i += run) {
    auto const masks = run_of_masks::template of<run>(mask, i);
    if (!masks.any)
      continue;
    E elements[run];
    for (unsigned j = 0; j < run; ++j)
      elements[j] = detail::convert<E>(detail::operand_value(value, i + j));
    if (masks.all && detail::are_neighbours<run>(ptrs.slots + i))
      __builtin_memcpy(ptrs.slots[i], elements, sizeof elements);
    else
      for (unsigned j = 0; j < run; ++j)
        if (detail::operand_value(mask, i + j))
          *ptrs.slots[i + j] = elements[j];
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
