// Which elements of tiles have values [2.9.1], in fully checked builds. Everything here is empty in others.
//
// A tile in such a build has a member `undefined`, which says which of its elements have no value: 0 for
// none, 1 for all, or the number under which the launcher keeps a flag for each.
#pragma once

#include "cuda_tile/core/extents.h"
#include "cuda_tile/core/violation.h"
#include "cuda_tile/tile/conversions.h"
#include CUDA_TILE_STORAGE

#if CUDA_TILE_CHECKED
// What checks require of back ends, besides the elements that a thread holds (storage.h).
namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
/// An operand broadcast to shape S.
template <typename S, typename Operand>
CUDA_TILE_API decltype(auto) aligned_operand(Operand const& operand);
/// The tile r with r(i) = x(position(i)), where i is row-major.
template <typename T, typename Position>
CUDA_TILE_API T taken(T const& x, Position position);
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED

/// The lengths of a shape as reports hold them.
template <typename S>
struct shape_lengths {
  unsigned at[S::rank() + 1];
  constexpr shape_lengths() : at{} {
    for (size_t d = 0; d != S::rank(); ++d)
      at[d] = static_cast<unsigned>(detail::length<S>(d));
  }
};
template <typename S>
inline constexpr shape_lengths<S> lengths_of{};

template <typename S>
CUDA_TILE_API cuda_tile_element element_of(char const* function, unsigned position) {
  return {function, lengths_of<S>.at, static_cast<unsigned>(S::rank()), position};
}

/// Reports a violation at an element of a tile of shape S; returns if its kind is ignored.
template <typename S = shape<>, typename... Values>
CUDA_TILE_API void report(cuda_tile_violation_kind kind, char const* function, unsigned position,
                          Values... values) {
  checks::report_at(kind, checks::element_of<S>(function, position), values...);
}

/// Position in a tile of shape S of the element that this thread holds in slot s.
template <typename S>
CUDA_TILE_API unsigned position(unsigned s) {
  return detail::distribution_of<S>::index(platform::thread(), s);
}

#endif

#if CUDA_TILE_CHECKED_FULLY

template <typename T>
CUDA_TILE_API unsigned char const* undefined_elements(T const& x) {
  return platform::current_block->checks->undefined(platform::current_block, x.undefined);
}

/// Whether element s of an operand has no value; a tile of one element stands for all of them.
template <typename T>
CUDA_TILE_API bool is_undefined(T const& x, unsigned s) {
  if constexpr (scalar<T>)
    return false;
  else
    return x.undefined != all_defined &&
           (x.undefined == none_defined ||
            checks::undefined_elements(x)[T::distribution::size == 1 ? 0 : s] != 0);
}

/// Every element of an operand must have a value where the mask, which has the same shape, is true.
template <typename T, typename Mask = bool>
CUDA_TILE_API void require_defined(char const* function, T const& x, Mask const& mask = true) {
  if constexpr (!scalar<T>)
    if (x.undefined != all_defined)
      for (unsigned s = 0; s < T::distribution::size; ++s)
        if (detail::convert<bool>(detail::operand_value(mask, s)) && checks::is_undefined(x, s))
          return checks::report<tile_shape_t<T>>(cuda_tile_uninitialized_tile, function, s);
}

/// Reports a tile when it is first used if none of its elements has a value.
template <typename T>
CUDA_TILE_API void require_some_defined(char const* function, T const& x) {
  if constexpr (!scalar<T>)
    if (x.undefined == none_defined)
      checks::report<tile_shape_t<T>>(cuda_tile_uninitialized_tile, function, 0);
}

/// Records the elements of a result for which `is_undefined(s)` is true as having no value.
template <typename R, typename F>
CUDA_TILE_API void set_undefined(R& result, F is_undefined) {
  unsigned char flags[R::distribution::size];
  for (unsigned s = 0; s < R::distribution::size; ++s)
    flags[s] = is_undefined(s);
  auto* block = platform::current_block;
  result.undefined = block->checks->keep_undefined(block, flags, R::distribution::size);
}

/// All elements of a result have values.
template <typename R>
CUDA_TILE_API void define(R& result) {
  result.undefined = all_defined;
}

/// Element i of a result is element position(i) of `from`.
template <typename R, typename From, typename Position>
CUDA_TILE_API void after_rearrange(R& result, From const& from, Position position) {
  checks::define(result);
  if (from.undefined == none_defined)
    checks::report<tile_shape_t<From>>(cuda_tile_uninitialized_tile, "", 0);
  else if (from.undefined != all_defined)
    checks::set_undefined(result, [&](unsigned i) { return checks::is_undefined(from, position(i)); });
}

/// Values that decide the result of a function object, whatever its other operand is.
template <typename F>
struct decision {
  template <typename E>
  static bool is_made_by(E) {
    return false;
  }
};

template <typename F, typename T>
CUDA_TILE_API bool is_decided_by(T const& x, unsigned s) {
  return !checks::is_undefined(x, s) && decision<F>::is_made_by(detail::operand_value(x, s));
}

