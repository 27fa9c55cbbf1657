// [1.5] extents like and shape like types, [2.1.3] their properties, [2.8] extents.
#pragma once

#include "cuda_tile/core/dimension_values.h"
#include "cuda_tile/core/integral_constant.h"
#include "cuda_tile/core/violation.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.8.2] The value that marks an extent known only at run time.
enum : size_t { dynamic_extent = static_cast<size_t>(-1) };

namespace detail {

template <typename T>
concept unqualified_integral = integral<T> && !is_cv_v<T>;

template <typename E>
concept has_extents_types =
    unqualified_integral<typename E::rank_type> && unqualified_integral<typename E::index_type>;

template <typename T, typename U>
concept same_as = is_same_v<T, U>;

} // namespace detail

/// [1.5.1] [2.1.3.1] Types that describe the lengths of a multi-dimensional array.
template <typename T>
concept extents_like = detail::copyable<T> && detail::has_extents_types<T> &&
                       requires(T const& e, typename T::rank_type const& dim) {
                         { T::rank() } -> detail::same_as<typename T::rank_type>;
                         { T::rank_dynamic() } -> detail::same_as<typename T::rank_type>;
                         { T::static_extent(dim) } -> detail::same_as<size_t>;
                         { e.extent(dim) } -> detail::same_as<typename T::index_type>;
                         requires T::rank() == T::rank() && T::rank_dynamic() == T::rank_dynamic();
                       };

/// [2.1.3.3] Extents whose lengths are all known at compile time.
template <typename T>
concept shape_like = extents_like<T> && T::rank_dynamic() == 0;

namespace detail {

/// Numbers that are not negative.
struct kind_of_lengths {
  using type = size_t;
  static constexpr size_t dynamic = dynamic_extent;
  template <typename I>
  CUDA_TILE_CONSTEXPR static bool fits(size_t value) {
    return value <= static_cast<size_t>(greatest_v<I>);
  }
};
struct kind_of_extents : kind_of_lengths {
  static constexpr auto index_violation = cuda_tile_extent_index, range_violation = cuda_tile_extent_range;
  static constexpr char const *name = "extents", *member = "extent", *static_member = "static_extent";
};

} // namespace detail

/// [2.8.1] Lengths of a multi-dimensional array, each given in the type or, if it is dynamic_extent there, in
/// the object.
template <integral I, size_t... Exts>
struct extents : detail::dimension_values<detail::kind_of_extents, I, Exts...> {
  static_assert(!detail::is_cv_v<I>, "the index type of extents must not be cv-qualified [2.8.1]");
  using base = detail::dimension_values<detail::kind_of_extents, I, Exts...>;
  using index_type = I;
  using base::base;
  using base::rank;
  using base::rank_dynamic;
  using typename base::rank_type;

  constexpr extents() noexcept = default;

  __host__ __device__ static constexpr size_t static_extent(rank_type i) noexcept {
    return base::static_value(i);
  }
  __host__ __device__ constexpr index_type extent(rank_type i) const noexcept { return this->value(i); }

#if !CUDA_TILE_ALIAS_DEDUCTION
  /// Only for deduction through the alias shape.
  __host__ __device__ explicit constexpr extents(detail::constant_value<Exts>...) noexcept
    requires(base::rank() != 0 && base::rank_dynamic() == 0)
  {}
#endif
};

namespace detail {

/// [2.8.5]
template <typename T>
inline constexpr size_t extent_constant_or_dynamic = dynamic_extent;
template <integral auto V>
inline constexpr size_t extent_constant_or_dynamic<integral_constant<V>> = static_cast<size_t>(V);

} // namespace detail

extents() -> extents<uint32_t>;
// The deduction guide, for ranks up to 8: clang 19 crashes when it applies one with a pack to the alias
// shape.
template <typename T0>
extents(T0) -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>>;
template <typename T0, typename T1>
extents(T0, T1)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>>;
template <typename T0, typename T1, typename T2>
extents(T0, T1, T2)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>>;
template <typename T0, typename T1, typename T2, typename T3>
extents(T0, T1, T2, T3)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>, detail::extent_constant_or_dynamic<T3>>;
template <typename T0, typename T1, typename T2, typename T3, typename T4>
extents(T0, T1, T2, T3, T4)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>, detail::extent_constant_or_dynamic<T3>,
               detail::extent_constant_or_dynamic<T4>>;
