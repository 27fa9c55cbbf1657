// The primitives (tile/primitives.h) that are the same in all back ends that run kernels. The primitives.h of
// such a back end includes this file last, and its other files define what is called here:
//   normal                 a tile whose elements are where the distribution of its shape puts them
//   shared_value           a tile whose elements have one value in all threads
//   rearrange              a tile made of elements of another one
//   reduce_elements, scan_elements        the loops of reductions and scans
//   choose_multiplication                 the model of matrix products (tile/multiplication.h)
//   for_each_location, update_together    access to each location of a tile of pointers
//   load_partition, store_partition       access to a partition of a span
#pragma once

#include "cuda_tile/platform/note_mma.h"
#include "cuda_tile/tile/memory_elements.h"
#include "cuda_tile/tile/multiplication.h"
#include "cuda_tile/tile/partition.h"
#include "cuda_tile/tile/primitives.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API element_t<T> only_element(T const& x) {
  return x.slots[0];
}

template <typename T, typename A>
CUDA_TILE_API void list_into(T& result, A const& values) {
  checks::define(result);
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < T::distribution::slots; ++s)
    result.slots[s] = detail::convert<typename T::element_type>(
        detail::array_element(values, T::distribution::index(t, s)));
}

template <typename R>
CUDA_TILE_API R numbered() {
  R result;
  checks::define(result);
  unsigned const t = platform::thread();
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < R::distribution::slots; ++s)
    result.slots[s] = static_cast<typename R::element_type>(R::distribution::index(t, s));
  return result;
}

template <typename R, typename T, typename... Indices>
CUDA_TILE_API R extract(T const& x, Indices... index) {
  using S = tile_shape_t<T>;
  return detail::rearrange<tile_shape_t<R>, row_major_steps<S>>(
      x, detail::partition_start<S, tile_shape_t<R>>(index...));
}

// ---- along one dimension
//
// The element with row-major index i = (o * n + k) * inner + j goes into result element o * inner + j, where
// n is the length of the reduced dimension and inner the number of elements behind it. All are powers of two.

template <size_t D, typename F, typename T>
CUDA_TILE_API reduced_tile<T, D> reduce(F f, T const& x) {
  using S = tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(detail::length_product<S>(D + 1, S::rank()));
  reduced_tile<T, D> result;
  checks::before_reduction<n, inner>(f, x);
  checks::after_reduction<n, inner>(f, result, x);
  detail::reduce_elements<n, inner>(result, f, detail::normal(x));
  return result;
}

template <size_t D, typename F, typename T>
CUDA_TILE_API T scan(F f, T const& x) {
  using S = tile_shape_t<T>;
  constexpr unsigned n = static_cast<unsigned>(length<S>(D));
  constexpr unsigned inner = static_cast<unsigned>(detail::length_product<S>(D + 1, S::rank()));
  checks::before_scan<n, inner>(f, x);
  T result = detail::normal(x);
  checks::after_scan<n, inner>(result, x);
  detail::scan_elements<n, inner>(result, f);
  return result;
}

// ---- matrix products

template <typename L, typename R, typename A>
CUDA_TILE_API A multiply_add_tiles(L const& lhs, R const& rhs, A const& acc) {
  using model = decltype(choose_multiplication<L, R, A>());
  static_assert(multiplication<model, L, R, A>);
  platform::note_mma<static_cast<unsigned>(model::unit)>();
  return model::multiply_add(lhs, rhs, acc);
}

template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs) {
  using model = decltype(choose_multiplication<L, R, A>());
  if constexpr (requires { requires model::template takes_no_accumulator<L, R, A>(); }) {
    platform::note_mma<static_cast<unsigned>(model::unit)>();
    return model::template multiply<A>(lhs, rhs);
  } else {
    return detail::multiply_add_tiles(lhs, rhs, detail::filled<A>(detail::convert<tile_element_t<A>>(0)));
  }
}

// ---- memory, by pointers

