// Factors as tiles of AMX, the matrix unit of Intel's processors, and products of them: bfloat16 summed in
// float, and 8 bit integers in int. A tile has 16 rows of 64 bytes, one after the other. One of the left
// factor holds 16 of its rows; one of the right factor 16 columns, of which neighbours make units of 32 bits.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/one_thread/mma/blocks.h"
#include "cuda_tile/one_thread/mma/units.h"
#include "cuda_tile/platform/host_amx.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How elements L and R are multiplied, summed as C.
template <typename C, typename L, typename R>
struct amx_product {
  static constexpr bool exists = false;
};

template <typename L, typename R>
  requires(is_8bit_integer<L> && is_8bit_integer<R>)
struct amx_product<int, L, R> {
  static constexpr bool exists = platform::amx::has_int8;
  template <unsigned Sums, unsigned Left, unsigned Right>
  static void add() {
    platform::amx::add_products_of_int8<Sums, Left, Right, is_signed_v<L>, is_signed_v<R>>();
  }
  template <unsigned Count, typename E>
  static bool are_exact(E const*) {
    return true;
  }
};

/// Subnormal operands and sums are zeros on AMX, but not in a product of tiles. None occurs where each factor
/// is 0 or at least 2^-50: bfloat16 has 8 digits, so these factors are multiples of 2^-57, and products and
/// their sums multiples of 2^-114. A sum of multiples of 2^-114 remains one when it is rounded, since floats
/// are coarser only where they are larger. So no sum lies between 0 and 2^-114, while subnormal numbers are
/// below 2^-126.
template <>
struct amx_product<float, __nv_bfloat16, __nv_bfloat16> {
  static constexpr bool exists = platform::amx::has_bfloat16;
  template <unsigned Sums, unsigned Left, unsigned Right>
  static void add() {
    platform::amx::add_products_of_bfloat16<Sums, Left, Right>();
  }
  template <unsigned Count, typename E> // the type may be incomplete
  static bool are_exact(E const* x) {
    // Zero becomes the greatest number.
    using V = platform::vector<unsigned short>;
    constexpr unsigned lanes = platform::vector_bytes / 2;
    constexpr unsigned short least = ((127 - 50) << 8) - 1, greatest = 0xffff;
    V seen = greatest - V{};
    for (unsigned i = 0; i + lanes <= Count; i += lanes) {
      V now = (platform::load_vector<V>(x + i) << 1) - 1;
      seen = now < seen ? now : seen;
    }
    bool all = platform::is_zero((platform::vector<long long>)(seen < least));
    for (unsigned i = Count - Count % lanes; i < Count; ++i)
      all &= static_cast<unsigned short>((platform::bit_cast<unsigned short>(x[i]) << 1) - 1) >= least;
    return all;
  }
};

/// Factors F in a row of a tile of the left factor, in a column of one of the right factor, and in a tile.
template <typename F>
inline constexpr unsigned amx_depth = platform::amx::row_bytes / static_cast<unsigned>(sizeof(F));
template <typename F>
inline constexpr unsigned amx_factors = platform::amx::tile_rows * amx_depth<F>;

/// 16 rows of Depth factors, `row_step` apart, as tiles.
template <unsigned Depth, typename F>
CUDA_TILE_API void copy_rows_to_tiles(F* to, void const* from, long long row_step) {
  auto const* row = static_cast<F const*>(from);
  for (unsigned r = 0; r < platform::amx::tile_rows; ++r, row += row_step)
    for (unsigned k = 0; k < Depth; k += amx_depth<F>)
      platform::copy_vectors<platform::amx::row_bytes>(to + k * platform::amx::tile_rows + r * amx_depth<F>,
                                                       row + k);
}

/// Where units of the right factor lie: those of column j from row i of units on, where the tiles of the next
/// 16 columns are `next` factors further on.
template <typename F>
CUDA_TILE_API unsigned* place_in_tiles(F* to, unsigned next, unsigned i, unsigned j) {
  constexpr unsigned side = platform::amx::tile_rows;
  return reinterpret_cast<unsigned*>(to + j / side * next) + i * side + j % side;
}

