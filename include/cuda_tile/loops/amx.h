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

private:
  template <typename E>
  static sums byte(sums groups, int p) {
    if constexpr (ct::detail::is_signed_v<E>)
      return (groups << (24 - 8 * p)) >> 24;
    else
      return (groups >> (8 * p)) & 255;
  }
};

/// 16 rows of Depth factors as tiles, of which those of a column are neighbours, and columns `step` apart.
template <unsigned Depth, typename F>
CUDA_TILE_API void transpose_to_tiles(F* to, void const* from, long long step) {
  constexpr unsigned side = ct::platform::amx::tile_rows, count = sizeof(unsigned) / sizeof(F);
  using part = ct::platform::vector<ct::detail::bits_t<F>, side * sizeof(F)>;
  using units = ct::platform::vector<unsigned, side * sizeof(unsigned)>;
  auto const* column = static_cast<F const*>(from);
  for (unsigned k = 0; k < Depth; k += side * count) {
    units square[side]{};
    for (units& row : square)
      for (unsigned p = 0; p < count; ++p, column += step)
        row |= __builtin_convertvector(ct::platform::load_vector<part>(column), units)
               << (8 * static_cast<unsigned>(sizeof(F)) * p);
    loops::transpose_vectors<1>(square);
    for (units const& row : square) {
      ct::platform::store_vector(to, row);
      to += side * count;
    }
  }
}

/// Products of tiles, which AMX adds, and `Vectors` where the system does not permit its use or they would
/// not be exact.
template <typename Vectors, typename Product>
struct tile_arithmetic : Vectors {
  using tiles = Product;
  using factor = typename Vectors::factor;
  using otherwise = typename Vectors::otherwise;
  static constexpr unsigned side = ct::platform::amx::tile_rows;

  /// Tiles of the next rows are `next` factors further on.
  template <unsigned Rows, unsigned Depth, typename E>
  static bool pack_left(factor* to, unsigned next, matrix<E> const& x) {
    bool exact = true;
    for (unsigned i = 0; i < Rows; i += side, to += next) {
      matrix<E> const rows = x.part(i, 0);
      if (rows.rows >= side && rows.columns >= Depth && rows.column_step == 1) {
        ct::detail::copy_rows_to_tiles<Depth>(to, rows.from, rows.row_step);
      } else if (rows.rows >= side && rows.columns >= Depth && rows.row_step == 1) {
        loops::transpose_to_tiles<Depth>(to, rows.from, rows.column_step);
      } else {
        alignas(64) factor packed[side * Depth];
        loops::pack<side, Depth>(packed, Depth, rows);
        ct::detail::copy_rows_to_tiles<Depth>(to, packed, Depth);
      }
      exact &= Product::template are_exact<side * Depth>(to);
    }
    return exact;
  }
  template <unsigned Depth, unsigned Columns, typename E>
  static bool pack_right(factor* to, unsigned next, matrix<E> const& x) {
    loops::pack_units<Vectors::per_step, Depth, Columns, factor>(
        [=](unsigned i, unsigned j) { return ct::detail::place_in_tiles(to, next, i, j); }, x);
    bool exact = true;
    for (unsigned j = 0; j < Columns; j += side, to += next)
      exact &= Product::template are_exact<side * Depth>(to);
    return exact;
  }

  /// sums = (is_zero ? 0 : sums) + a b of so many steps, for M x N sums and packed factors of K.
  template <unsigned M, unsigned N, unsigned K, typename C>
  static void multiply(C* sums, unsigned row_step, bool is_zero, factor const* a, factor const* b,
                       unsigned depth) {
    ct::platform::note_mma<static_cast<unsigned>(ct::detail::mma_unit::amx)>();
    ct::detail::multiply_amx_tiles<Product, M, N, K>(sums, row_step, is_zero ? nullptr : sums, row_step, a, b,
                                                     depth);
  }
  template <unsigned M, unsigned N, unsigned K, typename C>
  static void multiply_otherwise(C* sums, unsigned row_step, bool is_zero, factor const* a, factor const* b,
                                 unsigned depth) {
    ct::platform::note_mma<static_cast<unsigned>(ct::detail::mma_unit::blocks)>();
    constexpr unsigned width = ct::detail::amx_depth<factor>, steps = width / Vectors::per_step;
    constexpr C zeros[side]{};
    for (unsigned k = 0; k < depth; k += width, is_zero = false)
      for (unsigned i = 0; i < M; i += side)
        for (unsigned j = 0; j < N; j += side) {
          C* const to = sums + i * row_step + j;
          auto const from = is_zero ? ct::detail::addend<C>{zeros, 0} : ct::detail::addend<C>{to, row_step};
          ct::detail::multiply_rows<otherwise, side, side / ct::detail::block_lanes<C>>(
              0, side, to, row_step, from, a + i * K + k * side, width, b + j * K + k * side, steps);
        }
  }
};

/// Whether factors E fill AMX tiles.
template <typename E, unsigned M, unsigned N, unsigned K>
inline constexpr bool fits_tiles = M >= ct::platform::amx::tile_rows && N >= ct::platform::amx::tile_rows &&
                                   K * sizeof(E) % ct::platform::amx::row_bytes == 0;

/// The arithmetic for products of M x K and K x N factors, as a null pointer.
template <typename C, typename L, typename R, unsigned M, unsigned N, unsigned K>
constexpr auto choose_arithmetic() {
  using ct::detail::is_same_v;
  using product = ct::detail::amx_product<C, L, R>;
  constexpr bool tiles = product::exists && fits_tiles<L, M, N, K>;
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

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
