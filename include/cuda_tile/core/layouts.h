// [1.8.1] layout mappings, [2.10] the five layouts, their mappings and comparison.
#pragma once

#include "cuda_tile/core/extents.h"
#include "cuda_tile/core/strides.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.10.12] Static strides of a layout mapping; specialise it for mappings without a static_stride member.
template <typename T>
struct layout_mapping_static_stride {
  __host__ __device__ constexpr size_t operator()(typename T::rank_type idx) const noexcept
    requires requires {
      { T::static_stride(idx) } -> detail::same_as<size_t>;
    }
  {
    return T::static_stride(idx);
  }
};

namespace detail {

template <typename M>
concept has_mapping_types = extents_like<typename M::extents_type> && !is_cv_v<typename M::extents_type> &&
                            is_same_v<typename M::rank_type, typename M::extents_type::rank_type> &&
                            is_same_v<typename M::index_type, typename M::extents_type::index_type> &&
                            is_same_v<typename M::layout_type::template mapping<typename M::extents_type>, M>;

} // namespace detail

/// [1.8.1] [2.1.6.1]
template <typename T>
concept layout_mapping = detail::copyable<T> && detail::has_mapping_types<T> &&
                         requires(T const& m, typename T::rank_type const& dim) {
                           requires T::is_always_strided();
                           { layout_mapping_static_stride<T>{}(dim) } -> detail::same_as<size_t>;
                           { m.stride(dim) } -> detail::same_as<typename T::index_type>;
                           { m.extents() } -> detail::same_as<typename T::extents_type const&>;
                         };

namespace detail {

template <typename I>
CUDA_TILE_CONSTEXPR bool fits_product(I a, I b) {
  return b <= 0 || a <= greatest_v<I> / b;
}

/// Product of the static lengths of [first, last), dynamic_extent if one of them is dynamic.
template <typename E>
CUDA_TILE_CONSTEXPR size_t static_product(size_t first, size_t last) {
  size_t product = 1;
#if CUDA_TILE_RECORD // else it would be a loop of Tile IR
  CUDA_TILE_UNROLL
#endif
  for (size_t k = first; k < last; ++k) {
    size_t n = length<E>(k);
    if (n == dynamic_extent)
      return dynamic_extent;
    checks::require<cuda_tile_stride_range>(fits_product(product, n), "static_stride", product, n);
    product *= n;
  }
  return product;
}

template <typename E>
CUDA_TILE_CONSTEXPR typename E::index_type extent_product(E const& e, size_t first, size_t last) {
  typename E::index_type product = 1;
#if CUDA_TILE_RECORD // else it would be a loop of Tile IR
  CUDA_TILE_UNROLL
#endif
  for (size_t k = first; k < last; ++k) {
    typename E::index_type n = e.extent(static_cast<typename E::rank_type>(k));
    checks::require<cuda_tile_stride_range>(detail::fits_product(product, n), "stride", product, n);
    product *= n;
  }
  return product;
}

// [2.10.9] What gives the strides of layout_strided_mapping: extents and, since 13.4, strides, which take
// precedence for a type that is both.

#if CUDA_TILE_API_VERSION >= 1304
template <typename T>
concept has_strides = strides_like<T>;
#else
template <typename T>
concept has_strides = false;
#endif
template <typename T>
concept gives_strides = has_strides<T> || extents_like<T>;

template <typename T>
struct given_strides {
  using type = typename T::index_type;
  CUDA_TILE_CONSTEXPR static size_t fixed(size_t i) {
    return T::static_extent(static_cast<typename T::rank_type>(i));
  }
  CUDA_TILE_CONSTEXPR static type at(T const& s, size_t i) {
    return s.extent(static_cast<typename T::rank_type>(i));
  }
};
template <has_strides T>
struct given_strides<T> {
  using type = typename T::stride_type;
  CUDA_TILE_CONSTEXPR static size_t fixed(size_t i) {
    return T::static_stride(static_cast<typename T::rank_type>(i));
  }
  CUDA_TILE_CONSTEXPR static type at(T const& s, size_t i) {
    return s.stride(static_cast<typename T::rank_type>(i));
  }
};
template <typename E, typename S>
concept strides_fit = gives_strides<S> && static_cast<size_t>(E::rank()) == static_cast<size_t>(S::rank()) &&
                      is_same_v<typename E::index_type, typename given_strides<S>::type>;

/// Members shared by the four mappings that their (possibly padded) extents determine.
template <typename E, typename Layout>
struct mapping_base {
  static_assert(!is_cv_v<E>, "the extents of a layout mapping must not be cv-qualified [2.10]");
  using extents_type = E;
  using rank_type = typename E::rank_type;
  using index_type = typename E::index_type;
  using layout_type = Layout;

  E shape;

  __host__ __device__ explicit constexpr mapping_base(E const& other) noexcept : shape{other} {}
  __host__ __device__ static constexpr bool is_always_strided() noexcept { return true; }
  __host__ __device__ constexpr extents_type const& extents() const noexcept { return shape; }

protected:
  __host__ __device__ static constexpr void require_index(rank_type i, char const* function) noexcept {
    checks::require<cuda_tile_stride_index>(checks::is_index(static_cast<size_t>(i), E::rank()), function, i,
                                            E::rank());
  }
};

} // namespace detail

