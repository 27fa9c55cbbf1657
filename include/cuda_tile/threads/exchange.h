// Moving elements between positions, and so between the threads of a block: rearrange, from which all
// operations on shapes are built.
#pragma once

#include "cuda_tile/core/steps.h"
#include "cuda_tile/threads/open.h"
#include "cuda_tile/threads/scratch_layout.h"
#include "cuda_tile/tile/tile.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Threads whose lanes differ in LaneBit exchange halves of their slots, so that this bit of the lane and
/// SlotBit of the slot change places. All threads of a warp take part.
template <unsigned LaneBit, unsigned SlotBit, unsigned Slots, typename E>
CUDA_TILE_API void exchange_with_lane(E* slots) {
  bool const upper = (platform::thread() & LaneBit) != 0;
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < Slots; ++s)
    if ((s & SlotBit) == 0) {
      E& first = slots[s];
      E& second = slots[s | SlotBit];
      E const received = platform::shuffle_xor(upper ? first : second, LaneBit);
      first = upper ? received : first;
      second = upper ? second : received;
    }
}

/// Which element of a tile of shape S, in one of its forms, each slot of each thread holds.
template <typename S, bool Transposed>
struct held_index {
  using form = distribution_of<S>;
  static constexpr unsigned slots = form::slots;
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) { return form::index(t, slot); }
};
template <typename S>
struct held_index<S, true> {
  using form = distribution_of<transposed_shape<S>>;
  static constexpr unsigned slots = form::slots;
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) {
    return detail::transposed_index<S>(form::index(t, slot));
  }
};
/// Which source element goes to each slot of each thread of a tile of shape S, as Index maps them.
template <typename S, typename Index>
struct taken_index {
  static constexpr unsigned slots = distribution_of<S>::slots;
  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) {
    return Index::of(distribution_of<S>::index(t, slot));
  }
};
struct same_index {
  CUDA_TILE_CONSTEXPR static unsigned of(unsigned i) { return i; }
};

/// f(slot, place) for each 2^Vector slots of this thread whose elements are in the part [begin, begin +
/// Count) of a tile; `start` is the index of the thread's slot 0; `Others` are further bits that may be set
/// in it.
template <typename Layout, unsigned Count, unsigned Vector, typename Pattern, unsigned Size, unsigned Others,
          typename F>
CUDA_TILE_API void for_each_place(unsigned start, unsigned begin, F const& f) {
  // Bits that only slots can set are added, as a constant in the instruction.
  constexpr unsigned shared = Layout::template bits_of_threads<Pattern>(Others);
  unsigned const first = Layout::place(start);
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < Pattern::slots; s += 1u << Vector) {
    unsigned const i = Pattern::index(0, s), place = Layout::place(i);
    if (Size == Count || ((start ^ i) & ~(Count - 1)) == begin)
      f(s, (first ^ (place & shared)) + (place & ~shared));
  }
}

template <unsigned Vector, typename E>
struct write_scratch {
  E const* slots;
  E* scratch;
  CUDA_TILE_API void operator()(unsigned s, unsigned place) const {
    if constexpr (Vector == 0)
      scratch[place] = slots[s];
    else
      platform::store_aligned<sizeof(E) << Vector>(scratch + place, slots + s);
  }
};
template <unsigned Vector, typename E>
struct read_scratch {
  E* slots;
  E const* scratch;
  CUDA_TILE_API void operator()(unsigned s, unsigned place) const {
    if constexpr (Vector == 0)
      slots[s] = scratch[place];
    else
      platform::load_aligned<sizeof(E) << Vector>(slots + s, scratch + place);
  }
};

/// Element i of `to` becomes element Index::of(i) ^ offset of `from`, which is in the given form; the offset
/// has no bit that Index::of(i) has. Elements pass through scratch memory, a part at a time.
template <typename Index, bool Transposed, typename To, typename From>
CUDA_TILE_API void copy_form_through_scratch(To& to, From const& from, unsigned offset) {
  using E = typename From::element_type;
  using write = held_index<tile_shape_t<From>, Transposed>;
  using read = taken_index<tile_shape_t<To>, Index>;
  constexpr unsigned size = From::distribution::size;
  constexpr unsigned part = least(size, static_cast<unsigned>(platform::scratch_bytes / sizeof(E)));
  using layout = scratch_layout<E, part, write, read>;
  constexpr unsigned offsets = (size - 1) & ~Index::of(To::distribution::size - 1);
  E* scratch = static_cast<E*>(platform::scratch<part * sizeof(E)>());
  unsigned const t = platform::thread();
  for (unsigned begin = 0; begin < size; begin += part) {
    platform::barrier();
    if (write::form::first(t))
      detail::for_each_place<layout, part, layout::swizzle.write, write, size, 0>(
          write::index(t, 0), begin, write_scratch<layout::swizzle.write, E>{from.slots, scratch});
    platform::barrier();
    detail::for_each_place<layout, part, layout::swizzle.read, read, size, offsets>(
        read::index(t, 0) ^ offset, begin, read_scratch<layout::swizzle.read, E>{to.slots, scratch});
  }
}
template <typename Index, typename To, typename From>
CUDA_TILE_API void copy_through_scratch(To& to, From const& open, unsigned offset = 0) {
  auto const& from = detail::settled(open);
  if constexpr (may_be_transposed<typename From::element_type, tile_shape_t<From>>()) {
    if (detail::is_transposed(from))
      return detail::copy_form_through_scratch<Index, true>(to, from, offset);
  }
  detail::copy_form_through_scratch<Index, false>(to, from, offset);
}

