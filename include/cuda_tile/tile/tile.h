// [1.6] [2.9] tile: an immutable multi-dimensional array of scalars, distributed over the threads of a block.
#pragma once

#include "cuda_tile/checked/elements.h"
#include "cuda_tile/tile/conversions.h"
#include "cuda_tile/tile/distribution.h"
#include "cuda_tile/tile/open.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {

/// [2.9.1] Trivially copyable. With one thread a block, size and alignment are those of an array of E.
template <scalar E, tile_shape S>
struct tile final {
  static_assert(!detail::is_cv_v<E> && !detail::is_cv_v<S>,
                "the element type and shape of a tile must not be cv-qualified [2.9.1]");
  using shape_type = S;
  using element_type = E;
  using rank_type = typename S::rank_type;
  using distribution = detail::distribution_of<S>;

  /// The elements are uninitialised.
  tile() = default;

  template <tile_like O>
    requires tile_convertible_to<O, tile>
  CUDA_TILE_API explicit(!non_narrowing_tile_convertible_to<O, tile>) tile(O const& other) noexcept {
    checks::before_conversion<E>(other);
    checks::after_map<void>(*this, other);
    if constexpr (scalar<O>) {
      slots[0] = detail::convert<E>(other);
    } else {
      auto const& from = detail::in_form_for<E>(other);
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < distribution::slots; ++s)
        slots[s] = detail::convert<E>(from.slots[s]);
#if CUDA_TILE_HAS_FORMS
      transposed = from.transposed;
#endif
    }
  }

  template <scalar O>
    requires(scalar_convertible_to<E, O> && shape_size_v<S> == 1)
  CUDA_TILE_API explicit(!non_narrowing_scalar_convertible_to<E, O>) operator O() const noexcept {
    checks::before_conversion<O>(*this);
    checks::require_defined("conversion to a scalar", *this);
    return detail::convert<O>(slots[0]);
  }

#if CUDA_TILE_HAS_FORMS
  /// Whether it is; see tile/transposed.h. A bool beside padding would not be folded, nor, behind the slots,
  /// what a compiler thinks may change with one of them.
  unsigned transposed = 0;
#endif
  /// What this thread holds of the tile; see tile/distribution.h. Not part of the API.
  E slots[distribution::slots];
#if CUDA_TILE_CHECKED_FULLY
  /// Which elements have no value; see checked/elements.h.
  unsigned undefined = checks::none_defined;
#endif
};

template <scalar O>
tile(O) -> tile<detail::remove_cv_t<O>, shape<>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
