// Finds undefined behaviour [3.1] in the elements that a thread holds. Everything here is empty except in
// checked builds.
#pragma once

#include "cuda_tile/checked/values.h"
#include "cuda_tile/core/extents.h"
#include "cuda_tile/core/violation.h"
#include "cuda_tile/tile/conversions.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED

// ---- elementwise operations

/// The condition under which a function object is undefined: `violated(values...)` is a
/// cuda_tile_violation_kind, or -1.
template <typename F>
struct precondition {
  static constexpr char const* function = "";
};

/// Called before f is applied to each element of operands aligned to shape S.
template <typename S, typename F, typename... Operands>
CUDA_TILE_API void before_map(F, Operands const&... operands) {
  using condition = precondition<F>;
  constexpr unsigned slots = detail::distribution_of<S>::slots;
  (checks::require_some_defined(condition::function, operands), ...);
  if constexpr (requires { condition::violated(detail::operand_value(operands, 0)...); }) {
    bool holds = true;
    for (unsigned s = 0; s < slots; ++s)
      holds &= condition::violated(detail::operand_value(operands, s)...) < 0;
    if (holds)
      return;
    for (unsigned s = 0; s < slots; ++s)
      if (int kind = condition::violated(detail::operand_value(operands, s)...);
          kind >= 0 && !(checks::is_undefined(operands, s) || ...))
        checks::report<S>(static_cast<cuda_tile_violation_kind>(kind), condition::function, position<S>(s),
                          detail::operand_value(operands, s)...);
  }
}

/// The conversion of an element to E [1.7.2].
template <typename E>
struct converted_to {};
template <typename E>
struct precondition<converted_to<E>> {
  static constexpr char const* function = "conversion";
  template <typename From>
  static int violated(From x) {
    if constexpr (detail::is_floating_point_v<From> && detail::is_integral_scalar_v<E> &&
                  !detail::is_bool_v<E>) {
      constexpr double limit = 2.0 * static_cast<double>(detail::greatest_v<E> / 2 + 1);
      constexpr double least = detail::is_signed_v<E> ? -limit : 0;
      double value = detail::convert<double>(x);
      bool fits =
          value < limit && (detail::bitwidth_v<E> > 52 && least != 0 ? value >= least : value > least - 1);
      return fits ? -1 : cuda_tile_conversion_range;
    } else {
      return -1;
    }
  }
};
template <typename E, typename T>
CUDA_TILE_API void before_conversion(T const& x) {
  checks::before_map<tile_shape_t<T>>(converted_to<E>{}, x);
}

/// The bits of an element as an E [2.3.20]; only two bit patterns are values of bool.
template <typename E>
struct bits_as {};
template <typename E>
struct precondition<bits_as<E>> {
  static constexpr char const* function = "element_bitcast";
  template <typename From>
  static int violated(From x) {
    if constexpr (detail::is_bool_v<E> && !detail::is_bool_v<From>)
      return platform::bit_cast<unsigned char>(x) > 1 ? cuda_tile_bitcast_value : -1;
    else
      return -1;
  }
};
template <typename E, typename T>
CUDA_TILE_API void before_bitcast(T const& x) {
  checks::before_map<tile_shape_t<T>>(bits_as<E>{}, x);
}

// ---- parts of tiles

/// Index of a partition with length n along dimension d of a T [2.3.17].
template <typename T>
CUDA_TILE_API void before_extract(size_t index, size_t d, size_t n) {
  if (index >= detail::length<tile_shape_t<T>>(d) / n)
    checks::report(cuda_tile_extract_bounds, "extract", 0, static_cast<long long>(index), d,
                   detail::length<tile_shape_t<T>>(d) / n);
}

#else

template <typename S, typename F, typename... Operands>
CUDA_TILE_API void before_map(F, Operands const&...) {}
template <typename E, typename T>
CUDA_TILE_API void before_conversion(T const&) {}
template <typename E, typename T>
CUDA_TILE_API void before_bitcast(T const&) {}
template <typename T>
CUDA_TILE_API void before_extract(size_t, size_t, size_t) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks

#if CUDA_TILE_CHECKED
#include "cuda_tile/checked/preconditions.h"
#endif
