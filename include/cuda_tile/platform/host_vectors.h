// Vectors as wide as the host's registers, for loops in which compilers do not allocate registers well by
// themselves.
#pragma once

#include "cuda_tile/platform/host_arithmetic.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

#if defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr unsigned vector_bytes = 64, vector_registers = 32;
#elif defined(__AVX__)
inline constexpr unsigned vector_bytes = 32, vector_registers = 16;
#elif defined(__aarch64__)
inline constexpr unsigned vector_bytes = 16, vector_registers = 32;
#else
inline constexpr unsigned vector_bytes = 16, vector_registers = 16;
#endif

template <typename T, unsigned Bytes>
struct vector_of {
  typedef T type __attribute__((vector_size(Bytes)));
};
template <typename T, unsigned Bytes = vector_bytes>
using vector = typename vector_of<T, Bytes>::type;
/// N, or how many elements a whole vector has if these are fewer.
template <typename T, unsigned N>
inline constexpr unsigned lanes_of_most = N * sizeof(T) < vector_bytes ? N : vector_bytes / sizeof(T);
/// A vector of so many.
template <typename T, unsigned N>
using vector_of_most = vector<T, lanes_of_most<T, N> * sizeof(T)>;

template <unsigned Size>
struct signed_of_size;
template <>
struct signed_of_size<1> {
  using type = signed char;
};
template <>
struct signed_of_size<2> {
  using type = short;
};
template <>
struct signed_of_size<4> {
  using type = int;
};
template <>
struct signed_of_size<8> {
  using type = long long;
};
/// The signed integer of the size of E.
template <typename E>
using bits_of_element = typename signed_of_size<sizeof(E)>::type;

template <typename V, typename T>
inline V load_vector(T const* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
inline void store_vector(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// The lanes of a and those of b. Processors do not forward two stores to one load of both.
template <typename W, typename V>
inline W join_vectors(V a, V b) {
  static_assert(sizeof(W) == 2 * sizeof(V));
#if __has_builtin(__builtin_shufflevector)
  if constexpr (sizeof(V) >= 8) {
    using words = vector<long long, sizeof(V)>;
    words const x = (words)a, y = (words)b;
    if constexpr (sizeof(V) == 8)
      return (W)__builtin_shufflevector(x, y, 0, 1);
    else if constexpr (sizeof(V) == 16)
      return (W)__builtin_shufflevector(x, y, 0, 1, 2, 3);
    else
      return (W)__builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7);
  }
#endif
  W both;
  __builtin_memcpy(&both, &a, sizeof a);
  __builtin_memcpy(reinterpret_cast<char*>(&both) + sizeof a, &b, sizeof b);
  return both;
}

/// Bytes in memory as numbers of 32 bits, a vector of them.
inline vector<unsigned> widen_bytes(void const* from) {
  using bytes = vector<unsigned char, vector_bytes / 4>;
  auto const narrow = platform::load_vector<bytes>(static_cast<char const*>(from));
#if !defined(__clang__) && defined(__AVX512F__) && defined(__AVX512BW__) // g++ would widen them one by one
  typedef char sixteen __attribute__((vector_size(16)));
  return (vector<unsigned>)__builtin_ia32_pmovzxbd512_mask((sixteen)narrow, vector<int>{},
                                                           (unsigned short)-1);
#elif !defined(__clang__) && defined(__AVX2__)
  typedef char sixteen __attribute__((vector_size(16)));
  sixteen all{};
  __builtin_memcpy(&all, &narrow, sizeof narrow);
  return (vector<unsigned>)__builtin_ia32_pmovzxbd256(all);
#else
  return __builtin_convertvector(narrow, vector<unsigned>);
#endif
}

/// Lane l of the result is lane place(l) of a and b in sequence: places from the number of lanes up select
/// from b.
#if defined(__clang__)
template <typename, unsigned... Ls>
struct lane_places {};
template <typename V, typename Place, unsigned... Ls>
inline V shuffle_lanes(V a, V b, Place, lane_places<unsigned, Ls...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(Place{}(Ls))...);
}
template <typename V, typename Place>
inline V shuffle_lanes(V a, V b, Place place) {
  return platform::shuffle_lanes(a, b, place,
                                 __make_integer_seq<lane_places, unsigned, sizeof(V) / sizeof(a[0])>{});
}
#else
template <typename V, typename Place>
inline V shuffle_lanes(V a, V b, Place place) {
  decltype(a == b) places{};
#pragma GCC unroll 64
  for (unsigned l = 0; l < sizeof(V) / sizeof(a[0]); ++l)
    places[l] = static_cast<__typeof__(places[0])>(place(l));
  return __builtin_shuffle(a, b, places);
}
#endif

