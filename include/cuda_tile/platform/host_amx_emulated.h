// A model of AMX for machines without it, after the definition of its instructions in Intel's manual.
#pragma once

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx {

inline constexpr bool has_bfloat16 = true, has_int8 = true;

inline bool is_permitted() { return CUDA_TILE_EMULATE_AMX != 0; }

/// The registers of a thread.
struct registers {
  configuration current;
  unsigned char tile[8][tile_rows][row_bytes];
};
inline registers& state() {
  static thread_local registers all;
  return all;
}

inline void release() {
  state() = {};
  state().current.palette = 0;
}
inline void configure(configuration const& wanted) {
  release(); // all tiles become zero
  state().current = wanted;
}

template <unsigned Tile>
inline void set_to_zero() {
  __builtin_memset(state().tile[Tile], 0, sizeof state().tile[Tile]);
}
template <unsigned Tile>
inline void load(void const* from, size_t stride) {
  registers& all = state();
  for (unsigned r = 0; r != tile_rows; ++r)
    for (unsigned i = 0; i != row_bytes; ++i)
      all.tile[Tile][r][i] = r < all.current.rows[Tile] && i < all.current.colsb[Tile]
                                 ? static_cast<unsigned char const*>(from)[r * stride + i]
                                 : 0;
}
template <unsigned Tile>
inline void load_passing(void const* from, size_t stride) {
  amx::load<Tile>(from, stride);
}
template <unsigned Tile>
inline void store(void* to, size_t stride) {
  registers const& all = state();
  for (unsigned r = 0; r != all.current.rows[Tile]; ++r)
    __builtin_memcpy(static_cast<unsigned char*>(to) + r * stride, all.tile[Tile][r],
                     all.current.colsb[Tile]);
}

template <typename T>
inline T element(unsigned tile, unsigned row, unsigned i) {
  T value;
  __builtin_memcpy(&value, state().tile[tile][row] + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
inline void set_element(unsigned tile, unsigned row, unsigned i, T value) {
  __builtin_memcpy(state().tile[tile][row] + i * sizeof(T), &value, sizeof(T));
}

/// Subnormal numbers are zero, as operands and as results.
inline float without_subnormal(float x) {
  return __builtin_fabsf(x) < __FLT_MIN__ ? __builtin_copysignf(0, x) : x;
}
inline float bfloat16_element(unsigned tile, unsigned row, unsigned i) {
  return without_subnormal(__builtin_bit_cast(float, element<unsigned short>(tile, row, i) * 0x10000u));
}

/// TDPBF16PS: products at even and at odd positions are summed separately, each in a chain of fused
/// operations.
template <unsigned Sums, unsigned Left, unsigned Right>
inline void add_products_of_bfloat16() {
  configuration const& current = state().current;
  for (unsigned m = 0; m != current.rows[Sums]; ++m)
    for (unsigned n = 0; n != current.colsb[Sums] / 4u; ++n) {
      float sum[2] = {0, 0};
      for (unsigned k = 0; k != current.colsb[Left] / 4u; ++k)
        for (unsigned p = 0; p != 2; ++p)
          sum[p] = without_subnormal(__builtin_fmaf(bfloat16_element(Left, m, 2 * k + p),
                                                    bfloat16_element(Right, k, 2 * n + p), sum[p]));
      float both = without_subnormal(sum[0] + sum[1]);
      set_element(Sums, m, n, without_subnormal(without_subnormal(element<float>(Sums, m, n)) + both));
    }
}

/// TDPBSSD, TDPBSUD, TDPBUSD, TDPBUUD: four products a sum, which wraps around.
template <unsigned Sums, unsigned Left, unsigned Right, bool LeftSigned, bool RightSigned>
inline void add_products_of_int8() {
  configuration const& current = state().current;
  auto value = [](bool is_signed, unsigned char byte) {
    return is_signed ? int{static_cast<signed char>(byte)} : int{byte};
  };
  for (unsigned m = 0; m != current.rows[Sums]; ++m)
    for (unsigned n = 0; n != current.colsb[Sums] / 4u; ++n) {
      unsigned sum = element<unsigned>(Sums, m, n);
      for (unsigned k = 0; k != current.colsb[Left] / 4u; ++k)
        for (unsigned p = 0; p != 4; ++p)
          sum += static_cast<unsigned>(value(LeftSigned, element<unsigned char>(Left, m, 4 * k + p)) *
                                       value(RightSigned, element<unsigned char>(Right, k, 4 * n + p)));
      set_element(Sums, m, n, sum);
    }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx
