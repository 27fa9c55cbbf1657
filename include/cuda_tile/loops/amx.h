// Products of packed factors on AMX: of pairs of bfloat16, and of groups of four bytes.
#pragma once

#include "cuda_tile/loops/arithmetic.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

template <typename Arithmetic>
inline constexpr bool uses_tiles = requires { typename Arithmetic::tiles; };

/// Groups of four bytes as they are. Without AMX they are multiplied one by one.
template <typename L, typename R>
struct separate_bytes : ct::detail::block_arithmetic<int> {
  using factor = unsigned char;
  using otherwise = separate_bytes;
  static constexpr unsigned per_step = 4;
  static constexpr bool has_corrections = false;
  static auto splat(factor const* a) { return splat_unit(a); }
  static sums add_products(sums a, factor const* b, sums c) {
    auto groups = ct::platform::load_vector<sums>(b);
    for (int p = 0; p < 4; ++p)
      c = ct::platform::add_lanes(c, byte<L>(a, p) * byte<R>(groups, p));
    return c;
  }

  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, int*, matrix<L> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    return true;
  }
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, matrix<R> const& x) {
    loops::pack_units<4, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x);
    return true;
  }

private:
  template <typename E>
  static sums byte(sums groups, int p) {
    if constexpr (ct::detail::is_signed_v<E>)
      return (groups << (24 - 8 * p)) >> 24;
    else
      return (groups >> (8 * p)) & 255;
  }
};

/// Products that AMX adds; vectors do where the system does not permit its use.
template <typename Vectors, typename Product>
struct tile_arithmetic : Vectors {
  using tiles = Product;
};

/// Whether factors E fill AMX tiles, and panels of the right one have whole columns of tiles.
template <typename C, typename E, unsigned M, unsigned N, unsigned K>
inline constexpr bool fits_tiles =
    M >= ct::platform::amx::tile_rows && N >= ct::detail::block_lanes<C> &&
    ct::detail::block_shape<C, N>::columns % ct::platform::amx::tile_rows == 0 &&
    K * sizeof(E) % ct::platform::amx::row_bytes == 0;

/// The arithmetic for products of M x K and K x N factors, as a null pointer.
template <typename C, typename L, typename R, unsigned M, unsigned N, unsigned K>
constexpr auto choose_arithmetic() {
  using ct::detail::is_same_v;
  using product = ct::detail::amx_product<C, L, R>;
  constexpr bool tiles = product::exists && fits_tiles<C, L, M, N, K>;
  constexpr bool vectors = N >= ct::detail::block_lanes<C> && K % 4 == 0;
  if constexpr (is_same_v<C, float> && is_same_v<L, __nv_bfloat16> && is_same_v<R, L>) {
    if constexpr (tiles)
      return static_cast<tile_arithmetic<paired_arithmetic<L>, product>*>(nullptr);
    else if constexpr (ct::platform::has_bfloat16_products && vectors)
      return static_cast<paired_arithmetic<L>*>(nullptr);
    else
      return static_cast<converted_arithmetic<C, L, R>*>(nullptr);
  } else if constexpr (is_same_v<C, int> && tiles) {
    return static_cast<tile_arithmetic<separate_bytes<L, R>, product>*>(nullptr);
  } else if constexpr (ct::platform::has_byte_products && vectors && is_same_v<C, int>) {
    return static_cast<byte_arithmetic<L, R>*>(nullptr);
  } else {
    return static_cast<converted_arithmetic<C, L, R>*>(nullptr);
  }
}

/// to = (zeros ? 0 : to) + a b for Rows x Columns AMX tiles, of so many steps. The sums are added last, so
/// that subnormal ones are exact.
template <typename Product, unsigned Rows, unsigned Columns, typename C>
void multiply_tile_block(C* to, unsigned to_stride, bool zeros, char const* a, unsigned a_bytes,
                         char const* b, unsigned b_bytes, unsigned steps) {
  namespace amx = ct::platform::amx;
  constexpr unsigned side = amx::tile_rows, width = Columns * side;
  alignas(64) static constexpr C nothing[side]{};
  alignas(64) C sums[Rows * side * width];
  amx::load<0>(nothing, 0);
  amx::load<1>(nothing, 0);
  amx::load<2>(nothing, 0);
  amx::load<3>(nothing, 0);
  for (unsigned k = 0; k < steps; k += side) {
    char const *left = a + k * 4, *right = b + k * b_bytes;
    amx::load<4>(left, a_bytes);
    amx::load<6>(right, b_bytes);
    Product::template add<0, 4, 6>();
    if constexpr (Columns == 2) {
      amx::load<7>(right + amx::row_bytes, b_bytes);
      Product::template add<1, 4, 7>();
    }
    if constexpr (Rows == 2) {
      amx::load<5>(left + side * a_bytes, a_bytes);
      Product::template add<2, 5, 6>();
    }
    if constexpr (Rows == 2 && Columns == 2)
      Product::template add<3, 5, 7>();
  }
  constexpr unsigned bytes = width * sizeof(C);
  amx::store<0>(sums, bytes);
  if constexpr (Columns == 2)
    amx::store<1>(sums + side, bytes);
  if constexpr (Rows == 2)
    amx::store<2>(sums + side * width, bytes);
  if constexpr (Rows == 2 && Columns == 2)
    amx::store<3>(sums + side * width + side, bytes);
  using arithmetic = ct::detail::block_arithmetic<C>;
  using V = typename arithmetic::sums;
  constexpr unsigned lanes = ct::detail::block_lanes<C>;
  for (unsigned i = 0; i < Rows * side; ++i)
    for (unsigned j = 0; j < width; j += lanes) {
      C* const at = to + i * to_stride + j;
      V const before = zeros ? V{} : ct::platform::load_vector<V>(at);
      ct::platform::store_vector(
          at, arithmetic::add(before, ct::platform::load_vector<V>(sums + i * width + j)));
    }
}

/// The same for M rows of packed factors and a panel of `Width` columns; `pitch` in factors.
template <typename Product, unsigned M, unsigned Width, typename C, typename F>
CUDA_TILE_API void multiply_tile_rows(C* to, unsigned to_stride, bool zeros, F const* a, unsigned pitch,
                                      F const* panel, unsigned steps) {
  constexpr unsigned side = ct::platform::amx::tile_rows, rows = M >= 2 * side ? 2 : 1;
  constexpr unsigned columns = Width >= 2 * side ? 2 : 1;
  for (unsigned j = 0; j < Width; j += columns * side)
    for (unsigned i = 0; i < M; i += rows * side)
      multiply_tile_block<Product, rows, columns>(
          to + i * to_stride + j, to_stride, zeros, reinterpret_cast<char const*>(a + i * pitch),
          pitch * static_cast<unsigned>(sizeof(F)), reinterpret_cast<char const*>(panel) + j * 4, Width * 4,
          steps);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
