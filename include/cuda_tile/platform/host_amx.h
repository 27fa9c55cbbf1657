// AMX, the matrix unit of Intel's processors: eight tiles of 16 rows of 64 bytes, and products of them.
//
// What uses it, one_thread/mma/amx_tiles.h, needs nothing but the functions of namespace platform::amx. These
// are the instructions where the compiler may assume that the processor has them (-march), and a model of
// them in C++ (host_amx_emulated.h) where CUDA_TILE_EMULATE_AMX is defined: 1 permits their use, 0 refuses
// it. Elsewhere they are declared but never called.
#pragma once

#include "cuda_tile/config.h"

// CUDA_TILE_HAS_AMX: whether either is available.
#if defined(CUDA_TILE_EMULATE_AMX) || (defined(__AMX_TILE__) && defined(__linux__) && defined(__x86_64__))
#define CUDA_TILE_HAS_AMX 1
#else
#define CUDA_TILE_HAS_AMX 0
#endif

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx {

inline constexpr unsigned tile_rows = 16, row_bytes = 64;

/// What LDTILECFG reads: the number of rows, and of bytes per row, of each tile.
struct alignas(64) configuration {
  unsigned char palette = 1;
  unsigned char start_row = 0;
  unsigned char reserved[14] = {};
  unsigned short colsb[16] = {};
  unsigned char rows[16] = {};
};
static_assert(sizeof(configuration) == 64);

/// All eight tiles of full size.
constexpr configuration full_tiles() {
  configuration all;
  for (unsigned t = 0; t != 8; ++t) {
    all.colsb[t] = row_bytes;
    all.rows[t] = tile_rows;
  }
  return all;
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx

#if defined(CUDA_TILE_EMULATE_AMX)
#include "cuda_tile/platform/host_amx_emulated.h"
#elif CUDA_TILE_HAS_AMX

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx {

#if defined(__AMX_BF16__)
inline constexpr bool has_bfloat16 = true;
#else
inline constexpr bool has_bfloat16 = false;
#endif
#if defined(__AMX_INT8__)
inline constexpr bool has_int8 = true;
#else
inline constexpr bool has_int8 = false;
#endif

/// Linux gives a process the tiles' state when it asks: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
/// The request fails if the system or a sandbox does not support it, or if a signal stack is too small for
/// this state.
inline bool ask_for_permission() {
  constexpr long arch_prctl = 158, request_permission = 0x1023, tile_data = 18;
  long status;
  asm volatile("syscall"
               : "=a"(status)
               : "a"(arch_prctl), "D"(request_permission), "S"(tile_data)
               : "rcx", "r11", "memory");
  return status == 0;
}

/// Whether this process may use the tiles.
inline bool is_permitted() {
  static bool const permitted = ask_for_permission();
  return permitted;
}

inline void configure(configuration const& wanted) { asm volatile("ldtilecfg %0" : : "m"(wanted)); }
/// Released tiles need not be saved on a context switch.
inline void release() { asm volatile("tilerelease"); }

template <unsigned Tile>
inline void set_to_zero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
}
template <unsigned Tile>
inline void load(void const* from, size_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
}
/// The same for what passes by once while other tiles are to stay in the first cache.
template <unsigned Tile>
inline void load_passing(void const* from, size_t stride) {
  asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
}
template <unsigned Tile>
inline void store(void* to, size_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
}

/// Tile Sums += tile Left * tile Right, of bfloat16.
template <unsigned Sums, unsigned Left, unsigned Right>
inline void add_products_of_bfloat16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(Left), "i"(Right));
}
/// The same for 8 bit integers.
template <unsigned Sums, unsigned Left, unsigned Right, bool LeftSigned, bool RightSigned>
inline void add_products_of_int8() {
  if constexpr (LeftSigned && RightSigned)
    asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(Left), "i"(Right));
  else if constexpr (LeftSigned)
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(Left), "i"(Right));
  else if constexpr (RightSigned)
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(Left), "i"(Right));
  else
    asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(Left), "i"(Right));
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx

#else

namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx {

inline constexpr bool has_bfloat16 = false, has_int8 = false;

bool is_permitted();
void configure(configuration const& wanted);
void release();
template <unsigned Tile>
void set_to_zero();
template <unsigned Tile>
void load(void const* from, size_t stride);
template <unsigned Tile>
void load_passing(void const* from, size_t stride);
template <unsigned Tile>
void store(void* to, size_t stride);
template <unsigned Sums, unsigned Left, unsigned Right>
void add_products_of_bfloat16();
template <unsigned Sums, unsigned Left, unsigned Right, bool LeftSigned, bool RightSigned>
void add_products_of_int8();

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform::amx

#endif