/// The same for places that are not a permutation of index bits: `position(i)` says where element i of `to`
/// comes from.
template <typename To, typename From, typename Position>
CUDA_TILE_API void take_through_scratch(To& to, From const& open, Position position) {
  using E = typename From::element_type;
  using source = typename From::distribution;
  using target = typename To::distribution;
  constexpr unsigned part =
      detail::least(source::size, static_cast<unsigned>(platform::scratch_bytes / sizeof(E)));
  auto const& from = detail::settled(open);
  E* scratch = static_cast<E*>(platform::scratch<part * sizeof(E)>());
  unsigned const t = platform::thread();
  for (unsigned begin = 0; begin < source::size; begin += part) {
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < source::slots; ++s) {
      unsigned i = detail::index_in(from, t, s) - begin;
      if (i < part && source::first(t))
        scratch[i] = from.slots[s];
    }
    platform::barrier();
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < target::slots; ++s) {
      unsigned i = position(target::index(t, s)) - begin;
      if (i < part)
        to.slots[s] = scratch[i];
    }
  }
}

/// x in the normal form: x itself, once it is settled if it is open, or if it is transposed, the same tile
/// with its elements where the distribution of its shape puts them.
template <typename T>
CUDA_TILE_API decltype(auto) normal(T const& x) {
  if constexpr (may_be_transposed<element_t<T>, tile_shape_t<T>>()) {
    auto const& from = detail::settled(x);
    T result = from;
    if (detail::is_transposed(x))
      detail::copy_form_through_scratch<same_index, true>(result, from, 0);
#if CUDA_TILE_HAS_FORMS
    result.transposed = 0;
#endif
    return result;
  } else {
    return detail::settled(x);
  }
}

/// Whether each thread already holds the sources of its elements of the result, in slots known at compile
/// time: each bit of the source's index has to be the same thread bit in both distributions, or a slot bit in
/// both.
template <typename Target, typename Source, typename Index>
CUDA_TILE_CONSTEXPR bool stays_in_thread() {
  index_bits const source = Source::bits, target = Target::bits;
  unsigned in_threads = 0; // bits of the source's index
  for (unsigned b = 0; b < source.thread_count; ++b) {
    if (source.thread[b] == index_bits::none)
      continue;
    unsigned const bit = 1u << source.thread[b];
    in_threads |= bit;
    if (target.thread[b] == index_bits::none || Index::of(1u << target.thread[b]) != bit)
      return false;
  }
  for (unsigned b = 0; b < target.slot_count; ++b)
    if ((Index::of(1u << target.slot[b]) & in_threads) != 0)
      return false;
  for (unsigned b = 0; b < target.thread_count; ++b)
    if (target.thread[b] != index_bits::none && (Index::of(1u << target.thread[b]) & ~in_threads) != 0)
      return false;
  return true;
}

/// The tile r of shape Shape with r(i0, i1, …) = from's element at row-major position
/// offset + i0 * Steps::at(0) + i1 * Steps::at(1) + …
template <typename Shape, typename Steps, typename From>
CUDA_TILE_API tile<typename From::element_type, Shape> rearrange(From const& from, unsigned offset = 0) {
  using index = strided_index<Shape, Steps>;
  using source = typename From::distribution;
  using target = distribution_of<Shape>;
  tile<typename From::element_type, Shape> to;
  if constexpr (From::distribution::size == 1) {
    CUDA_TILE_UNROLL
    for (auto& slot : to.slots)
      slot = from.slots[0];
  } else if constexpr (From::distribution::size <= target::size && stays_in_thread<target, source, index>()) {
    auto const& elements = detail::normal(from);
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < target::slots; ++s)
      to.slots[s] = elements.slots[source::slot(index::of(target::index(0, s)))];
  } else {
    detail::copy_through_scratch<index>(to, from, offset);
  }
  return to;
}

/// The tile r with r(i) = x(position(i)), where i is row-major.
template <typename T, typename Position>
CUDA_TILE_API T taken(T const& x, Position position) {
  T result = x;
  detail::take_through_scratch(result, x, position);
  return result;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
