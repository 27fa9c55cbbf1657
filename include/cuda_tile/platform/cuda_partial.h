// Vectors in global memory of which only the first elements may be accessed, as at the edges of spans. Each
// element takes one predicated instruction, and there are no branches, which compilers would multiply and
// spend most of their time on.
#pragma once

#include "cuda_tile/config.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// Word `Word` of a vector at `from`, with elements of 1, 2 or 4 bytes; those from `count` on are taken from
/// `pad`.
template <unsigned Size, unsigned Word>
__device__ __forceinline__ unsigned load_word(size_t from, int count, unsigned pad) {
  unsigned word;
  if constexpr (Size == 1)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b32 a, b, c, d;\n"
                 "mov.b32 a, %3;\n"
                 "mov.b32 b, %3;\n"
                 "mov.b32 c, %3;\n"
                 "mov.b32 d, %3;\n"
                 "setp.gt.s32 p, %2, %4;\n"
                 "@p ld.global.u8 a, [%1+%4];\n"
                 "setp.gt.s32 p, %2, %4+1;\n"
                 "@p ld.global.u8 b, [%1+%4+1];\n"
                 "setp.gt.s32 p, %2, %4+2;\n"
                 "@p ld.global.u8 c, [%1+%4+2];\n"
                 "setp.gt.s32 p, %2, %4+3;\n"
                 "@p ld.global.u8 d, [%1+%4+3];\n"
                 "prmt.b32 a, a, b, 0x40;\n"
                 "prmt.b32 c, c, d, 0x40;\n"
                 "prmt.b32 %0, a, c, 0x5410;\n"
                 "}"
                 : "=r"(word)
                 : "l"(from), "r"(count), "r"(pad), "n"(4 * Word)
                 : "memory");
  else if constexpr (Size == 2)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b16 a, b;\n"
                 "mov.b32 {a, b}, %3;\n"
                 "setp.gt.s32 p, %2, %5;\n"
                 "@p ld.global.b16 a, [%1+%4];\n"
                 "setp.gt.s32 p, %2, %5+1;\n"
                 "@p ld.global.b16 b, [%1+%4+2];\n"
                 "mov.b32 %0, {a, b};\n"
                 "}"
                 : "=r"(word)
                 : "l"(from), "r"(count), "r"(pad), "n"(4 * Word), "n"(2 * Word)
                 : "memory");
  else
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b32 a;\n"
                 "mov.b32 a, %3;\n"
                 "setp.gt.s32 p, %2, %5;\n"
                 "@p ld.global.b32 a, [%1+%4];\n"
                 "mov.b32 %0, a;\n"
                 "}"
                 : "=r"(word)
                 : "l"(from), "r"(count), "r"(pad), "n"(4 * Word), "n"(Word)
                 : "memory");
  return word;
}

/// Stores `word` as word `Word` of a vector at `to`, as far as its elements are among the first `count`.
template <unsigned Size, unsigned Word>
__device__ __forceinline__ void store_word(size_t to, int count, unsigned word) {
  if constexpr (Size == 1)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b32 a;\n"
                 "setp.gt.s32 p, %1, %3;\n"
                 "@p st.global.u8 [%0+%3], %2;\n"
                 "setp.gt.s32 p, %1, %3+1;\n"
                 "shr.u32 a, %2, 8;\n"
                 "@p st.global.u8 [%0+%3+1], a;\n"
                 "setp.gt.s32 p, %1, %3+2;\n"
                 "shr.u32 a, %2, 16;\n"
                 "@p st.global.u8 [%0+%3+2], a;\n"
                 "setp.gt.s32 p, %1, %3+3;\n"
                 "shr.u32 a, %2, 24;\n"
                 "@p st.global.u8 [%0+%3+3], a;\n"
                 "}"
                 :
                 : "l"(to), "r"(count), "r"(word), "n"(4 * Word)
                 : "memory");
  else if constexpr (Size == 2)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b16 a, b;\n"
                 "mov.b32 {a, b}, %2;\n"
                 "setp.gt.s32 p, %1, %4;\n"
                 "@p st.global.b16 [%0+%3], a;\n"
                 "setp.gt.s32 p, %1, %4+1;\n"
                 "@p st.global.b16 [%0+%3+2], b;\n"
                 "}"
                 :
                 : "l"(to), "r"(count), "r"(word), "n"(4 * Word), "n"(2 * Word)
                 : "memory");
  else
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.gt.s32 p, %1, %4;\n"
                 "@p st.global.b32 [%0+%3], %2;\n"
                 "}"
                 :
                 : "l"(to), "r"(count), "r"(word), "n"(4 * Word), "n"(Word)
                 : "memory");
}