/// As many bytes from memory, a power of two, as often as a vector has room for them.
template <typename V, unsigned Bytes, typename T>
inline V load_often(T const* from) {
  if constexpr (Bytes <= 8) {
    using word = typename signed_of_size<Bytes>::type;
    word x;
    __builtin_memcpy(&x, from, sizeof x);
    return (V)(vector<word, sizeof(V)>{} + x);
  } else if constexpr (Bytes < sizeof(V)) {
    using half = vector<long long, sizeof(V) / 2>;
    auto const x = platform::load_often<half, Bytes>(from);
    return platform::join_vectors<V>(x, x);
  } else {
    return platform::load_vector<V>(from);
  }
}
/// Lane l of the result is element l / Times.
template <typename V, unsigned Times, typename T>
inline V load_repeated(T const* from) {
  V const all = platform::load_often<V, sizeof(V) / Times>(from);
  return platform::shuffle_lanes(all, all, [](unsigned l) { return l / Times; });
}

/// Lane l of the result is lane l + By, modulo their number.
template <unsigned By, typename V>
inline V rotate_lanes(V v) {
  return platform::shuffle_lanes(v, v,
                                 [](unsigned l) { return (l + By) % unsigned(sizeof(V) / sizeof(v[0])); });
}
/// Lane l of the result is lane l - By, and -0 where there is none.
template <unsigned By, typename V>
inline V shift_lanes(V v) {
  constexpr unsigned lanes = sizeof(V) / sizeof(v[0]);
  return platform::shuffle_lanes(v, -V{}, [](unsigned l) { return l < By ? lanes : l - By; });
}
/// Copies the last lane to all lanes.
template <typename V>
inline V splat_last(V v) {
  return platform::shuffle_lanes(v, v, [](unsigned) { return unsigned(sizeof(V) / sizeof(v[0])) - 1; });
}

/// Copies `Bytes` bytes without a call, `AtOnce` at a time if that divides them; both are multiples of a
/// vector's size. Prefetches `ahead` bytes further on for reading and `written_ahead` for writing, if they
/// are not 0.
template <unsigned long long Bytes, unsigned AtOnce = vector_bytes>
inline void copy_vectors(void* to, void const* from, size_t ahead = 0, size_t written_ahead = 0) {
  using V = vector<long long>;
  constexpr unsigned step = Bytes % AtOnce == 0 ? AtOnce : vector_bytes, count = step / vector_bytes;
  for (unsigned long long i = 0; i < Bytes; i += step) {
    char const* const source = static_cast<char const*>(from) + i;
    char* const target = static_cast<char*>(to) + i;
    if (step % 64 == 0 || i % 64 == 0)
      for (unsigned line = 0; line < step; line += 64) {
        if (ahead != 0)
          __builtin_prefetch(source + line + ahead);
        if (written_ahead != 0)
          __builtin_prefetch(target + line + written_ahead, 1);
      }
    V v[count];
    for (unsigned n = 0; n < count; ++n)
      v[n] = load_vector<V>(source + n * vector_bytes);
    for (unsigned n = 0; n < count; ++n)
      platform::store_vector(target + n * vector_bytes, v[n]);
#if defined(__GNUC__) && !defined(__clang__)
    asm("" : : :); // else g++ turns it back into a call
#endif
  }
}

/// Copies the first `count` of N elements, the others are `pad`. It prefetches nothing: rows that end within
/// a cache line are fetched sooner by the processor itself.
template <unsigned N, typename E>
inline void copy_first(E* to, E const* from, size_t count, E pad) {
  constexpr size_t at_once = vector_bytes / sizeof(E);
  size_t i = 0;
  for (; i + at_once <= count; i += at_once)
    platform::copy_vectors<vector_bytes>(to + i, from + i);
  for (; i < count; ++i)
    to[i] = from[i];
  for (; i < N; ++i)
    to[i] = pad;
}