template <extents_like E>
struct layout_right_mapping;
template <extents_like E>
struct layout_left_mapping;
template <extents_like E, size_t A>
struct layout_right_padded_mapping;
template <extents_like E, size_t A>
struct layout_left_padded_mapping;
template <extents_like E, typename S>
  requires detail::strides_fit<E, S>
struct layout_strided_mapping;

/// [2.10.1] Row major.
struct layout_right {
  template <extents_like E>
  using mapping = layout_right_mapping<E>;
};
/// [2.10.3] Column major.
struct layout_left {
  template <extents_like E>
  using mapping = layout_left_mapping<E>;
};
/// [2.10.5] Row major, rows aligned to A elements.
template <size_t A>
struct layout_right_padded {
  template <extents_like E>
  using mapping = layout_right_padded_mapping<E, A>;
};
/// [2.10.7] Column major, columns aligned to A elements.
template <size_t A>
struct layout_left_padded {
  template <extents_like E>
  using mapping = layout_left_padded_mapping<E, A>;
};
/// [2.10.9] Explicit strides.
template <typename S>
  requires detail::gives_strides<S>
struct layout_strided {
  static_assert(!detail::is_cv_v<S>, "the strides of a layout must not be cv-qualified [2.10.9]");
  template <extents_like E>
  using mapping = layout_strided_mapping<E, S>;
};

/// [2.10.2]
template <extents_like E>
struct layout_right_mapping : detail::mapping_base<E, layout_right> {
  using base = detail::mapping_base<E, layout_right>;
  using base::base;
  using typename base::index_type;
  using typename base::rank_type;

  __host__ __device__ static constexpr size_t static_stride(rank_type i) noexcept {
    base::require_index(i, "static_stride");
    return detail::static_product<E>(static_cast<size_t>(i) + 1, static_cast<size_t>(E::rank()));
  }
  __host__ __device__ constexpr index_type stride(rank_type i) const noexcept {
    base::require_index(i, "stride");
    return detail::extent_product(this->shape, static_cast<size_t>(i) + 1, static_cast<size_t>(E::rank()));
  }
};
template <typename E>
layout_right_mapping(E const&) -> layout_right_mapping<E>;

/// [2.10.4]
template <extents_like E>
struct layout_left_mapping : detail::mapping_base<E, layout_left> {
  using base = detail::mapping_base<E, layout_left>;
  using base::base;
  using typename base::index_type;
  using typename base::rank_type;

  __host__ __device__ static constexpr size_t static_stride(rank_type i) noexcept {
    base::require_index(i, "static_stride");
    return detail::static_product<E>(0, static_cast<size_t>(i));
  }
  __host__ __device__ constexpr index_type stride(rank_type i) const noexcept {
    base::require_index(i, "stride");
    return detail::extent_product(this->shape, 0, static_cast<size_t>(i));
  }
};
template <typename E>
layout_left_mapping(E const&) -> layout_left_mapping<E>;

namespace detail {

template <typename T>
CUDA_TILE_CONSTEXPR T round_up(T n, T multiple) {
  checks::require<cuda_tile_stride_range>(multiple > 0 && n <= greatest_v<T> - (multiple - 1),
                                          "a padded layout", n, multiple);
  return static_cast<T>((n + multiple - 1) / multiple * multiple);
}

/// Lengths of E with dimension D rounded up to a multiple of A.
template <typename E, size_t A, size_t D>
struct padded_lengths {
  CUDA_TILE_CONSTEXPR static size_t at(size_t i) {
    size_t n = length<E>(i);
    if (i != D || n == dynamic_extent)
      return n;
    return A == dynamic_extent ? static_cast<size_t>(dynamic_extent) : round_up(n, A);
  }
};

template <typename I, typename Lengths, typename Indices>
struct make_extents_impl;
template <typename I, typename Lengths, size_t... K>
struct make_extents_impl<I, Lengths, indices<K...>> {
  using type = extents<I, Lengths::at(K)...>;
};

/// The alignment of padded rows: part of the type, or known at run time if A is dynamic.
template <typename I, size_t A>
struct alignment {
  CUDA_TILE_CONSTEXPR explicit alignment(I) {}
  CUDA_TILE_CONSTEXPR I get() const { return static_cast<I>(A); }
};
template <typename I>
struct alignment<I, dynamic_extent> {
  I value;
  CUDA_TILE_CONSTEXPR explicit alignment(I a) : value{a} {}
  CUDA_TILE_CONSTEXPR I get() const { return value; }
};

/// The mappings of padded layouts: Mapping over extents whose dimension D is padded.
template <typename E, size_t A, size_t D, template <typename> typename Mapping, typename Layout>
struct padded_mapping : mapping_base<E, Layout>, private alignment<typename E::index_type, A> {
  static_assert(A != 0, "stride-range: the alignment of a padded layout must not be 0 [2.10]");
  using base = mapping_base<E, Layout>;
  using typename base::index_type;
  using typename base::rank_type;
  static constexpr size_t dims = static_cast<size_t>(E::rank());
  using padded_extents_type =
      typename make_extents_impl<index_type, padded_lengths<E, A, D>, make_indices<dims>>::type;

