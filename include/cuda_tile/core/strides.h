// [2.8 of 13.4] strides and offsets: a distance or a place for each dimension, static or dynamic as lengths
// of extents are.
#pragma once

#include "cuda_tile/core/extents.h"

#if CUDA_TILE_API_VERSION >= 1304

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// The values that mark a stride or an offset known only at run time.
enum : size_t { dynamic_stride = static_cast<size_t>(-1) };
enum : ptrdiff_t { dynamic_offset = -static_cast<ptrdiff_t>(static_cast<size_t>(-1) / 2) - 1 };

namespace detail {

template <typename T>
concept has_rank = copyable<T> && unqualified_integral<typename T::rank_type> && requires {
  { T::rank() } -> same_as<typename T::rank_type>;
  { T::rank_dynamic() } -> same_as<typename T::rank_type>;
  requires T::rank() == T::rank() && T::rank_dynamic() == T::rank_dynamic();
};

template <typename I>
concept unqualified_integer = unqualified_integral<I> && !is_bool_v<I>;

} // namespace detail

/// Types that describe the distances between neighbours along each dimension, cv-qualified ones too.
template <typename T>
concept strides_like =
    detail::has_rank<detail::remove_cv_t<T>> && detail::unqualified_integer<typename T::stride_type> &&
    requires(detail::remove_cv_t<T> const& s, typename T::rank_type const& dim) {
      { T::static_stride(dim) } -> detail::same_as<size_t>;
      { s.stride(dim) } -> detail::same_as<typename T::stride_type>;
    };

/// Types that describe a place along each dimension, cv-qualified ones too.
template <typename T>
concept offsets_like =
    detail::has_rank<detail::remove_cv_t<T>> && detail::unqualified_integer<typename T::offset_type> &&
    requires(detail::remove_cv_t<T> const& s, typename T::rank_type const& dim) {
      { T::static_offset(dim) } -> detail::same_as<ptrdiff_t>;
      { s.offset(dim) } -> detail::same_as<typename T::offset_type>;
    };

namespace detail {

struct kind_of_strides : kind_of_lengths {
  static constexpr auto index_violation = cuda_tile_stride_index, range_violation = cuda_tile_stride_range;
  static constexpr char const *name = "strides", *member = "stride", *static_member = "static_stride";
};
struct kind_of_offsets {
  using type = ptrdiff_t;
  static constexpr ptrdiff_t dynamic = dynamic_offset;
  static constexpr auto index_violation = cuda_tile_stride_index, range_violation = cuda_tile_stride_range;
  static constexpr char const *name = "offsets", *member = "offset", *static_member = "static_offset";
  template <typename I>
  CUDA_TILE_CONSTEXPR static bool fits(ptrdiff_t value) {
    return static_cast<ptrdiff_t>(static_cast<I>(value)) == value &&
           (value < 0) == (static_cast<I>(value) < I(0));
  }
};

template <typename T>
inline constexpr ptrdiff_t offset_constant_or_dynamic = dynamic_offset;
template <integral auto V>
inline constexpr ptrdiff_t offset_constant_or_dynamic<integral_constant<V>> = static_cast<ptrdiff_t>(V);

} // namespace detail

/// Distances, each given in the type or, if it is dynamic_stride there, in the object.
template <integral I, size_t... Strides>
struct strides : detail::dimension_values<detail::kind_of_strides, I, Strides...> {
  static_assert(!detail::is_cv_v<I>, "the type of strides must not be cv-qualified [2.8]");
  using base = detail::dimension_values<detail::kind_of_strides, I, Strides...>;
  using stride_type = I;
  using base::base;
  using base::rank;
  using base::rank_dynamic;
  using typename base::rank_type;

  constexpr strides() noexcept = default;

  __host__ __device__ static constexpr size_t static_stride(rank_type i) noexcept {
    return base::static_value(i);
  }
  __host__ __device__ constexpr stride_type stride(rank_type i) const noexcept { return this->value(i); }
};
template <typename... Ts>
strides(Ts...) -> strides<uint32_t, detail::extent_constant_or_dynamic<Ts>...>;

/// Places, each given in the type or, if it is dynamic_offset there, in the object.
template <integral I, ptrdiff_t... Offsets>
struct offsets : detail::dimension_values<detail::kind_of_offsets, I, Offsets...> {
  static_assert(!detail::is_cv_v<I>, "the type of offsets must not be cv-qualified [2.8]");
  using base = detail::dimension_values<detail::kind_of_offsets, I, Offsets...>;
  using offset_type = I;
  using base::base;
  using base::rank;
  using base::rank_dynamic;
  using typename base::rank_type;

  constexpr offsets() noexcept = default;

  __host__ __device__ static constexpr ptrdiff_t static_offset(rank_type i) noexcept {
    return base::static_value(i);
  }
  __host__ __device__ constexpr offset_type offset(rank_type i) const noexcept { return this->value(i); }
};
template <typename... Ts>
offsets(Ts...) -> offsets<int32_t, detail::offset_constant_or_dynamic<Ts>...>;

/// Same rank and same distances.
template <strides_like T, strides_like U>
CUDA_TILE_CONSTEXPR bool strides_equal(T const& x, U const& y) noexcept {
  if constexpr (static_cast<size_t>(T::rank()) != static_cast<size_t>(U::rank())) {
    return false;
  } else {
    for (size_t i = 0; i != static_cast<size_t>(T::rank()); ++i)
      if (static_cast<size_t>(x.stride(static_cast<typename T::rank_type>(i))) !=
          static_cast<size_t>(y.stride(static_cast<typename U::rank_type>(i))))
        return false;
    return true;
  }
}
template <strides_like Lhs, strides_like Rhs>
CUDA_TILE_CONSTEXPR bool operator==(Lhs const& lhs, Rhs const& rhs) noexcept {
  return tiles::strides_equal(lhs, rhs);
}

/// Same rank and same places.
template <offsets_like T, offsets_like U>
CUDA_TILE_CONSTEXPR bool offsets_equal(T const& x, U const& y) noexcept {
  if constexpr (static_cast<size_t>(T::rank()) != static_cast<size_t>(U::rank())) {
    return false;
  } else {
    for (size_t i = 0; i != static_cast<size_t>(T::rank()); ++i)
      if (static_cast<ptrdiff_t>(x.offset(static_cast<typename T::rank_type>(i))) !=
          static_cast<ptrdiff_t>(y.offset(static_cast<typename U::rank_type>(i))))
        return false;
    return true;
  }
}
template <offsets_like Lhs, offsets_like Rhs>
CUDA_TILE_CONSTEXPR bool operator==(Lhs const& lhs, Rhs const& rhs) noexcept {
  return tiles::offsets_equal(lhs, rhs);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI

#endif