template <typename T0, typename T1, typename T2, typename T3, typename T4, typename T5>
extents(T0, T1, T2, T3, T4, T5)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>, detail::extent_constant_or_dynamic<T3>,
               detail::extent_constant_or_dynamic<T4>, detail::extent_constant_or_dynamic<T5>>;
template <typename T0, typename T1, typename T2, typename T3, typename T4, typename T5, typename T6>
extents(T0, T1, T2, T3, T4, T5, T6)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>, detail::extent_constant_or_dynamic<T3>,
               detail::extent_constant_or_dynamic<T4>, detail::extent_constant_or_dynamic<T5>,
               detail::extent_constant_or_dynamic<T6>>;
template <typename T0, typename T1, typename T2, typename T3, typename T4, typename T5, typename T6,
          typename T7>
extents(T0, T1, T2, T3, T4, T5, T6, T7)
    -> extents<uint32_t, detail::extent_constant_or_dynamic<T0>, detail::extent_constant_or_dynamic<T1>,
               detail::extent_constant_or_dynamic<T2>, detail::extent_constant_or_dynamic<T3>,
               detail::extent_constant_or_dynamic<T4>, detail::extent_constant_or_dynamic<T5>,
               detail::extent_constant_or_dynamic<T6>, detail::extent_constant_or_dynamic<T7>>;

/// [2.8.3] Extents with the index type uint32_t. The manual requires static lengths, but one of its examples
/// uses `shape{512_ic, 128}`. So dynamic lengths are accepted here, but a tile cannot have them.
template <size_t... Ts>
using shape = extents<uint32_t, Ts...>;

/// [2.1.3.2] Same rank and same lengths.
template <extents_like T, extents_like U>
CUDA_TILE_CONSTEXPR bool extents_equal(T const& x, U const& y) noexcept {
  if constexpr (static_cast<size_t>(T::rank()) != static_cast<size_t>(U::rank())) {
    return false;
  } else {
    for (size_t i = 0; i != static_cast<size_t>(T::rank()); ++i)
      if (static_cast<size_t>(x.extent(static_cast<typename T::rank_type>(i))) !=
          static_cast<size_t>(y.extent(static_cast<typename U::rank_type>(i))))
        return false;
    return true;
  }
}

/// [2.8.4]
template <extents_like Lhs, extents_like Rhs>
CUDA_TILE_CONSTEXPR bool operator==(Lhs const& lhs, Rhs const& rhs) noexcept {
  return tiles::extents_equal(lhs, rhs);
}

namespace detail {

/// Length i of a shape like type.
template <typename S>
CUDA_TILE_CONSTEXPR size_t length(size_t i) {
  return S::static_extent(static_cast<typename S::rank_type>(i));
}

/// Product of the lengths of dimensions [first, last); marks an overflow in `*overflow`.
template <typename S>
CUDA_TILE_CONSTEXPR size_t length_product(size_t first, size_t last, bool* overflow = nullptr) {
  size_t product = 1;
  for (size_t i = first; i < last; ++i) {
    size_t n = length<S>(i);
    if (overflow && n != 0 && product > static_cast<size_t>(-1) / n)
      *overflow = true;
    product *= n;
  }
  return product;
}

template <typename S>
CUDA_TILE_CONSTEXPR bool size_overflows() {
  bool overflow = false;
  (void)detail::length_product<S>(0, static_cast<size_t>(S::rank()), &overflow);
  return overflow;
}

template <typename S>
struct shape_size {
  static_assert(!size_overflows<S>(), "shape-size: the size of the shape does not fit size_t [2.1.3.4]");
  static constexpr size_t value = length_product<S>(0, static_cast<size_t>(S::rank()));
};

} // namespace detail

/// [2.1.3.4] Number of elements of a shape.
template <shape_like T>
inline constexpr size_t shape_size_v = detail::shape_size<T>::value;

namespace detail {

template <typename T, typename U>
CUDA_TILE_CONSTEXPR bool equal_shapes() {
  if constexpr (static_cast<size_t>(T::rank()) != static_cast<size_t>(U::rank())) {
    return false;
  } else {
    for (size_t i = 0; i != static_cast<size_t>(T::rank()); ++i)
      if (length<T>(i) != length<U>(i))
        return false;
    return true;
  }
}

} // namespace detail

