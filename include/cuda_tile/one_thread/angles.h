// sin, cos and tan with one thread a block: they vectorise where all angles are moderate.
#pragma once

#include "cuda_tile/core/math_elements.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// F of moderate angles.
template <typename F>
struct of_moderate;
template <typename F>
inline constexpr bool has_moderate = false;
#define CUDA_TILE_OF_MODERATE(name)                                                                          \
  template <>                                                                                                \
  struct of_moderate<elements::name> {                                                                       \
    template <typename E>                                                                                    \
    CUDA_TILE_ALWAYS_INLINE E operator()(E a) const {                                                        \
      return detail::convert<E>(platform::name##_of_moderate(detail::convert<elements::compute_t<E>>(a)));   \
    }                                                                                                        \
  };                                                                                                         \
  template <>                                                                                                \
  inline constexpr bool has_moderate<elements::name> = true;
CUDA_TILE_OF_MODERATE(sin)
CUDA_TILE_OF_MODERATE(cos)
CUDA_TILE_OF_MODERATE(tan)
#undef CUDA_TILE_OF_MODERATE

/// Whether all of N angles are moderate.
template <unsigned N, typename E>
CUDA_TILE_API bool are_moderate_angles(E const* angles) {
  if constexpr ((is_same_v<E, float> || is_same_v<E, double>) &&
                N * sizeof(E) % platform::vector_bytes == 0) {
    using V = platform::vector<E>;
    constexpr E limit = platform::large_angle<E>;
    auto moderate = V{} == V{};
    for (unsigned i = 0; i < N; i += platform::vector_bytes / sizeof(E)) {
      V const x = platform::load_vector<V>(angles + i);
      moderate &= (x > -limit) & (x < limit);
    }
    return platform::is_zero((platform::vector<long long>)~moderate);
  } else {
    unsigned large = 0;
    for (unsigned i = 0; i < N; ++i)
      large |= platform::is_large_angle(detail::convert<elements::compute_t<E>>(angles[i]));
    return !large;
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
