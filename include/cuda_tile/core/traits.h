// The few type traits that the header needs; it includes no standard library header [1.1].
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T, typename U>
inline constexpr bool is_same_v = false;
template <typename T>
inline constexpr bool is_same_v<T, T> = true;

template <typename T>
struct remove_cv {
  using type = T;
};
template <typename T>
struct remove_cv<T const> {
  using type = T;
};
template <typename T>
struct remove_cv<T volatile> {
  using type = T;
};
template <typename T>
struct remove_cv<T const volatile> {
  using type = T;
};
// A pointer's __restrict__ is a qualifier, too.
template <typename T>
struct remove_cv<T* __restrict__> {
  using type = T*;
};
template <typename T>
struct remove_cv<T* __restrict__ const> {
  using type = T*;
};
template <typename T>
using remove_cv_t = typename remove_cv<T>::type;

template <typename T>
inline constexpr bool is_const_v = false;
template <typename T>
inline constexpr bool is_const_v<T const> = true;
template <typename T>
inline constexpr bool is_volatile_v = false;
template <typename T>
inline constexpr bool is_volatile_v<T volatile> = true;
template <typename T>
inline constexpr bool is_cv_v = is_const_v<T> || is_volatile_v<T>;

template <typename T>
struct remove_pointer {
  using type = T;
};
template <typename T>
struct remove_pointer<T*> {
  using type = T;
};
template <typename T>
using remove_pointer_t = typename remove_pointer<remove_cv_t<T>>::type;
template <typename T>
inline constexpr bool is_pointer_v = !is_same_v<remove_cv_t<T>, remove_pointer_t<T>>;

template <typename T>
struct remove_reference {
  using type = T;
};
template <typename T>
struct remove_reference<T&> {
  using type = T;
};
template <typename T>
struct remove_reference<T&&> {
  using type = T;
};
template <typename T>
using remove_cvref_t = remove_cv_t<typename remove_reference<T>::type>;

template <bool Condition, typename T, typename F>
struct conditional {
  using type = T;
};
template <typename T, typename F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool Condition, typename T, typename F>
using conditional_t = typename conditional<Condition, T, F>::type;

template <typename T>
__host__ __device__ T&& declval() noexcept;

template <typename From, typename To>
concept convertible_to = requires(void (&accept)(To), From&& from) { accept(static_cast<From&&>(from)); };

template <typename T, typename... Args>
concept constructible_from = requires { T(declval<Args>()...); };

/// The requirements of std::copyable that can be tested on a type: copy construction and assignment.
template <typename T>
concept copyable = !is_const_v<T> && requires(T& a, T const& b) {
  T(b);
  a = b;
};

template <size_t... I>
struct indices {};
template <size_t N, size_t... I>
struct make_indices_impl : make_indices_impl<N - 1, N - 1, I...> {};
template <size_t... I>
struct make_indices_impl<0, I...> {
  using type = indices<I...>;
};
/// 0 … N-1; N is a rank, so the recursion is shallow.
template <size_t N>
using make_indices = typename make_indices_impl<N>::type;

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