/// [2.1.3.5] Shapes of the same rank and lengths.
template <typename T, typename U>
concept same_shape = shape_like<T> && shape_like<U> && detail::equal_shapes<T, U>();

namespace detail {

/// The largest number of elements of a tile and the largest length of a dimension that NVIDIA's compiler
/// allows.
inline constexpr size_t max_tile_size = size_t(1) << 24;

template <typename S>
inline constexpr bool is_extents_v = false;
template <typename I, size_t... Exts>
inline constexpr bool is_extents_v<extents<I, Exts...>> = true;

template <typename S>
CUDA_TILE_CONSTEXPR bool is_tile_shape() {
  if constexpr (!is_extents_v<S> || !is_same_v<typename S::index_type, uint32_t>) {
    return false;
  } else {
    size_t size = 1;
    for (size_t i = 0; i != S::rank(); ++i) {
      size_t n = S::static_extent(i);
      if (n == 0 || (n & (n - 1)) != 0 || n > max_tile_size)
        return false;
      size *= n;
      if (size > max_tile_size)
        return false;
    }
    return true;
  }
}

} // namespace detail

/// [2.1.4.6] [1.6.2] Shapes that a tile can have: lengths are powers of two, the index type is uint32_t.
template <typename T>
concept tile_shape = shape_like<T> && detail::is_tile_shape<T>();

namespace detail {

/// extents<uint32_t, Lengths::at(0), …, Lengths::at(Rank - 1)>
template <typename Lengths, typename Indices>
struct make_shape_impl;
template <typename Lengths, size_t... I>
struct make_shape_impl<Lengths, indices<I...>> {
  using type = extents<uint32_t, Lengths::at(I)...>;
};
template <typename Lengths, size_t Rank>
using make_shape = typename make_shape_impl<Lengths, make_indices<Rank>>::type;

template <typename T, typename U>
CUDA_TILE_CONSTEXPR bool is_broadcastable_to() {
  constexpr size_t n = static_cast<size_t>(T::rank()), m = static_cast<size_t>(U::rank());
  if constexpr (n > m) {
    return false;
  } else {
    for (size_t i = 0; i != n; ++i)
      if (length<T>(i) != 1 && length<T>(i) != length<U>(i + m - n))
        return false;
    return true;
  }
}

/// Length of T at position i of a shape of rank `rank`: T supplies the last dimensions, and the ones before
/// them have length 1.
template <typename T>
CUDA_TILE_CONSTEXPR size_t aligned_length(size_t i, size_t rank) {
  size_t missing = rank - static_cast<size_t>(T::rank());
  return i < missing ? 1 : length<T>(i - missing);
}

template <typename T, typename U>
inline constexpr size_t broadcast_rank = static_cast<size_t>(T::rank()) > static_cast<size_t>(U::rank())
                                             ? static_cast<size_t>(T::rank())
                                             : static_cast<size_t>(U::rank());

template <typename T, typename U>
struct broadcast_lengths {
  static constexpr size_t rank = broadcast_rank<T, U>;
  CUDA_TILE_CONSTEXPR static bool compatible() {
    for (size_t i = 0; i != rank; ++i) {
      size_t a = aligned_length<T>(i, rank), b = aligned_length<U>(i, rank);
      if (a != b && a != 1 && b != 1)
        return false;
    }
    return true;
  }
  CUDA_TILE_CONSTEXPR static size_t at(size_t i) {
    size_t a = aligned_length<T>(i, rank), b = aligned_length<U>(i, rank);
    return a > b ? a : b;
  }
};

} // namespace detail

/// [2.1.5.6] Whether shape T can be broadcast to U.
template <typename T, typename U>
concept shape_broadcastable_to = shape_like<T> && shape_like<U> && detail::is_broadcastable_to<T, U>();

/// [2.1.5.8] Whether two shapes can be broadcast to a common one.
template <typename T, typename U>
concept shape_broadcast_compatible =
    shape_like<T> && shape_like<U> && detail::broadcast_lengths<T, U>::compatible();

/// [2.1.5.9] The mutual broadcast shape.
template <shape_like T, shape_like U>
  requires shape_broadcast_compatible<T, U>
using shape_broadcast_t = detail::make_shape<detail::broadcast_lengths<T, U>, detail::broadcast_rank<T, U>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
