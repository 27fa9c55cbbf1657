// A number for each dimension: the base of extents, strides and offsets.
#pragma once

#include "cuda_tile/core/integral_constant.h"
#include "cuda_tile/core/violation.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// Number of values equal to Dynamic before position i.
template <auto Dynamic, auto... Values>
CUDA_TILE_CONSTEXPR size_t dynamic_before([[maybe_unused]] size_t i) {
  size_t count = 0;
  [[maybe_unused]] size_t k = 0;
  ((count += (k++ < i && Values == Dynamic) ? 1u : 0u), ...);
  return count;
}

/// The run-time numbers of dimension_values; an empty class if it has none.
template <typename I, size_t N>
struct dynamic_lengths {
#if CUDA_TILE_RECORD // clang makes a loop of the other form, which would be a loop of Tile IR
  I values[N];
  constexpr dynamic_lengths() : dynamic_lengths(make_indices<N>{}) {}
  template <size_t... K>
  constexpr dynamic_lengths(indices<K...>) : values{(static_cast<void>(K), I(0))...} {}
#else
  I values[N] = {};
#endif
  CUDA_TILE_CONSTEXPR I get(size_t i) const { return values[i]; }
  CUDA_TILE_CONSTEXPR void set(size_t i, I value) { values[i] = value; }
};
template <typename I>
struct dynamic_lengths<I, 0> {
  CUDA_TILE_CONSTEXPR I get(size_t) const { return I(0); }
  CUDA_TILE_CONSTEXPR void set(size_t, I) {}
};

/// Each number is given in the type or, where it is Kind::dynamic there, in the object. Kind has the names
/// and the violations of extents, strides or offsets.
template <typename Kind, typename I, typename Kind::type... Values>
struct dimension_values : private dynamic_lengths<I, (size_t(Values == Kind::dynamic) + ... + size_t(0))> {
  using rank_type = size_t;

  __host__ __device__ static constexpr rank_type rank() noexcept { return sizeof...(Values); }
  __host__ __device__ static constexpr rank_type rank_dynamic() noexcept {
    return (size_t(Values == Kind::dynamic) + ... + size_t(0));
  }

  constexpr dimension_values() noexcept = default;

  /// From the dynamic numbers alone.
  template <typename... Others>
    requires(sizeof...(Others) == rank_dynamic() && sizeof...(Others) != 0 &&
             (convertible_to<Others, I> && ...))
  __host__ __device__ explicit constexpr dimension_values(Others... others) noexcept {
    size_t k = 0;
    (this->set(k++, static_cast<I>(others)), ...);
  }

  /// From all numbers; the static ones must have their declared value.
  template <typename... Others>
    requires(sizeof...(Others) == rank() && rank() != rank_dynamic() && sizeof...(Others) != 0 &&
             (convertible_to<Others, I> && ...))
  __host__ __device__ explicit constexpr dimension_values(Others... others) noexcept {
    size_t k = 0;
    ((Values == Kind::dynamic
          ? this->set(k++, static_cast<I>(others))
          : checks::require<Kind::range_violation>(static_cast<I>(others) == static_cast<I>(Values),
                                                   Kind::name, static_cast<I>(others), Values)),
     ...);
  }

protected:
  __host__ __device__ static constexpr typename Kind::type static_value(rank_type i) noexcept {
    checks::require<Kind::index_violation>(checks::is_index(i, rank()), Kind::static_member, i, rank());
    return pack_element<typename Kind::type, Values...>(i);
  }
  __host__ __device__ constexpr I value(rank_type i) const noexcept {
    auto fixed = static_value(i);
    if (fixed != Kind::dynamic)
      checks::require<Kind::range_violation>(Kind::template fits<I>(fixed), Kind::member, fixed);
    return fixed == Kind::dynamic ? this->get(dynamic_before<Kind::dynamic, Values...>(i))
                                  : static_cast<I>(fixed);
  }
};

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
