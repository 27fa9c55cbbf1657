// The loops of reductions with several threads a block. tile/shared_primitives.h says how elements are
// numbered.
#pragma once

#include "cuda_tile/threads/exchange.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Where the parts of one result element are, from the bits of the row-major index (threads/distribution.h):
/// in slots of a thread, in lanes of a warp, and in warps.
template <typename Distribution, unsigned N, unsigned Inner>
struct reduction_parts {
  using D = Distribution;
  static constexpr unsigned lanes = D::threads < 32 ? D::threads : 32;

  CUDA_TILE_CONSTEXPR static bool is_reduced(unsigned bit) {
    return bit != index_bits::none && (1u << bit & (N - 1) * Inner) != 0;
  }
  /// The slot bits that select a part.
  CUDA_TILE_CONSTEXPR static unsigned slot_bits() {
    unsigned mask = 0;
    for (unsigned b = 0; b != D::bits.slot_count; ++b)
      mask |= is_reduced(D::bits.slot[b]) ? 1u << b : 0;
    return mask;
  }
  /// The thread bits that select a part.
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
  /// Whether the result is distributed just as the lanes produce it.
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

/// Reduces by f the values of all lanes that differ only in the bits of Mask; all of these lanes get the
/// result.
template <unsigned Mask, typename F, typename E>
CUDA_TILE_API E reduce_lanes(F f, E value) {
  if constexpr (Mask == 0) {
    return value;
  } else {
    constexpr unsigned bit = Mask & ~(Mask - 1);
    E const other = platform::shuffle_xor(value, bit);
    // Both lanes use the same order of operands, so that they get the same result.
    bool const upper = (platform::thread() & bit) != 0;
    return detail::reduce_lanes<Mask & ~bit>(f, f(upper ? other : value, upper ? value : other));
  }
}

/// Combines the warps' parts in scratch memory, where threads that held no part of a result element find it,
/// too.
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

/// Each thread reduces the elements that it holds, then lanes combine their results, then warps.
template <unsigned N, unsigned Inner, typename R, typename F, typename T>
CUDA_TILE_API void reduce_elements(R& result, F f, T const& a) {
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

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