  __host__ __device__ constexpr padded_mapping(E const& other, index_type a) noexcept
      : base{other}, alignment<index_type, A>{a} {}

  __host__ __device__ static constexpr size_t static_stride(rank_type i) noexcept {
    base::require_index(i, "static_stride");
    return Mapping<padded_extents_type>::static_stride(static_cast<size_t>(i));
  }
  __host__ __device__ constexpr index_type stride(rank_type i) const noexcept {
    base::require_index(i, "stride");
    return Mapping<padded_extents_type>{padded_extents()}.stride(static_cast<size_t>(i));
  }

private:
  __host__ __device__ constexpr index_type padded_extent(size_t k) const noexcept {
    index_type n = this->shape.extent(static_cast<rank_type>(k));
    return k == D ? detail::round_up(n, this->get()) : n;
  }
  template <size_t... K>
  __host__ __device__ constexpr padded_extents_type padded_extents(indices<K...>) const noexcept {
    return padded_extents_type{padded_extent(K)...};
  }
  __host__ __device__ constexpr padded_extents_type padded_extents() const noexcept {
    if constexpr (padded_extents_type::rank() == 0)
      return {};
    else
      return padded_extents(make_indices<dims>{});
  }
};

template <typename E>
using right_mapping = layout_right_mapping<E>;
template <typename E>
using left_mapping = layout_left_mapping<E>;

} // namespace detail

/// [2.10.6]
template <extents_like E, size_t A>
struct layout_right_padded_mapping : detail::padded_mapping<E, A, static_cast<size_t>(E::rank()) - 1,
                                                            detail::right_mapping, layout_right_padded<A>> {
  template <typename T>
    requires detail::convertible_to<T, typename E::index_type>
  __host__ __device__ constexpr layout_right_padded_mapping(E const& other, T alignment) noexcept
      : layout_right_padded_mapping::padded_mapping{other, static_cast<typename E::index_type>(alignment)} {}
};
template <typename E, typename A>
layout_right_padded_mapping(E const&, A)
    -> layout_right_padded_mapping<E, detail::extent_constant_or_dynamic<A>>;

/// [2.10.8]
template <extents_like E, size_t A>
struct layout_left_padded_mapping
    : detail::padded_mapping<E, A, 0, detail::left_mapping, layout_left_padded<A>> {
  template <typename T>
    requires detail::convertible_to<T, typename E::index_type>
  __host__ __device__ constexpr layout_left_padded_mapping(E const& other, T alignment) noexcept
      : layout_left_padded_mapping::padded_mapping{other, static_cast<typename E::index_type>(alignment)} {}
};
template <typename E, typename A>
layout_left_padded_mapping(E const&, A)
    -> layout_left_padded_mapping<E, detail::extent_constant_or_dynamic<A>>;

/// [2.10.10]
template <extents_like E, typename S>
  requires detail::strides_fit<E, S>
struct layout_strided_mapping : detail::mapping_base<E, layout_strided<S>> {
  static_assert(!detail::is_cv_v<S>, "the strides of a layout mapping must not be cv-qualified [2.10.10]");
  using base = detail::mapping_base<E, layout_strided<S>>;
  using typename base::index_type;
  using typename base::rank_type;

  S strides;

  __host__ __device__ constexpr layout_strided_mapping(E const& other, S const& s) noexcept
      : base{other}, strides{s} {}
  __host__ __device__ static constexpr size_t static_stride(rank_type i) noexcept {
    base::require_index(i, "static_stride");
    return detail::given_strides<S>::fixed(static_cast<size_t>(i));
  }
  __host__ __device__ constexpr index_type stride(rank_type i) const noexcept {
    base::require_index(i, "stride");
    return detail::given_strides<S>::at(strides, static_cast<size_t>(i));
  }
};
template <typename E, typename S>
layout_strided_mapping(E const&, S const&) -> layout_strided_mapping<E, S>;

/// [2.1.6.4] Same extents and same strides.
template <layout_mapping Lhs, layout_mapping Rhs>
CUDA_TILE_CONSTEXPR bool layout_mapping_equal(Lhs const& x, Rhs const& y) noexcept {
  if (!tiles::extents_equal(x.extents(), y.extents()))
    return false;
  for (size_t i = 0; i != static_cast<size_t>(Lhs::extents_type::rank()); ++i)
    if (static_cast<size_t>(x.stride(static_cast<typename Lhs::rank_type>(i))) !=
        static_cast<size_t>(y.stride(static_cast<typename Rhs::rank_type>(i))))
      return false;
  return true;
}

/// [2.10.11]
template <layout_mapping Lhs, layout_mapping Rhs>
CUDA_TILE_CONSTEXPR bool operator==(Lhs const& lhs, Rhs const& rhs) noexcept {
  return tiles::layout_mapping_equal(lhs, rhs);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI
