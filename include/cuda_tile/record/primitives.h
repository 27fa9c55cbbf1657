// The back end of record mode: primitives (tile/primitives.h) are calls, which a translator reads in LLVM IR
// (pycuda_tile/tileir/cxx). Here are those that need no file of their own.
#pragma once

#include "cuda_tile/record/folds.h"
#include "cuda_tile/record/map.h"
#include "cuda_tile/record/printf.h"
#include "cuda_tile/record/views.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename T>
CUDA_TILE_API decltype(auto) computed(T const& x) {
  return (x);
}
template <typename R>
CUDA_TILE_API R filled(typename R::element_type x) {
  return back_end::tile_of_element<R>(x);
}
template <typename R>
CUDA_TILE_API R numbered() {
  return back_end::tile_of<R, back_end::record::iota<back_end::described_t<R>>>();
}

namespace back_end {

template <typename T, typename A, size_t... I>
CUDA_TILE_API T listed(A const& values, indices<I...>) {
  return back_end::tile_of<T, record::listed<described_t<T>>>(
      detail::to_travel(detail::array_element(values, static_cast<unsigned>(I)))...);
}

} // namespace back_end

template <typename T, typename A>
CUDA_TILE_API void list_into(T& result, A const& values) {
  using given = tile<typename array_parts<A>::element, tile_shape_t<T>>;
  detail::convert_into(result, back_end::listed<given>(values, make_indices<tile_size_v<T>>{}));
}

// ---- shapes

template <typename R, typename T>
CUDA_TILE_API R reshape(T const& x) {
  return back_end::tile_of<R, back_end::record::reshape<back_end::described_t<R>>>(x.handle);
}

namespace back_end {

template <typename R, typename Map, typename T, size_t... D>
CUDA_TILE_API R permuted(T const& x, indices<D...>) {
  return back_end::tile_of<R, record::permute<described_t<R>, static_cast<unsigned>(Map::mapping(D))...>>(
      x.handle);
}

} // namespace back_end

template <typename R, typename Map, typename T>
CUDA_TILE_API R permute(T const& x) {
  return back_end::permuted<R, Map>(x, make_indices<tile_rank_v<R>>{});
}
template <typename R, typename T, typename... Indices>
CUDA_TILE_API R extract(T const& x, Indices... index) {
  return back_end::tile_of<R, back_end::record::extract<back_end::described_t<R>>>(
      x.handle, static_cast<unsigned>(index)...);
}
template <typename T, typename Part, typename... Indices>
CUDA_TILE_API T insert_part(T const& x, Part const& part, Indices... index) {
  return back_end::tile_of<T, back_end::record::insert<back_end::described_t<T>>>(
      x.handle, part.handle, static_cast<unsigned>(index)...);
}
#if !CUDA_TILE_COMPOSED
template <typename R, size_t D, typename T>
CUDA_TILE_API R repack_elements(T const& x) {
  using operation =
      back_end::record::repack<back_end::described_t<R>, back_end::described_t<T>, static_cast<unsigned>(D)>;
  return back_end::tile_of<R, operation>(x.handle);
}
#endif
template <typename R, size_t D, typename T>
CUDA_TILE_API R cat(T const& x, T const& y) {
  return back_end::tile_of<R, back_end::record::cat<back_end::described_t<R>, static_cast<unsigned>(D)>>(
      x.handle, y.handle);
}

// ---- products

namespace back_end {

/// Whether numbers of a product are signed; of floats that says nothing.
template <typename T>
CUDA_TILE_CONSTEXPR bool are_signed() {
  if constexpr (is_integral_scalar_v<tile_element_t<T>>)
    return is_signed_v<tile_element_t<T>>;
  else
    return true;
}

} // namespace back_end

template <typename L, typename R, typename A>
CUDA_TILE_API A multiply_add_tiles(L const& lhs, R const& rhs, A const& acc) {
  using operation =
      back_end::record::mma<back_end::described_t<A>, back_end::are_signed<L>(), back_end::are_signed<R>()>;
  return back_end::tile_of<A, operation>(lhs.handle, rhs.handle, acc.handle);
}
template <typename A, typename L, typename R>
CUDA_TILE_API A multiply_tiles(L const& lhs, R const& rhs) {
  return detail::multiply_add_tiles(lhs, rhs, detail::filled<A>(detail::convert<tile_element_t<A>>(0)));
}
template <typename L, typename LS, typename R, typename RS, typename A>
CUDA_TILE_API A multiply_scaled_tiles(L const& lhs, LS const& lhs_scale, R const& rhs, RS const& rhs_scale,
                                      A const& acc) {
  using operation = back_end::record::scaled_mma<back_end::described_t<A>, back_end::described_t<L>,
                                                 back_end::described_t<R>>;
  return back_end::tile_of<A, operation>(lhs.handle, rhs.handle, acc.handle, lhs_scale.handle,
                                         rhs_scale.handle);
}

// ---- assumptions

namespace back_end {

template <typename Operation, typename T>
CUDA_TILE_API T assumed(T const& x) {
  if constexpr (scalar<T>)
    return record::pure<Operation, remove_cv_t<T>>(x);
  else
    return back_end::tile_of<T, Operation>(x.handle);
}
template <typename Blocks, typename T, size_t... D>
CUDA_TILE_API T blocked(T const& x, indices<D...>) {
  return back_end::assumed<
      record::assume_blocked<described_t<T>, static_cast<unsigned>(length<Blocks>(D))...>>(x);
}
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T divisible(T const& x) {
  return back_end::assumed<record::assume_divisible<described_t<T>, static_cast<long long>(Divisor),
                                                    static_cast<int>(Stride), static_cast<int>(D)>>(x);
}

} // namespace back_end

template <auto Divisor, typename T>
CUDA_TILE_API T assume_divisible(T const& x) {
  return back_end::divisible<Divisor, 0, 0>(x);
}
template <auto Least, auto Greatest, typename T>
CUDA_TILE_API T assume_bounded(T const& x) {
  return back_end::assumed<back_end::record::assume_bounded<
      back_end::described_t<T>, static_cast<long long>(Least), static_cast<long long>(Greatest)>>(x);
}
template <typename Blocks, typename T>
CUDA_TILE_API T assume_blocked(T const& x) {
  return back_end::blocked<Blocks>(x, make_indices<tile_rank_v<T>>{});
}
template <auto Alignment, typename T>
CUDA_TILE_API T assume_aligned(T const& x) {
  return back_end::divisible<Alignment, 0, 0>(x);
}
template <auto Divisor, auto Stride, auto D, typename T>
CUDA_TILE_API T assume_runs(T const& x) {
  return back_end::divisible<Divisor, Stride, D>(x);
}

// ---- the block

CUDA_TILE_API uint3 block_index() {
  namespace record = back_end::record;
  return {record::pure<record::block_index<0>, unsigned>(), record::pure<record::block_index<1>, unsigned>(),
          record::pure<record::block_index<2>, unsigned>()};
}
CUDA_TILE_API dim3 block_count() {
  namespace record = back_end::record;
  return {record::pure<record::block_count<0>, unsigned>(), record::pure<record::block_count<1>, unsigned>(),
          record::pure<record::block_count<2>, unsigned>()};
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