/// to = from + a b for Rows x Columns tiles of sums and `depth` of each factor; a and b are `next` factors
/// apart from those of the next rows and columns. The sums are added last, so that subnormal ones are exact;
/// `from` may be null, for zeros.
template <typename Product, unsigned Rows, unsigned Columns, typename C, typename F>
__attribute__((noinline)) void multiply_amx_block(C* to, unsigned to_stride, C const* from,
                                                  unsigned from_stride, F const* a, F const* b, unsigned next,
                                                  unsigned depth) {
  namespace amx = platform::amx;
  constexpr unsigned side = amx::tile_rows, width = Columns * side, bytes = amx::row_bytes;
  amx::set_to_zero<0>();
  amx::set_to_zero<1>();
  amx::set_to_zero<2>();
  amx::set_to_zero<3>();
  for (unsigned k = 0; k < depth; ++k, a += amx_factors<F>, b += amx_factors<F>) {
    amx::load_passing<4>(a, bytes);
    amx::load<6>(b, bytes);
    Product::template add<0, 4, 6>();
    if constexpr (Columns == 2) {
      amx::load<7>(b + next, bytes);
      Product::template add<1, 4, 7>();
    }
    if constexpr (Rows == 2) {
      amx::load_passing<5>(a + next, bytes);
      Product::template add<2, 5, 6>();
    }
    if constexpr (Rows == 2 && Columns == 2)
      Product::template add<3, 5, 7>();
  }
  alignas(64) C sums[Rows * side * width];
  C* const target = from ? sums : to;
  unsigned const stride = from ? width : to_stride, stride_bytes = stride * unsigned(sizeof(C));
  amx::store<0>(target, stride_bytes);
  if constexpr (Columns == 2)
    amx::store<1>(target + side, stride_bytes);
  if constexpr (Rows == 2)
    amx::store<2>(target + side * stride, stride_bytes);
  if constexpr (Rows == 2 && Columns == 2)
    amx::store<3>(target + side * stride + side, stride_bytes);
  if (!from)
    return;
  using V = platform::vector<C>; // compilers would add the elements one by one
  for (unsigned i = 0; i < Rows * side; ++i)
    for (unsigned j = 0; j < width; j += block_lanes<C>)
      platform::store_vector(to + i * to_stride + j,
                             block_arithmetic<C>::add(platform::load_vector<V>(from + i * from_stride + j),
                                                      platform::load_vector<V>(sums + i * width + j)));
}

/// The same for M x N sums and factors of K, of which tiles of 16 rows or columns follow each other.
template <typename Product, unsigned M, unsigned N, unsigned K, typename C, typename F>
CUDA_TILE_API void multiply_amx_tiles(C* to, unsigned to_stride, C const* from, unsigned from_stride,
                                      F const* a, F const* b, unsigned depth = K) {
  namespace amx = platform::amx;
  constexpr unsigned side = amx::tile_rows, rows = M >= 2 * side ? 2 : 1, columns = N >= 2 * side ? 2 : 1;
  constexpr unsigned next = K * side;
  // So many tiles of the right factor stay in the first cache while those of the left one pass by.
  constexpr unsigned most = 16 * amx_depth<F>;
  amx::configure(amx::full_tiles());
  for (unsigned k = 0; k < depth; k += most) {
    unsigned const now = depth - k < most ? depth - k : most;
    for (unsigned j = 0; j < N; j += columns * side)
      for (unsigned i = 0; i < M; i += rows * side)
        detail::multiply_amx_block<Product, rows, columns>(
            to + i * to_stride + j, to_stride, from ? from + i * from_stride + j : nullptr, from_stride,
            a + i * K + k * side, b + j * K + k * side, next, now / amx_depth<F>);
    from = to;
    from_stride = to_stride;
  }
  amx::release();
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