/// All words of a vector at `from`, or those of `pad` unless `count` is positive.
template <unsigned Words>
__device__ __forceinline__ void load_words_at_once(unsigned* to, size_t from, int count,
                                                   unsigned const (&pad)[2]) {
  if constexpr (Words == 4)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b32 a, b, c, d;\n"
                 "mov.b32 a, %6;\n"
                 "mov.b32 b, %7;\n"
                 "mov.b32 c, %6;\n"
                 "mov.b32 d, %7;\n"
                 "setp.gt.s32 p, %5, 0;\n"
                 "@p ld.global.v4.b32 {a, b, c, d}, [%4];\n"
                 "mov.b32 %0, a;\n"
                 "mov.b32 %1, b;\n"
                 "mov.b32 %2, c;\n"
                 "mov.b32 %3, d;\n"
                 "}"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from), "r"(count), "r"(pad[0]), "r"(pad[1])
                 : "memory");
  else if constexpr (Words == 2)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 ".reg .b32 a, b;\n"
                 "mov.b32 a, %4;\n"
                 "mov.b32 b, %5;\n"
                 "setp.gt.s32 p, %3, 0;\n"
                 "@p ld.global.v2.b32 {a, b}, [%2];\n"
                 "mov.b32 %0, a;\n"
                 "mov.b32 %1, b;\n"
                 "}"
                 : "=r"(to[0]), "=r"(to[1])
                 : "l"(from), "r"(count), "r"(pad[0]), "r"(pad[1])
                 : "memory");
  else
    to[0] = load_word<4, 0>(from, count, pad[0]);
}
template <unsigned Words>
__device__ __forceinline__ void store_words_at_once(size_t to, int count, unsigned const* from) {
  if constexpr (Words == 4)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.gt.s32 p, %1, 0;\n"
                 "@p st.global.v4.b32 [%0], {%2, %3, %4, %5};\n"
                 "}"
                 :
                 : "l"(to), "r"(count), "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
  else if constexpr (Words == 2)
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.gt.s32 p, %1, 0;\n"
                 "@p st.global.v2.b32 [%0], {%2, %3};\n"
                 "}"
                 :
                 : "l"(to), "r"(count), "r"(from[0]), "r"(from[1])
                 : "memory");
  else
    store_word<4, 0>(to, count, from[0]);
}

/// The words of a vector from `Word` on, element by element; elements of 8 bytes take two words at once.
template <unsigned Size, unsigned Word, unsigned Words>
__device__ __forceinline__ void load_words(unsigned* to, size_t from, int count, unsigned const (&pad)[2]) {
  if constexpr (Word != Words) {
    if constexpr (Size == 8)
      load_words_at_once<2>(to + Word, from + 4 * Word, count - static_cast<int>(Word / 2), pad);
    else
      to[Word] = load_word<Size, Word>(from, count, pad[Word % 2]);
    load_words<Size, Word + (Size == 8 ? 2 : 1), Words>(to, from, count, pad);
  }
}
template <unsigned Size, unsigned Word, unsigned Words>
__device__ __forceinline__ void store_words(size_t to, int count, unsigned const* from) {
  if constexpr (Word != Words) {
    if constexpr (Size == 8)
      store_words_at_once<2>(to + 4 * Word, count - static_cast<int>(Word / 2), from + Word);
    else
      store_word<Size, Word>(to, count, from[Word]);
    store_words<Size, Word + (Size == 8 ? 2 : 1), Words>(to, count, from);
  }
}

/// Loads Count elements: the first `count` ones at `from`, then `pad`. If AtOnce, `from` is a multiple of
/// their size, and `count` is at least Count or not positive.
template <unsigned Count, bool AtOnce, typename E>
__device__ __forceinline__ void load_first(E* to, E const* from, int count, E pad) {
  constexpr unsigned words = Count * sizeof(E) / 4;
  if constexpr (words == 0) { // two elements of 8 bits
    to[0] = count > 0 ? from[0] : pad;
    to[1] = count > 1 ? from[1] : pad;
  } else {
    E pads[8 / sizeof(E)];
#pragma unroll
    for (E& each : pads)
      each = pad;
    unsigned padding[2], loaded[words];
    memcpy(padding, pads, 8);
    if constexpr (AtOnce)
      load_words_at_once<words>(loaded, __cvta_generic_to_global(from), count, padding);
    else
      load_words<sizeof(E), 0, words>(loaded, __cvta_generic_to_global(from), count, padding);
    memcpy(to, loaded, sizeof loaded);
  }
}

/// Stores the first `count` elements at `from` to `to`, likewise.
template <unsigned Count, bool AtOnce, typename E>
__device__ __forceinline__ void store_first(E* to, E const* from, int count) {
  constexpr unsigned words = Count * sizeof(E) / 4;
  if constexpr (words == 0) {
    if (count > 0)
      to[0] = from[0];
    if (count > 1)
      to[1] = from[1];
  } else {
    unsigned stored[words];
    memcpy(stored, from, sizeof stored);
    if constexpr (AtOnce)
      store_words_at_once<words>(__cvta_generic_to_global(to), count, stored);
    else
      store_words<sizeof(E), 0, words>(__cvta_generic_to_global(to), count, stored);
  }
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
