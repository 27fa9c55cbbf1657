// [1.8] tensor span like types, [2.11] tensor_span and its accessor.
#pragma once

#include "cuda_tile/core/layouts.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.11.4] Specialise it for accessors that behave like a pointer into contiguous memory.
template <typename T>
inline constexpr bool enable_contiguous_accessor_policy = false;

/// [1.8.2] [2.1.6.2]
template <typename T>
concept accessor_policy = detail::copyable<T> && detail::is_scalar_v<typename T::element_type> &&
                          detail::is_same_v<typename T::data_handle_type, typename T::element_type*> &&
                          detail::is_same_v<typename T::reference, typename T::element_type&> &&
                          enable_contiguous_accessor_policy<T>;

/// [2.11.3]
template <typename E>
  requires detail::is_scalar_v<E>
struct default_accessor {
  using element_type = E;
  using data_handle_type = E*;
  using reference = E&;
};
template <typename E>
inline constexpr bool enable_contiguous_accessor_policy<default_accessor<E>> = true;

/// [1.8.3] [2.1.6.3]
template <typename T>
concept tensor_span_like =
    detail::copyable<T> && layout_mapping<typename T::mapping_type> &&
    accessor_policy<typename T::accessor_type> &&
    detail::is_same_v<typename T::extents_type, typename T::mapping_type::extents_type> &&
    detail::is_same_v<typename T::layout_type, typename T::mapping_type::layout_type> &&
    detail::is_same_v<typename T::index_type, typename T::extents_type::index_type> &&
    detail::is_same_v<typename T::rank_type, typename T::extents_type::rank_type> &&
    detail::is_same_v<typename T::element_type, typename T::accessor_type::element_type> &&
    detail::is_same_v<typename T::value_type, detail::remove_cv_t<typename T::element_type>> &&
    detail::is_same_v<typename T::data_handle_type, typename T::accessor_type::data_handle_type> &&
    detail::is_same_v<typename T::reference, typename T::accessor_type::reference> && requires(T const& t) {
      { t.data_handle() } -> detail::same_as<typename T::data_handle_type>;
      { t.mapping() } -> detail::same_as<typename T::mapping_type const&>;
      { t.accessor() } -> detail::same_as<typename T::accessor_type const&>;
    };

/// [2.11.1] A multi-dimensional array in memory: pointer, layout mapping, accessor.
template <typename E, extents_like Extents, typename Layout = layout_right,
          accessor_policy Accessor = default_accessor<E>>
  requires detail::is_scalar_v<E> && layout_mapping<typename Layout::template mapping<Extents>> &&
           detail::is_same_v<E, typename Accessor::element_type>
struct tensor_span {
  static_assert(!detail::is_cv_v<Extents> && !detail::is_cv_v<Layout> && !detail::is_cv_v<Accessor>,
                "the extents, layout and accessor of a tensor_span must not be cv-qualified [2.11.1]");
  using element_type = E;
  using value_type = detail::remove_cv_t<E>;
  using extents_type = Extents;
  using layout_type = Layout;
  using mapping_type = typename layout_type::template mapping<extents_type>;
  using index_type = typename extents_type::index_type;
  using rank_type = typename extents_type::rank_type;
  using accessor_type = Accessor;
  using data_handle_type = typename accessor_type::data_handle_type;
  using reference = typename accessor_type::reference;

  __host__ __device__ constexpr tensor_span(data_handle_type handle, mapping_type const& mapping,
                                            accessor_type const& accessor = {}) noexcept
      : mapping_{mapping}, accessor_{accessor}, handle_{handle} {}

  /// The layout argument only serves deduction. This is a template because NVRTC 12.9 and 13.0 ignore the
  /// constraint on a non-template.
  template <typename M = mapping_type>
    requires detail::constructible_from<M, extents_type const&>
  __host__ __device__ constexpr tensor_span(data_handle_type handle, extents_type const& extents,
                                            layout_type const& = {},
                                            accessor_type const& accessor = {}) noexcept
      : mapping_{extents}, accessor_{accessor}, handle_{handle} {}

  __host__ __device__ static constexpr rank_type rank() noexcept { return extents_type::rank(); }
  __host__ __device__ static constexpr rank_type rank_dynamic() noexcept {
    return extents_type::rank_dynamic();
  }
  __host__ __device__ static constexpr size_t static_extent(rank_type dim) noexcept {
    return extents_type::static_extent(dim);
  }
  __host__ __device__ constexpr index_type extent(rank_type dim) const noexcept {
    return mapping_.extents().extent(dim);
  }
  __host__ __device__ constexpr extents_type const& extents() const noexcept { return mapping_.extents(); }
  __host__ __device__ constexpr mapping_type const& mapping() const noexcept { return mapping_; }
  __host__ __device__ constexpr accessor_type const& accessor() const noexcept { return accessor_; }
  __host__ __device__ constexpr data_handle_type data_handle() const noexcept { return handle_; }

private:
  [[no_unique_address]] mapping_type mapping_;
  [[no_unique_address]] accessor_type accessor_;
  [[no_unique_address]] data_handle_type handle_;
};

template <typename T, layout_mapping M, typename A = default_accessor<T>>
tensor_span(T*, M const&, A const& = {})
    -> tensor_span<T, typename M::extents_type, typename M::layout_type, A>;
template <typename T, extents_like E, typename L = layout_right, typename A = default_accessor<T>>
tensor_span(T*, E const&, L const& = {}, A const& = {}) -> tensor_span<T, E, L, A>;

/// [2.11.2] Tensor spans that can be stored to.
template <typename T>
concept storeable_tensor_span = tensor_span_like<T> && !detail::is_cv_v<typename T::element_type>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
