// [2.14] irange: increasing sequences of integers for range-based for loops.
#pragma once

#include "cuda_tile/core/conversions.h"
#include "cuda_tile/core/violation.h"
#if CUDA_TILE_RECORD
#include "cuda_tile/core/recorded.h"
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI {
namespace detail {

/// [2.14.1]
template <integral T>
struct irange_sentinel {
  static_assert(!is_cv_v<T>, "the type of an irange must not be cv-qualified [2.14.1]");
  T end;
  constexpr irange_sentinel() noexcept = default;
  __host__ __device__ constexpr irange_sentinel(T e) noexcept : end{e} {}
};

/// [2.14.3] The type of a range over bounds of types T and U: their arithmetic conversion.
template <typename T, typename U>
  requires integral<T> && integral<U> && integral<arithmetic_common_t<T, U>> &&
               (arithmetic_operand_converts<T, arithmetic_common_t<T, U>>()) &&
               (arithmetic_operand_converts<U, arithmetic_common_t<T, U>>())
using irange_common_t = arithmetic_common_t<T, U>;

} // namespace detail

template <integral T>
struct irange;

/// [2.14.2]
template <integral T>
struct irange_iterator {
  static_assert(!detail::is_cv_v<T>, "the type of an irange must not be cv-qualified [2.14.2]");
  using difference_type = ptrdiff_t; // the same as int64_t, except with NVRTC
  using value_type = T;

  constexpr irange_iterator() noexcept = default;
  __host__ __device__ constexpr irange_iterator(T current, T step) noexcept
      : current_{current}, step_{step} {}

  __host__ __device__ constexpr T operator*() const noexcept { return current_; }
  __host__ __device__ constexpr irange_iterator& operator++() noexcept {
#if CUDA_TILE_RECORD // by a name that says that the sum does not wrap
    if (!__builtin_is_constant_evaluated()) {
      current_ = detail::recorded<::cuda_tile::record::next_index<T>, T>(current_, step_);
      return *this;
    }
#endif
    current_ = static_cast<T>(current_ + step_);
#if CUDA_TILE_WARP_GROUPS
    // Open products (threads/open.h) of the loop must finish when it ends. ptxas can match them with a wait
    // on this edge, but not with one after the loop, where the path that skips the loop joins.
    if (!(current_ < end_) && !__builtin_is_constant_evaluated())
      platform::finish_groups();
#endif
    return *this;
  }
  __host__ __device__ constexpr irange_iterator operator++(int) noexcept {
    irange_iterator before = *this;
    ++*this;
    return before;
  }
  __host__ __device__ constexpr bool operator==(irange_iterator const& other) const noexcept {
    return current_ == other.current_;
  }
  __host__ __device__ constexpr bool operator==(detail::irange_sentinel<T> const& other) const noexcept {
    return !(current_ < other.end);
  }

private:
  T current_;
  T step_;
#if CUDA_TILE_WARP_GROUPS
  T end_ = {};
  friend irange<T>;
#endif
};

/// [2.14.3] lb, lb + step, … below ub. The step must be positive, and ub at most the greatest T minus step
/// plus 1.
template <integral T>
struct irange {
  static_assert(!detail::is_cv_v<T>, "the type of an irange must not be cv-qualified [2.14.3]");
  using iterator = irange_iterator<T>;
  using const_iterator = irange_iterator<T>;

  __host__ __device__ constexpr irange(T lb, T ub, T step = 1) noexcept : lb_{lb}, ub_{ub}, step_{step} {
    checks::require<cuda_tile_irange_step>(step > 0, "irange", lb, ub, step);
    checks::require<cuda_tile_irange_bound>(step <= 0 || ub <= detail::greatest_v<T> - (step - 1), "irange",
                                            lb, ub, step);
  }

  __host__ __device__ constexpr iterator begin() const noexcept {
    iterator first{lb_, step_};
#if CUDA_TILE_WARP_GROUPS
    first.end_ = ub_;
#endif
    return first;
  }
  __host__ __device__ constexpr detail::irange_sentinel<T> end() const noexcept { return {ub_}; }
  __host__ __device__ constexpr bool empty() const noexcept { return !(lb_ < ub_); }
  __host__ __device__ constexpr ptrdiff_t size() const noexcept {
    if (empty())
      return 0;
    using bits = detail::bits_t<T>;
    bits distance = static_cast<bits>(static_cast<bits>(ub_) - static_cast<bits>(lb_));
    return static_cast<ptrdiff_t>((distance - 1) / static_cast<bits>(step_) + 1);
  }
  __host__ __device__ constexpr T lower_bound() const noexcept { return lb_; }
  __host__ __device__ constexpr T upper_bound() const noexcept { return ub_; }
  __host__ __device__ constexpr T step() const noexcept { return step_; }

private:
  T lb_;
  T ub_;
  T step_;
};

template <typename U1, typename U2>
irange(U1, U2) -> irange<detail::irange_common_t<U1, U2>>;
template <typename U1, typename U2, typename U3>
irange(U1, U2, U3) -> irange<detail::irange_common_t<detail::irange_common_t<U1, U2>, U3>>;

} // namespace cuda::tiles::inline CUDA_TILE_ABI
