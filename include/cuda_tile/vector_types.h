// CUDA's vector types and the functions that make them, where NVIDIA's headers are not installed. Those of
// two and four elements are aligned for one access, of up to 16 bytes.
#pragma once

#define CUDA_TILE_VECTOR(name, alignment, element, ...)                                                      \
  struct __attribute__((aligned(alignment))) name {                                                          \
    element __VA_ARGS__;                                                                                     \
  };                                                                                                         \
  typedef struct name name;
#ifdef __cplusplus
#define CUDA_TILE_MAKE(name, element)                                                                        \
  [[gnu::always_inline]] constexpr name##1 make_##name##1(element x) { return {x}; }                         \
  [[gnu::always_inline]] constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }           \
  [[gnu::always_inline]] constexpr name##3 make_##name##3(element x, element y, element z) {                 \
    return {x, y, z};                                                                                        \
  }                                                                                                          \
  [[gnu::always_inline]] constexpr name##4 make_##name##4(element x, element y, element z, element w) {      \
    return {x, y, z, w};                                                                                     \
  }
#else
#define CUDA_TILE_MAKE(name, element)
#endif
#define CUDA_TILE_VECTORS(name, element, two, four)                                                          \
  CUDA_TILE_VECTOR(name##1, sizeof(element), element, x)                                                     \
  CUDA_TILE_VECTOR(name##2, two, element, x, y)                                                              \
  CUDA_TILE_VECTOR(name##3, sizeof(element), element, x, y, z)                                               \
  CUDA_TILE_VECTOR(name##4, four, element, x, y, z, w)                                                       \
  CUDA_TILE_MAKE(name, element)
CUDA_TILE_VECTORS(char, signed char, 2, 4)
CUDA_TILE_VECTORS(uchar, unsigned char, 2, 4)
CUDA_TILE_VECTORS(short, short, 4, 8)
CUDA_TILE_VECTORS(ushort, unsigned short, 4, 8)
CUDA_TILE_VECTORS(int, int, 8, 16)
CUDA_TILE_VECTORS(uint, unsigned int, 8, 16)
CUDA_TILE_VECTORS(long, long, 16, 16)
CUDA_TILE_VECTORS(ulong, unsigned long, 16, 16)
CUDA_TILE_VECTORS(longlong, long long, 16, 16)
CUDA_TILE_VECTORS(ulonglong, unsigned long long, 16, 16)
CUDA_TILE_VECTORS(float, float, 8, 16)
CUDA_TILE_VECTORS(double, double, 16, 16)
#undef CUDA_TILE_VECTORS
#undef CUDA_TILE_MAKE
#undef CUDA_TILE_VECTOR

#ifdef __cplusplus
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
#else
typedef struct dim3 {
  unsigned x, y, z;
} dim3;
#endif