/// a * b + c, like the scalar multiply_add.
template <typename V>
inline V multiply_add_vectors(V a, V b, V c) {
#if defined(__clang__) && defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#elif defined(__FMA__)
  if constexpr (sizeof(a[0]) == 4) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);
  } else {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4);
#else
    return __builtin_ia32_vfmaddps256(a, b, c);
  } else {
    return __builtin_ia32_vfmaddpd256(a, b, c);
#endif
  }
#else
  for (unsigned l = 0; l < sizeof a / sizeof a[0]; ++l)
    c[l] = platform::multiply_add(a[l], b[l], c[l]);
  return c;
#endif
}

/// Whether all bits are 0.
inline bool is_zero(vector<long long> v) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  constexpr int not_equal = 4;
  return __builtin_ia32_cmpq512_mask(v, vector<long long>{}, not_equal, (unsigned char)-1) == 0;
#elif defined(__AVX__)
  return __builtin_ia32_ptestz256(v, v) != 0;
#else
  long long all = 0;
  for (unsigned l = 0; l < sizeof v / sizeof v[0]; ++l)
    all |= v[l];
  return all == 0;
#endif
}

inline vector<int> add_lanes(vector<int> a, vector<int> b) {
  return (vector<int>)((vector<unsigned>)a + (vector<unsigned>)b); // wraps around
}

/// c plus the sums of products of neighbouring pairs: a and b hold two 16 bit integers for each lane of c.
inline vector<int> add_products_of_pairs(vector<short> a, vector<short> b, vector<int> c) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
#if defined(__clang__)
  return add_lanes(c, (vector<int>)__builtin_ia32_pmaddwd512(a, b));
#else
  return add_lanes(c, (vector<int>)__builtin_ia32_pmaddwd512_mask(a, b, vector<int>{}, (unsigned short)-1));
#endif
#elif defined(__AVX2__)
  return add_lanes(c, (vector<int>)__builtin_ia32_pmaddwd256(a, b));
#elif defined(__SSE2__) && !defined(__AVX__)
  return add_lanes(c, (vector<int>)__builtin_ia32_pmaddwd128(a, b));
#else
  vector<int> products;
  for (unsigned l = 0; l < sizeof c / sizeof c[0]; ++l)
    products[l] = a[2 * l] * b[2 * l] + a[2 * l + 1] * b[2 * l + 1];
  return add_lanes(c, products);
#endif
}

// The functions of these instructions differ between compilers. g++ copies sums around assembler in loops,
// and clang does not.
#if defined(__AVX512BF16__) && defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr bool has_bfloat16_products = true;
/// c plus the products of two bfloat16 for each lane. Subnormal numbers count as zero.
inline vector<float> add_products_of_bfloat16(vector<int> a, vector<int> b, vector<float> c) {
#if defined(__clang__)
  asm("vdpbf16ps %2, %1, %0" : "+v"(c) : "v"(a), "vm"(b));
  return c;
#elif __GNUC__ >= 13
  return __builtin_ia32_dpbf16ps_v16sf(c, (vector<__bf16>)a, (vector<__bf16>)b);
#else
  return __builtin_ia32_dpbf16ps_v16sf(c, (vector<short>)a, (vector<short>)b);
#endif
}
#else
inline constexpr bool has_bfloat16_products = false;
vector<float> add_products_of_bfloat16(vector<int> a, vector<int> b, vector<float> c);
#endif

#if defined(__AVX512VNNI__) && defined(__AVX512F__) && defined(__AVX512BW__)
inline constexpr bool has_byte_products = true;
/// c plus the products of four unsigned bytes of a and four signed ones of b for each lane, exactly.
inline vector<int> add_products_of_bytes(vector<int> a, vector<int> b, vector<int> c) {
#if defined(__clang__)
  asm("vpdpbusd %2, %1, %0" : "+v"(c) : "v"(a), "vm"(b));
  return c;
#else
  return __builtin_ia32_vpdpbusd_v16si(c, a, b);
#endif
}
#else
inline constexpr bool has_byte_products = false;
vector<int> add_products_of_bytes(vector<int> a, vector<int> b, vector<int> c);
#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
