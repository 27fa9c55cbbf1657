// How the factors of products are packed, multiplied and summed: in the type of the sums, or as pairs of
// bfloat16 and groups of four bytes, where processors multiply these.
#pragma once

#include "cuda_tile/loops/packing.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Factors L and R, summed as C. Functions that pack return whether the arithmetic is exact for the factors,
/// else `otherwise` is used, which takes the same packed factors.
template <typename C, typename L, typename R>
struct converted_arithmetic : ct::detail::block_arithmetic<C> {
  using factor = typename ct::detail::block_arithmetic<C>::factor;
  using otherwise = converted_arithmetic;
  static constexpr unsigned per_step = ct::detail::block_arithmetic<C>::per_step;
  static constexpr bool has_corrections = false;
  /// Whether factors are multiplied as they are, so that those in the right order need not be packed.
  static constexpr bool takes_left = ct::detail::is_same_v<L, factor>;
  static constexpr bool takes_left_rows = takes_left; // however far apart
  static constexpr bool takes_right = ct::detail::is_same_v<R, factor> && per_step == 1;

  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, C*, matrix<L> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    return true;
  }
  /// Columns of the right factor; those that are multiplied for one sum in a step are neighbours.
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, matrix<R> const& x) {
    if constexpr (per_step == 1)
      loops::pack<Depth, Columns>(to, Columns, x);
    else
      loops::pack_units<per_step, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x);
    return true;
  }
};

/// 32 bits of packed factors in all lanes.
CUDA_TILE_API ct::platform::vector<int> splat_unit(void const* from) {
  int unit;
  __builtin_memcpy(&unit, from, sizeof unit);
  return unit - ct::platform::vector<int>{};
}

/// Pairs of bfloat16, E, as floats.
template <typename E>
struct separate_pairs : ct::detail::block_arithmetic<float> {
  using factor = E;
  static constexpr unsigned per_step = 2;
  static auto splat(factor const* a) { return splat_unit(a); }
  static sums add_products(ct::platform::vector<int> a, factor const* b, sums c) {
    using V = ct::platform::vector<int>;
    auto pairs = ct::platform::load_vector<V>(b);
    constexpr int upper = static_cast<int>(0xffff0000u);
    c = ct::platform::multiply_add_vectors((sums)(a << 16), (sums)(pairs << 16), c);
    return ct::platform::multiply_add_vectors((sums)(a & upper), (sums)(pairs & upper), c);
  }
};

/// Pairs of bfloat16, in which subnormal numbers count as zero. None occurs where no factor is below 2^-50,
/// as on AMX (one_thread/mma/amx_tiles.h).
template <typename E>
struct paired_arithmetic : separate_pairs<E> {
  using factor = E;
  using otherwise = separate_pairs<E>;
  using typename separate_pairs<E>::sums;
  static constexpr bool has_corrections = false;
  static sums add_products(ct::platform::vector<int> a, factor const* b, sums c) {
    using V = ct::platform::vector<int>;
    if constexpr (ct::platform::has_bfloat16_products)
      return ct::platform::add_products_of_bfloat16(a, ct::platform::load_vector<V>(b), c);
    else
      return separate_pairs<E>::add_products(a, b, c);
  }

  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, float*, matrix<factor> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    bool exact = true;
    for (unsigned i = 0; i < Rows; ++i)
      exact &= are_exact<Depth>(to + i * pitch);
    return exact;
  }
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, matrix<factor> const& x) {
    loops::pack_units<2, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x);
    return are_exact<Depth * Columns>(to);
  }

private:
  template <unsigned Count>
  static bool are_exact(factor const* x) {
    return ct::detail::amx_product<float, factor, factor>::template are_exact<Count>(x);
  }
};

/// Groups of four bytes, of which the instruction takes unsigned ones from one factor and signed ones from
/// the other. Where both have the same sign, the bytes of the right factor are moved by 128 when they are
/// packed, to the other sign, and the sums of each row begin with what corrects that.
template <typename L, typename R>
struct byte_arithmetic : ct::detail::block_arithmetic<int> {
  using factor = unsigned char;
  using otherwise = byte_arithmetic;
  static constexpr unsigned per_step = 4;
  static constexpr bool has_corrections = ct::detail::is_signed_v<L> == ct::detail::is_signed_v<R>;
  static constexpr bool takes_left_rows = true; // however far apart
  static auto splat(factor const* a) { return splat_unit(a); }
  static sums add_products(sums a, factor const* b, sums c) {
    return add_groups(a, ct::platform::load_vector<sums>(b), c);
  }

  /// The corrections are the products with 128, or -128, which is what unsigned or signed bytes were moved
  /// by.
  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, int* corrections, matrix<L> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    correct<Rows, Depth>(corrections, to, pitch);
    return true;
  }
  /// Subtracts the sums of rows, packed or not.
  template <unsigned Rows, unsigned Depth>
  static void correct(int* corrections, factor const* from, unsigned pitch) {
    for (unsigned i = 0; has_corrections && i < Rows; ++i)
      corrections[i] = ct::elements::sub{}(corrections[i], moved_sum<Depth>(from + i * pitch));
  }
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, matrix<R> const& x) {
    loops::pack_units<4, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x,
                                                 has_corrections ? highest_bits : 0);
    return true;
  }

private:
  static constexpr unsigned highest_bits = 0x80808080u;

  static sums add_groups(sums left, sums right, sums c) {
    if constexpr (ct::detail::is_signed_v<L>)
      return ct::platform::add_products_of_bytes(right, left, c);
    else
      return ct::platform::add_products_of_bytes(left, right, c);
  }
  /// The sum of the products of a row with the distance by which the right factor is moved.
  template <unsigned Depth>
  static int moved_sum(factor const* row) {
    constexpr unsigned at_once = sizeof(sums), rest = Depth % at_once;
    sums const distance = static_cast<int>(highest_bits) - sums{};
    sums sum{};
    for (unsigned k = 0; k + at_once <= Depth; k += at_once)
      sum = add_groups(ct::platform::load_vector<sums>(row + k), distance, sum);
    if constexpr (rest != 0) {
      sums last{};
      __builtin_memcpy(&last, row + Depth - rest, rest);
      sum = add_groups(last, distance, sum);
    }
    using wrapping = ct::platform::vector<unsigned>;
    wrapping lanes[] = {(wrapping)sum};
    return static_cast<int>(ct::detail::reduce_lanes<ct::elements::add>(lanes));
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
