// Loads from and stores to places that loops compute, a strip at a time.
#pragma once

#include "cuda_tile/loops/masks.h"
#include "cuda_tile/loops/runs.h"
#include "cuda_tile/one_thread/pointer_loads.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Which of a strip's S elements exist: those of a mask, or so many of the first ones.
template <unsigned S, typename Exist>
struct existence {
  static constexpr bool has_mask = requires(Exist const& exist) { exist.slots; };
  Exist const& exist;

  CUDA_TILE_API bool of(unsigned l) const {
    if constexpr (has_mask)
      return exist.slots[l];
    else
      return l < static_cast<long long>(exist);
  }
  CUDA_TILE_API bool of_all() const {
    if constexpr (has_mask)
      return loops::all_of(exist);
    else
      return static_cast<long long>(exist) >= static_cast<long long>(S);
  }
  CUDA_TILE_API bool of_any() const {
    unsigned char any = 0;
    if constexpr (has_mask)
      for (unsigned l = 0; l < S; ++l)
        any |= static_cast<unsigned char>(exist.slots[l]);
    else
      any = static_cast<long long>(exist) > 0;
    return any;
  }
};

/// *pointers where they exist, and padding for the others.
template <unsigned S, typename E, typename P, typename Exist>
CUDA_TILE_API strip<E, S> gather(strip<P*, S> const& pointers, Exist const& exist, E pad) {
  existence<S, Exist> const elements{exist};
  strip<E, S> result;
  if (elements.of_all())
    ct::detail::gather_run<S>(result.slots, pointers.slots);
  else
    for (unsigned l = 0; l < S; ++l)
      result.slots[l] = elements.of(l) ? *pointers.slots[l] : pad;
  return result;
}

/// A strip whose elements all equal x, by vectors: where branches are rare, g++ would make it slowly.
template <unsigned S, typename E>
CUDA_TILE_API strip<E, S> fill(E x) {
  if constexpr (S * sizeof(E) % ct::platform::vector_bytes == 0) {
    using bits = ct::platform::bits_of_element<E>;
    auto const same = ct::platform::vector<bits>{} + ct::platform::bit_cast<bits>(x);
    strip<E, S> result;
    for (unsigned l = 0; l < S; l += sizeof same / sizeof x)
      ct::platform::store_vector(result.slots + l, same);
    return result;
  } else {
    return loops::splat<strip<E, S>>(x);
  }
}

/// One element, as often as it exists.
template <unsigned S, typename E, typename Exist>
CUDA_TILE_API strip<E, S> repeat(E const* from, Exist const& exist, E pad) {
  existence<S, Exist> const elements{exist};
  if (!elements.of_any())
    return loops::fill<S>(pad);
  auto const all = loops::fill<S>(*from);
  return elements.of_all() ? all : loops::load<S>(all.slots, exist, pad);
}

/// Each of the elements at a pointer as many times.
template <unsigned S, unsigned Times, typename E>
CUDA_TILE_API strip<E, S> load_repeated(E const* from) {
  using V = ct::platform::vector_of_most<ct::platform::bits_of_element<E>, S>;
  constexpr unsigned lanes = sizeof(V) / sizeof(E), times = Times < lanes ? Times : lanes;
  strip<E, S> result;
  for (unsigned l = 0; l < S; l += lanes)
    ct::platform::store_vector(result.slots + l, ct::platform::load_repeated<V, times>(from + l / Times));
  return result;
}

/// A strip that begins in one piece of a row and ends in the next one. Not inlined, because it is long.
template <unsigned S, typename E, typename Piece, typename Exist>
[[gnu::noinline]] void load_pieces(E* result, Piece a, Piece b, E const* from, long long position,
                                   Exist const& exist, E pad) {
  existence<S, Exist> const elements{exist};
  for (unsigned l = 0; l < S; ++l)
    result[l] = elements.of(l) ? from[(position + l < b.begin ? a : b).place(position + l)] : pad;
}

/// The strip at a position of a row: neighbours or one element, if it belongs to a run, or two such pieces;
/// and else what the pointers point to.
template <unsigned S, typename E, typename Row, typename F, typename Exist>
CUDA_TILE_API strip<E, S> load_run(bool belongs, Row const& row, E const* from, long long position,
                                   F const& pointers, Exist const& exist, E pad) {
  // Compilers keep in registers what branches leave in vectors, but no tiles.
  constexpr bool is_whole = S * sizeof(E) % ct::platform::vector_bytes == 0;
  using V =
      ct::detail::conditional_t<is_whole, ct::platform::vector<long long>, ct::platform::bits_of_element<E>>;
  constexpr unsigned count = S * sizeof(E) / sizeof(V);
  V vectors[count];
  auto const keep = [&](strip<E, S> const& x) {
    for (unsigned v = 0; v < count; ++v)
      vectors[v] = ct::platform::load_vector<V>(x.slots + v * sizeof(V) / sizeof(E));
  };
  constexpr unsigned times = Row::repeats < S ? static_cast<unsigned>(Row::repeats) : 1;
  if (belongs && row.template is_one<S>())
    keep(loops::repeat<S>(from + row.place(position), exist, pad));
  else if (belongs && !row.is_repeated())
    keep(loops::load<S>(from + row.place(position), exist, pad));
  else if (times > 1 && belongs && existence<S, Exist>{exist}.of_all())
    keep(loops::load_repeated<S, times>(from + row.place(position)));
  else if (row.is_cut(position)) {
    auto const a = row.before(), b = row.now();
    if (a.step == 0 && b.step == 0 && existence<S, Exist>{exist}.of_all()) {
      between const cut{b.begin - position};
      keep(loops::load<S>(loops::fill<S>(from[a.first]).slots, cut, from[b.first]));
    } else {
      strip<E, S> result;
      loops::load_pieces<S>(result.slots, a, b, from, position, exist, pad);
      keep(result);
    }
  } else if (existence<S, Exist>{exist}.of_any())
    keep(loops::gather<S, E>(pointers(), exist, pad));
  else
    keep(loops::fill<S>(pad));
  strip<E, S> result;
  for (unsigned v = 0; v < count; ++v)
    ct::platform::store_vector(result.slots + v * sizeof(V) / sizeof(E), vectors[v]);
  return result;
}

/// Stores in the order of the elements: the last one counts where pointers are equal.
template <unsigned S, typename E, typename Row, typename F, typename Exist>
CUDA_TILE_API void store_run(bool belongs, Row const& row, E* to, long long position, F const& pointers,
                             strip<E, S> const& x, Exist const& exist) {
  existence<S, Exist> const elements{exist};
  if (belongs && row.template is_one<S>()) {
    for (unsigned l = S; l-- > 0;)
      if (elements.of(l)) {
        to[row.place(position)] = x.slots[l];
        break;
      }
  } else if (belongs && !row.is_repeated()) {
    loops::store<E, S>(to + row.place(position), x, exist);
  } else if (row.is_cut(position)) {
    for (unsigned l = 0; l < S; ++l)
      if (elements.of(l))
        to[(position + l < row.now().begin ? row.before() : row.now()).place(position + l)] = x.slots[l];
  } else if (elements.of_any()) {
    auto const places = pointers();
    for (unsigned l = 0; l < S; ++l)
      if (elements.of(l))
        *places.slots[l] = x.slots[l];
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
