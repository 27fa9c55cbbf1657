// [2.2.25] to [2.2.31] Pointer arithmetic and comparison. Operands are passed by value so that arrays decay
// to pointers.
#pragma once

#include "cuda_tile/checked/pointers.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

template <typename Ptr>
concept object_pointer_tile =
    pointer_tile<Ptr> && !is_same_v<remove_cv_t<remove_pointer_t<tile_element_t<Ptr>>>, void>;

template <typename Lhs, typename Rhs>
concept subtractable_pointers = requires(tile_element_t<Lhs> a, tile_element_t<Rhs> b) { a - b; };
template <typename Lhs, typename Rhs>
concept comparable_pointers = requires(tile_element_t<Lhs> a, tile_element_t<Rhs> b) {
  a == b;
  a < b;
};

} // namespace detail

/// [2.2.25]
template <pointer_tile Tile>
CUDA_TILE_API Tile operator+(Tile x) noexcept {
  return x;
}

/// [2.2.26]
template <pointer_tile Ptr, integral_tile Offset>
  requires broadcast_compatible<Ptr, Offset> && detail::object_pointer_tile<Ptr>
CUDA_TILE_API mutual_broadcast_t<Ptr, Offset, tile_element_t<Ptr>> operator+(Ptr ptr,
                                                                             Offset const& offset) noexcept {
  using R = mutual_broadcast_t<Ptr, Offset, tile_element_t<Ptr>>;
  checks::before_advance<tile_shape_t<R>>("operator+", false, ptr, offset);
  return detail::map<R>([](auto p, auto n) { return p + n; }, ptr, offset);
}
template <integral_tile Offset, pointer_tile Ptr>
  requires broadcast_compatible<Offset, Ptr> && detail::object_pointer_tile<Ptr>
CUDA_TILE_API mutual_broadcast_t<Offset, Ptr, tile_element_t<Ptr>> operator+(Offset offset,
                                                                             Ptr ptr) noexcept {
  using R = mutual_broadcast_t<Offset, Ptr, tile_element_t<Ptr>>;
  checks::before_advance<tile_shape_t<R>>("operator+", false, ptr, offset);
  return detail::map<R>([](auto n, auto p) { return p + n; }, offset, ptr);
}

/// [2.2.27]
template <pointer_tile Ptr, integral_tile Offset>
  requires broadcast_compatible<Ptr, Offset> && detail::object_pointer_tile<Ptr>
CUDA_TILE_API mutual_broadcast_t<Ptr, Offset, tile_element_t<Ptr>> operator-(Ptr ptr,
                                                                             Offset const& offset) noexcept {
  using R = mutual_broadcast_t<Ptr, Offset, tile_element_t<Ptr>>;
  checks::before_advance<tile_shape_t<R>>("operator-", true, ptr, offset);
  return detail::map<R>([](auto p, auto n) { return p - n; }, ptr, offset);
}

/// [2.2.28]
template <pointer_tile Lhs, pointer_tile Rhs>
  requires broadcast_compatible<Lhs, Rhs> && detail::subtractable_pointers<Lhs, Rhs>
CUDA_TILE_API mutual_broadcast_t<Lhs, Rhs, ptrdiff_t> operator-(Lhs lhs, Rhs rhs) noexcept {
  using R = mutual_broadcast_t<Lhs, Rhs, ptrdiff_t>;
  checks::before_difference<tile_shape_t<R>>(lhs, rhs);
  return detail::map<R>([](auto a, auto b) -> ptrdiff_t { return a - b; }, lhs, rhs);
}

// [2.2.29] comparison of pointers, [2.2.30] [2.2.31] with a null pointer

#define CUDA_TILE_POINTER_COMPARISON(op)                                                                     \
  template <pointer_tile Lhs, pointer_tile Rhs>                                                              \
    requires broadcast_compatible<Lhs, Rhs> && detail::comparable_pointers<Lhs, Rhs>                         \
  CUDA_TILE_API mutual_broadcast_t<Lhs, Rhs, bool> operator op(Lhs lhs, Rhs rhs) noexcept {                  \
    using R = mutual_broadcast_t<Lhs, Rhs, bool>;                                                            \
    return detail::map<R>([](auto a, auto b) -> bool { return a op b; }, lhs, rhs);                          \
  }
CUDA_TILE_POINTER_COMPARISON(==)
CUDA_TILE_POINTER_COMPARISON(!=)
CUDA_TILE_POINTER_COMPARISON(<)
CUDA_TILE_POINTER_COMPARISON(<=)
CUDA_TILE_POINTER_COMPARISON(>)
CUDA_TILE_POINTER_COMPARISON(>=)
#undef CUDA_TILE_POINTER_COMPARISON

#define CUDA_TILE_NULL_COMPARISON(op)                                                                        \
  template <pointer_tile Ptrs>                                                                               \
  CUDA_TILE_API tile_with_element_t<Ptrs, bool> operator op(Ptrs ptrs, nullptr_t) noexcept {                 \
    return detail::map<tile_with_element_t<Ptrs, bool>>([](auto p) -> bool { return p op nullptr; }, ptrs);  \
  }                                                                                                          \
  template <pointer_tile Ptrs>                                                                               \
  CUDA_TILE_API tile_with_element_t<Ptrs, bool> operator op(nullptr_t, Ptrs ptrs) noexcept {                 \
    return ptrs op nullptr;                                                                                  \
  }
CUDA_TILE_NULL_COMPARISON(==)
CUDA_TILE_NULL_COMPARISON(!=)
#undef CUDA_TILE_NULL_COMPARISON

} // namespace cuda::tiles::inline CUDA_TILE_ABI
