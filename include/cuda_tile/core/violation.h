// How checked builds report undefined behaviour [3.1], and the check of a single condition.
#pragma once

#include "cuda_tile/core/signature.h"
#include "cuda_tile/launch/violations.h"
#include "cuda_tile/platform/platform.h"
#if CUDA_TILE_CHECKED
#include "cuda_tile/platform/checks.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

inline constexpr bool enabled = CUDA_TILE_CHECKED;

/// Values of a tile's `undefined` member in fully checked builds (checked/values.h): all elements have
/// values, or none has.
inline constexpr unsigned all_defined = 0, none_defined = 1;

/// Whether an index is nonnegative and less than a count.
CUDA_TILE_CONSTEXPR bool is_index(size_t i, size_t count) { return i < count; }

#if CUDA_TILE_CHECKED

template <typename T>
CUDA_TILE_API cuda_tile_value value_of(T x) {
  cuda_tile_value value{cuda_tile::parameter_code<T>, 0};
  platform::copy_bytes(&value.bits, &x, sizeof x <= sizeof value.bits ? sizeof x : sizeof value.bits);
  return value;
}

/// Reports a violation; returns if its kind is ignored or no kernel is running. Implemented by the platform.
template <typename... Values>
CUDA_TILE_API void report_at(cuda_tile_violation_kind kind, cuda_tile_element const& element,
                             Values... values) {
  cuda_tile_violation violation{kind, element, sizeof...(Values), {checks::value_of(values)...}};
  platform::report(violation);
}

/// Not constexpr: calling it in a constant expression is an error that names the kind of violation.
template <cuda_tile_violation_kind Kind, typename... Values>
CUDA_TILE_API void violated(char const* function, Values... values) {
  checks::report_at(Kind, {function, nullptr, 0, 0}, values...);
}

/// Conditions that must hold when `function` is called with these values.
template <cuda_tile_violation_kind Kind, typename... Values>
CUDA_TILE_CONSTEXPR void require(bool holds, char const* function, Values... values) {
  if (!holds)
    checks::violated<Kind>(function, values...);
}

#else

template <cuda_tile_violation_kind Kind, typename... Values>
CUDA_TILE_CONSTEXPR void require(bool, char const*, Values...) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
