// fp8 as half, two elements at a time: half represents every value of both fp8 types exactly.
#pragma once

#include "cuda_tile/core/convert.h"
#include "cuda_tile/platform/mma_sync.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

template <typename E>
inline constexpr bool is_fp8 = is_same_v<E, __nv_fp8_e4m3> || is_same_v<E, __nv_fp8_e5m2>;

/// Makes two halves of the elements in the upper bytes of each.
template <typename E>
CUDA_TILE_API unsigned halves_of(unsigned upper) {
  if constexpr (is_same_v<E, __nv_fp8_e5m2>) {
    return upper;
  } else {
    // A half of the same exponent and mantissa bits is 2^8 times too small: the biases are 15 and 7. Only NaN
    // has all of these bits set.
    unsigned const magnitude = upper & 0x7f007f00, sign = upper & 0x80008000;
    unsigned const nan = ((magnitude + 0x01000100) >> 15 & 0x00010001) * 0x7fff;
    return platform::multiply_halves(magnitude >> 1, 0x5c005c00) | sign | nan;
  }
}

/// to[i] = from[i], converted to F.
template <unsigned Count, typename F, typename E>
CUDA_TILE_API void convert_all(F* to, E const* from) {
  if constexpr (is_fp8<E> && is_same_v<F, __half> && Count % 4 == 0) {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < Count; i += 4) {
      unsigned bytes;
      platform::copy<4>(&bytes, from + i);
      unsigned const halves[2] = {halves_of<E>(platform::select_bytes(bytes, 0, 0x1404)),
                                  halves_of<E>(platform::select_bytes(bytes, 0, 0x3424))};
      platform::copy<8>(to + i, halves);
    }
  } else if constexpr (is_fp8<E> && is_same_v<F, __half> && Count % 2 == 0) {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < Count; i += 2) {
      unsigned const low = platform::bit_cast<unsigned char>(from[i]);
      unsigned const high = platform::bit_cast<unsigned char>(from[i + 1]);
      unsigned const halves = halves_of<E>(low << 8 | high << 24);
      to[i] = platform::bit_cast<F>(static_cast<unsigned short>(halves));
      to[i + 1] = platform::bit_cast<F>(static_cast<unsigned short>(halves >> 16));
    }
  } else {
    CUDA_TILE_UNROLL
    for (unsigned i = 0; i < Count; ++i)
      to[i] = detail::convert<F>(from[i]);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