/// An element of the result of F has a value if the elements of all operands do, or if one of them decides.
template <typename F, typename R, typename... Operands>
CUDA_TILE_API void after_map(R& result, Operands const&... operands) {
  checks::define(result);
  auto some_undefined = [](auto const& x) {
    if constexpr (scalar<detail::remove_cvref_t<decltype(x)>>)
      return false;
    else
      return x.undefined != all_defined;
  };
  if ((some_undefined(operands) || ...))
    checks::set_undefined(result, [&](unsigned s) {
      return (checks::is_undefined(operands, s) || ...) && !(checks::is_decided_by<F>(operands, s) || ...);
    });
}

/// The result consists of alternating runs of Run elements from `x` and `y` [2.3.14].
template <unsigned Run, typename R, typename T>
CUDA_TILE_API void after_cat(R& result, T const& x, T const& y) {
  checks::define(result);
  checks::require_some_defined("cat", x);
  checks::require_some_defined("cat", y);
  if (x.undefined != all_defined || y.undefined != all_defined)
    checks::set_undefined(result, [&](unsigned i) {
      return checks::is_undefined(i / Run % 2 == 0 ? x : y, i / (2 * Run) * Run + i % Run);
    });
}

/// When a reduction by F is undefined for the elements of one result, in any order: the N elements begin at
/// `from` and are `step` apart.
template <typename F>
struct reduction_condition {
  static constexpr char const *reduction = "a reduction", *scan = "a scan";
};

/// Whether one of n elements, which are `step` apart beginning with `first`, has no value.
template <typename T>
CUDA_TILE_API bool is_any_undefined(T const& a, unsigned first, unsigned n, unsigned step) {
  bool found = false;
  for (unsigned k = 0; k < n; ++k)
    found = found || checks::is_undefined(a, first + k * step);
  return found;
}

/// Called before the reduction or scan `function` of N elements that are Inner apart.
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void before_folding(char const* function, T const& a) {
  using condition = reduction_condition<F>;
  checks::require_some_defined(function, a);
  if constexpr (requires { condition::template violated<N>(a.slots, Inner); })
    for (unsigned first = 0; first < T::distribution::size;
         first += first % Inner == Inner - 1 ? Inner * (N - 1) + 1 : 1)
      if (int kind = condition::template violated<N>(a.slots + first, Inner);
          kind >= 0 && !checks::is_any_undefined(a, first, N, Inner))
        checks::report<tile_shape_t<T>>(static_cast<cuda_tile_violation_kind>(kind), function, first);
}
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void before_reduction(F, T const& a) {
  checks::before_folding<N, Inner, F>(reduction_condition<F>::reduction, a);
}
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void before_scan(F, T const& a) {
  checks::before_folding<N, Inner, F>(reduction_condition<F>::scan, a);
}

/// Whether one of n elements, which are `step` apart beginning with `first`, decides the result of F.
template <typename F, typename T>
CUDA_TILE_API bool is_decided_by_any(T const& a, unsigned first, unsigned n, unsigned step) {
  bool found = false;
  for (unsigned k = 0; k < n; ++k)
    found = found || checks::is_decided_by<F>(a, first + k * step);
  return found;
}

/// The result of a reduction by F of N elements that are Inner apart has a value if all of them do, or if one
/// of them decides.
template <unsigned N, unsigned Inner, typename F, typename R, typename T>
CUDA_TILE_API void after_reduction(F, R& result, T const& a) {
  checks::define(result);
  if (a.undefined != all_defined)
    checks::set_undefined(result, [&](unsigned i) {
      unsigned const first = i / Inner * Inner * N + i % Inner;
      return checks::is_any_undefined(a, first, N, Inner) &&
             !checks::is_decided_by_any<F>(a, first, N, Inner);
    });
}
/// Like after_reduction, for the elements up to and including each one; no element decides the result of a
/// scan.
template <unsigned N, unsigned Inner, typename R, typename T>
CUDA_TILE_API void after_scan(R& result, T const& a) {
  if (a.undefined != all_defined)
    checks::set_undefined(result, [&](unsigned i) {
      unsigned const k = i / Inner % N;
      return checks::is_any_undefined(a, i - k * Inner, k + 1, Inner);
    });
}

#else

template <typename F, typename R, typename... Operands>
CUDA_TILE_API void after_map(R&, Operands const&...) {}
template <typename R>
CUDA_TILE_API void define(R&) {}
template <typename R, typename From, typename Position>
CUDA_TILE_API void after_rearrange(R&, From const&, Position) {}
template <unsigned Run, typename R, typename T>
CUDA_TILE_API void after_cat(R&, T const&, T const&) {}
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void before_reduction(F, T const&) {}
template <unsigned N, unsigned Inner, typename F, typename T>
CUDA_TILE_API void before_scan(F, T const&) {}
template <unsigned N, unsigned Inner, typename F, typename R, typename T>
CUDA_TILE_API void after_reduction(F, R&, T const&) {}
template <unsigned N, unsigned Inner, typename R, typename T>
CUDA_TILE_API void after_scan(R&, T const&) {}
template <typename T, typename Mask = bool>
CUDA_TILE_API void require_defined(char const*, T const&, Mask const& = true) {}
template <typename T>
CUDA_TILE_API void require_some_defined(char const*, T const&) {}
template <typename T>
CUDA_TILE_API bool is_undefined(T const&, unsigned) {
  return false;
}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
