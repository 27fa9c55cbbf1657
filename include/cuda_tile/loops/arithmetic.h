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
  static constexpr bool takes_right = ct::detail::is_same_v<R, factor> && per_step == 1;

  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, matrix<L> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    return true;
  }
  /// Columns of the right factor; those that are multiplied for one sum in a step are neighbours.
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, C*, matrix<R> const& x) {
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
/// as on AMX (one_thread/mma/amx.h).
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
  static bool pack_left(factor* to, unsigned pitch, matrix<factor> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    bool exact = true;
    for (unsigned i = 0; i < Rows; ++i)
      exact &= are_exact<Depth>(to + i * pitch);
    return exact;
  }
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, float*, matrix<factor> const& x) {
    loops::pack_units<2, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x);
    return are_exact<Depth * Columns>(to);
  }

private:
  template <unsigned Count>
  static bool are_exact(factor const* x) {
    return ct::detail::amx_product<float, factor, factor>::template are_exact<Count>(x);
  }
};

/// Groups of four bytes, unsigned on the left and signed on the right. Left ones that are signed are moved up
/// by 128, and sums begin with what corrects that.
template <typename L>
struct byte_arithmetic : ct::detail::block_arithmetic<int> {
  using factor = unsigned char;
  using otherwise = byte_arithmetic;
  static constexpr unsigned per_step = 4;
  static constexpr bool has_corrections = ct::detail::is_signed_v<L>;
  static auto splat(factor const* a) { return splat_unit(a); }
  static sums add_products(sums a, factor const* b, sums c) {
    return ct::platform::add_products_of_bytes(a, ct::platform::load_vector<sums>(b), c);
  }

  template <unsigned Rows, unsigned Depth>
  static bool pack_left(factor* to, unsigned pitch, matrix<L> const& x) {
    loops::pack<Rows, Depth>(to, pitch, x);
    for (unsigned i = 0; has_corrections && i < Rows; ++i)
      for (unsigned k = 0; k < Depth; ++k)
        to[i * pitch + k] ^= 0x80;
    return true;
  }
  template <unsigned Depth, unsigned Columns>
  static bool pack_right(factor* to, int* corrections, matrix<signed char> const& x) {
    loops::pack_units<4, Depth, Columns, factor>(reinterpret_cast<unsigned*>(to), x);
    constexpr unsigned lanes = ct::detail::block_lanes<int>;
    sums const moved_up = static_cast<int>(0x80808080u) - sums{};
    for (unsigned j = 0; has_corrections && j < Columns; j += lanes) {
      sums sum{};
      for (unsigned k = 0; k < Depth; k += 4)
        sum = add_products(moved_up, to + k * Columns + j * 4, sum);
      for (unsigned l = 0; l < lanes; ++l)
        corrections[j + l] =
            static_cast<int>(static_cast<unsigned>(corrections[j + l]) - static_cast<unsigned>(sum[l]));
    }
    return true;
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