template <typename R, typename Access, typename Update, typename Ptrs, typename Value, typename Mask>
CUDA_TILE_API R update(Access access, Update kind, Ptrs const& ptrs, Value const& value, Mask const& mask) {
  using E = tile_element_t<R>;
  constexpr unsigned flags = checks::access_flags<Access, checks::reads | checks::writes>;
  tile<E, tile_shape_t<Ptrs>> old;
  checks::define(old);
  bool changed = false;
  if (!detail::update_together(old, access, kind, ptrs, value, mask))
    detail::for_each_location(
        [&](unsigned s, auto p, auto v, auto m) {
          old.slots[s] = detail::convert<E>(0);
          if (!detail::convert<bool>(m))
            return;
          old.slots[s] = detail::update_element(access, kind, p, detail::convert<E>(v));
          changed |= checks::after_update<tile_shape_t<Ptrs>, Update>(s, old.slots[s], detail::convert<E>(v));
        },
        ptrs, value, mask);
  checks::after_access<flags>(ptrs, mask, changed);
  checks::after_masked_load(old, mask);
  return static_cast<R>(detail::shared_value(old));
}

template <typename R, typename Access, typename Ptrs, typename Expected, typename Value, typename Mask>
CUDA_TILE_API R compare_exchange(Access access, Ptrs const& ptrs, Expected const& expected,
                                 Value const& value, Mask const& mask) {
  using E = tile_element_t<R>;
  using T = tile<E, tile_shape_t<Ptrs>>;
  constexpr unsigned flags = checks::access_flags<Access, checks::reads | checks::writes>;
  T old = detail::normal(detail::map<T>([](auto c) { return detail::convert<E>(c); }, expected));
  bool changed = false;
  detail::for_each_location(
      [&](unsigned s, auto p, auto v, auto m) {
        if (!detail::convert<bool>(m))
          return;
        E const wanted = old.slots[s];
        old.slots[s] = detail::exchange_element(access, p, wanted, detail::convert<E>(v));
        changed |= checks::after_exchange(old.slots[s], wanted);
      },
      ptrs, value, mask);
  checks::after_access<flags>(ptrs, mask, changed);
  return static_cast<R>(detail::shared_value(old));
}

// ---- memory, by views

template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API partition_tile<Span, Shape> load_view(Access access,
                                                    partition_index<Span, Shape, Steps> const& from) {
  return detail::load_partition<false>(access, partition<Span, Shape>(from), typename Span::value_type{});
}
template <view_padding Padding, typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API partition_tile<Span, Shape> load_view_masked(Access access,
                                                           partition_index<Span, Shape, Steps> const& from) {
  return detail::load_partition<true>(access, partition<Span, Shape>(from),
                                      detail::padding_value<Padding, typename Span::value_type>());
}

template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API void store_view(Access access, partition_index<Span, Shape, Steps> const& to,
                              partition_tile<Span, Shape> const& value) {
  detail::store_partition<false>(access, partition<Span, Shape>(to), value);
}
template <typename Access, typename Span, typename Shape, typename Steps>
CUDA_TILE_API void store_view_masked(Access access, partition_index<Span, Shape, Steps> const& to,
                                     partition_tile<Span, Shape> const& value) {
  detail::store_partition<true>(access, partition<Span, Shape>(to), value);
}

// ---- assumptions

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x) {
  if constexpr (scalar<T> && !checks::enabled)
    platform::assume((x & static_cast<T>(Divisor - 1)) == 0);
  return x;
}
template <auto Least, auto Greatest, typename T>
CUDA_TILE_API T assume_bounded(T const& x) {
  return x;
}
template <typename Blocks, typename T>
CUDA_TILE_API T assume_blocked(T const& x) {
  return x;
}
template <auto Alignment, typename T>
CUDA_TILE_API T assume_aligned(T const& x) {
  if constexpr (scalar<T> && !is_volatile_v<remove_pointer_t<T>>)
    return static_cast<T>(
        __builtin_assume_aligned(const_cast<remove_cv_t<remove_pointer_t<T>>*>(x), Alignment));
  else
    return x;
}
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T assume_runs(T const& x) {
  return x;
}

// ---- the block

CUDA_TILE_API uint3 block_index() { return platform::block_index(); }
CUDA_TILE_API dim3 block_count() { return platform::grid_blocks(); }

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
