// [2.3 of 13.5] repack: the bits of elements along a dimension, read as elements of another width.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/tile/primitives.h"

#if CUDA_TILE_API_VERSION >= 1305

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// The bits of an element in the string: of tf32 19, but then it is only repacked as itself.
template <typename E>
inline constexpr size_t packed_width = is_bool_v<E> ? 1 : static_cast<size_t>(memory_bitwidth_v<E>);
template <typename E>
  requires is_pointer_scalar_v<E>
inline constexpr size_t packed_width<E> = 64;

template <size_t Bits>
using word_of = typename unsigned_of_size<(Bits < 8 ? 8 : Bits) / 8>::type;
/// A number of Bits ones.
template <typename W, size_t Bits>
inline constexpr W ones_v = static_cast<W>(static_cast<W>(~W(0)) >> (sizeof(W) * 8 - Bits));

/// The bits of an element as a number, and back.
template <typename E>
CUDA_TILE_API word_of<packed_width<E>> to_word(E x) {
  using W = word_of<packed_width<E>>;
  if constexpr (is_bool_v<E>)
    return static_cast<W>(x ? 1 : 0);
  else
    return static_cast<W>(platform::bit_cast<W>(x) & ones_v<W, packed_width<E>>);
}
template <typename E, typename W>
CUDA_TILE_API E from_word(W word) {
  if constexpr (is_bool_v<E>)
    return (word & 1) != 0;
  else
    return platform::bit_cast<E>(static_cast<word_of<packed_width<E>>>(word));
}

/// Lengths of S with that of dimension D being N, or with dimension D in two of lengths N and M.
template <typename S, size_t D, size_t N>
struct resized_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) { return d == D ? N : length<S>(d); }
};
template <typename S, size_t D, size_t N, size_t M>
struct split_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t d) {
    return d == D ? N : d == D + 1 ? M : length<S>(d < D ? d : d - 1);
  }
};
template <typename T, size_t D, size_t N>
using resized_shape = make_shape<resized_lengths<tile_shape_t<T>, D, N>, tile_rank_v<T>>;
template <typename T, size_t D, size_t N, size_t M>
using split_shape = make_shape<split_lengths<tile_shape_t<T>, D, N, M>, tile_rank_v<T> + 1>;

template <typename E, typename T, size_t D>
CUDA_TILE_CONSTEXPR size_t repacked_length() {
  return length<tile_shape_t<T>>(D) * packed_width<tile_element_t<T>> / packed_width<E>;
}
template <typename E, typename T, auto D>
CUDA_TILE_CONSTEXPR bool can_repack() {
  if constexpr (scalar<T> || D < 0 || static_cast<size_t>(D) >= tile_rank_v<T>) {
    return false;
  } else {
    constexpr size_t d = static_cast<size_t>(D);
    constexpr size_t bits = length<tile_shape_t<T>>(d) * packed_width<tile_element_t<T>>;
    if constexpr (is_same_v<E, tile_element_t<T>>)
      return true;
    else if constexpr (packed_width<E> % 2 != 0 && packed_width<E> != 1)
      return false; // tf32
    else
      return packed_width<tile_element_t<T>> != 19 && bits % packed_width<E> == 0 && bits % 8 == 0 &&
             tile_shape<resized_shape<T, d, repacked_length<E, T, d>()>>;
  }
}

#if CUDA_TILE_COMPOSED
/// Each element becomes several narrower ones, the lower bits first.
template <typename R, size_t D, typename T>
CUDA_TILE_API R unpack_elements(T const& x) {
  using E = tile_element_t<R>;
  constexpr size_t n = length<tile_shape_t<T>>(D), m = length<tile_shape_t<R>>(D) / n;
  constexpr unsigned inner =
      static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D + 1, tile_rank_v<T>));
  using parts = tile<E, split_shape<T, D, n, m>>;
  auto const wide = detail::reshape<tile<tile_element_t<T>, split_shape<T, D, n, 1>>>(x);
  return detail::reshape<R>(detail::map<parts>(
      [](auto a, unsigned i) {
        unsigned const k = i / inner % static_cast<unsigned>(m) * static_cast<unsigned>(packed_width<E>);
        auto const word = detail::to_word(a);
        using W = decltype(detail::to_word(a));
        return detail::from_word<E>(static_cast<W>(word >> k) & ones_v<W, packed_width<E>>);
      },
      wide, detail::numbered<tile<unsigned, tile_shape_t<parts>>>()));
}

/// Several elements become one, the lower bits from the first.
template <typename R, size_t D, typename T>
CUDA_TILE_API R pack_elements(T const& x) {
  using W = word_of<packed_width<tile_element_t<R>>>;
  constexpr size_t n = length<tile_shape_t<R>>(D), m = length<tile_shape_t<T>>(D) / n;
  constexpr unsigned inner =
      static_cast<unsigned>(detail::length_product<tile_shape_t<T>>(D + 1, tile_rank_v<T>));
  constexpr unsigned width = static_cast<unsigned>(packed_width<tile_element_t<T>>);
  using words = tile<W, split_shape<T, D, n, m>>;
  auto const shifted = detail::map<words>(
      [](auto a, unsigned i) {
        return static_cast<W>(static_cast<W>(detail::to_word(a))
                              << (i / inner % static_cast<unsigned>(m) * width));
      },
      detail::reshape<tile<tile_element_t<T>, tile_shape_t<words>>>(x),
      detail::numbered<tile<unsigned, tile_shape_t<words>>>());
  auto const joined = detail::reduce<D + 1>(elements::bit_or{}, shifted);
  return detail::map<R>([](W w) { return detail::from_word<tile_element_t<R>>(w); },
                        detail::reshape<tile<W, tile_shape_t<R>>>(joined));
}

template <typename R, size_t D, typename T>
CUDA_TILE_API R repack_elements(T const& x) {
  constexpr size_t to = packed_width<tile_element_t<R>>, from = packed_width<tile_element_t<T>>;
  if constexpr (to < from)
    return detail::unpack_elements<R, D>(x);
  else if constexpr (to > from)
    return detail::pack_elements<R, D>(x);
  else
    return detail::map<R>([](auto a) { return detail::from_word<tile_element_t<R>>(detail::to_word(a)); }, x);
}
#endif

} // namespace detail

/// The bits of the elements along dimension D are one string, low bits first, which the result reads as
/// elements of type E.
template <scalar E, integral auto D, tile_like T>
  requires(detail::can_repack<detail::remove_cv_t<E>, T, D>())
CUDA_TILE_API auto repack(T const& x, integral_constant<D> = {}) noexcept {
  using to = detail::remove_cv_t<E>;
  using from = tile_element_t<T>;
  constexpr size_t d = static_cast<size_t>(D);
  using R = tile<to, detail::resized_shape<T, d, detail::repacked_length<to, T, d>()>>;
  if constexpr (detail::is_same_v<to, from>)
    return R(x);
  else
    return detail::repack_elements<R, d>(x);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI

#endif
