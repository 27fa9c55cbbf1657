// The loop over the inner dimension of a matrix product whose operands are staged in shared memory.
#pragma once

#include "cuda_tile/threads/mma/staging.h"
#include "cuda_tile/threads/mma/warp_tile.h"
#include "cuda_tile/tile/multiplication.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// What a `Product` of warp tile W provides for k_loop, besides the following:
///   sum                                  the type in which it accumulates
///   least_slice                          the shortest k-slice that it multiplies
///   left_staging, right_staging          how operands lie in shared memory (staging.h)
///   multiply<Slice>(sums, left, right)   sums += left right, for k-slices of that length
struct synchronous_product {
  /// Called between the stores of a k-slice and the barrier that follows them.
  CUDA_TILE_API static void publish() {}
  /// Waits until the sums are complete.
  template <unsigned Count, typename Sum>
  CUDA_TILE_API static void finish(Sum*) {}
};

/// acc + lhs rhs, in the longest k-slices that fit into shared memory.
template <typename Product, typename W>
struct k_loop {
  using sum = typename Product::sum;
  using left_staging = typename Product::left_staging;
  using right_staging = typename Product::right_staging;
  using left_element = typename left_staging::template matrix<Product::least_slice>::element_type;
  using right_element = typename right_staging::template matrix<Product::least_slice>::element_type;

  CUDA_TILE_CONSTEXPR static size_t bytes(unsigned slice) {
    return left_staging::elements(slice) * sizeof(left_element) +
           right_staging::elements(slice) * sizeof(right_element);
  }
  /// The length of k-slices; 0 if the shortest do not fit.
  CUDA_TILE_CONSTEXPR static unsigned find_slice() {
    unsigned slice = W::k;
    while (slice >= Product::least_slice && bytes(slice) > platform::scratch_limit)
      slice /= 2;
    return slice < Product::least_slice ? 0 : slice;
  }
  static constexpr unsigned slice = find_slice();

  template <unsigned K0, typename L, typename R>
  CUDA_TILE_API static void add_slices(sum* sums, L const& lhs, R const& rhs) {
    typename left_staging::template matrix<slice> left{
        static_cast<left_element*>(platform::scratch<bytes(slice)>())};
    typename right_staging::template matrix<slice> right{
        reinterpret_cast<right_element*>(left.at + left_staging::elements(slice))};
    platform::barrier();
    left_staging::template stage<K0, slice>(left, lhs);
    right_staging::template stage<K0, slice>(right, rhs);
    Product::publish();
    platform::barrier();
    Product::template multiply<slice>(sums, left, right);
    if constexpr (K0 + slice < W::k) {
      Product::template finish<W::D::slots>(sums);
      add_slices<K0 + slice>(sums, lhs, rhs);
    }
  }

  template <typename A, typename L, typename R>
  CUDA_TILE_API static void add_to(A& result, L const& lhs, R const& rhs) {
    using E = typename A::element_type;
    if constexpr (is_same_v<sum, E>) {
      add_slices<0>(result.slots, lhs, rhs);
    } else {
      constexpr unsigned slots = A::distribution::slots;
      sum sums[slots];
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < slots; ++s)
        sums[s] = detail::convert<sum>(result.slots[s]);
      add_slices<0>(sums, lhs, rhs);
      Product::template finish<slots>(sums);
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < slots; ++s)
        result.slots[s] = detail::convert<E>(sums[s]);
    }
  }
};

/// Whether a Product multiplies the tiles of W, whose accumulators have to be distributed by
/// distribute_matrix: it takes at least 16 rows in each batch, 8 columns, and a k-slice.
template <typename Product, typename W>
CUDA_TILE_CONSTEXPR bool is_staged() {
  if constexpr (!detail::is_matrix(W::rows, W::n, platform::block_threads) || W::m < 16 || W::n < 8 ||
                W::k < Product::least_slice)
    return false;
  else
    return k_loop<Product, W>::slice != 0;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
