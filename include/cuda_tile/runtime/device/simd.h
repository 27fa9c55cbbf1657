// Functions of the bytes and halfwords of words (__vadd4, __vmaxs2, ...), and CUDA's maxima and minima of
// sums and of three (__viaddmax_s32, __vimax3_u16x2, ...).
#pragma once

#include <climits>
#include <type_traits>

namespace cuda_tile::runtime {

/// The lane of a word at a bit, as a number of type T.
template <typename T>
constexpr T lane_at(unsigned word, unsigned bit) {
  return static_cast<T>(word >> bit);
}

/// The word of which each lane is `of(x, y)`, modulo its size.
template <typename T, typename Operation>
constexpr unsigned each_lane(unsigned x, unsigned y, Operation of) {
  unsigned result = 0;
  for (unsigned bit = 0; bit != 32; bit += 8 * sizeof(T))
    result |= (static_cast<unsigned>(of(int{lane_at<T>(x, bit)}, int{lane_at<T>(y, bit)})) &
               (sizeof(T) == 1 ? 0xffu : 0xffffu))
              << bit;
  return result;
}
template <typename T, typename Operation>
constexpr unsigned sum_of_lanes(unsigned x, unsigned y, Operation of) {
  unsigned sum = 0;
  for (unsigned bit = 0; bit != 32; bit += 8 * sizeof(T))
    sum += static_cast<unsigned>(of(int{lane_at<T>(x, bit)}, int{lane_at<T>(y, bit)}));
  return sum;
}

template <typename T>
constexpr int saturated(int x) {
  constexpr int bits = 8 * sizeof(T),
                most = std::is_signed<T>::value ? (1 << (bits - 1)) - 1 : (1 << bits) - 1,
                least = std::is_signed<T>::value ? -most - 1 : 0;
  return x < least ? least : x > most ? most : x;
}
constexpr int distance(int x, int y) { return x < y ? y - x : x - y; }

} // namespace cuda_tile::runtime

// ---- lanes of words --------------------------------------------------------------------------------------

#define CUDA_TILE_LANES_1(name, T, expression)                                                               \
  constexpr unsigned name(unsigned a) {                                                                      \
    return cuda_tile::runtime::each_lane<T>(a, 0, [](int x, int) { return expression; });                    \
  }
#define CUDA_TILE_LANES_2(name, T, expression)                                                               \
  constexpr unsigned name(unsigned a, unsigned b) {                                                          \
    return cuda_tile::runtime::each_lane<T>(a, b, [](int x, int y) { return expression; });                  \
  }
#define CUDA_TILE_LANES_SUM(name, T)                                                                         \
  constexpr unsigned name(unsigned a, unsigned b) {                                                          \
    return cuda_tile::runtime::sum_of_lanes<T>(a, b, cuda_tile::runtime::distance);                          \
  }
#define CUDA_TILE_COMPARISON(name, T, operation)                                                             \
  CUDA_TILE_LANES_2(__vcmp##name, T, x operation y ? -1 : 0)                                                 \
  CUDA_TILE_LANES_2(__vset##name, T, x operation y ? 1 : 0)
#define CUDA_TILE_ORDERED(lanes, letter, T)                                                                  \
  CUDA_TILE_COMPARISON(ge##letter##lanes, T, >=)                                                             \
  CUDA_TILE_COMPARISON(gt##letter##lanes, T, >)                                                              \
  CUDA_TILE_COMPARISON(le##letter##lanes, T, <=)                                                             \
  CUDA_TILE_COMPARISON(lt##letter##lanes, T, <)                                                              \
  CUDA_TILE_LANES_2(__vmax##letter##lanes, T, x < y ? y : x)                                                 \
  CUDA_TILE_LANES_2(__vmin##letter##lanes, T, y < x ? y : x)                                                 \
  CUDA_TILE_LANES_2(__vabsdiff##letter##lanes, T, cuda_tile::runtime::distance(x, y))                        \
  CUDA_TILE_LANES_2(__vadd##letter##s##lanes, T, cuda_tile::runtime::saturated<T>(x + y))                    \
  CUDA_TILE_LANES_2(__vsub##letter##s##lanes, T, cuda_tile::runtime::saturated<T>(x - y))                    \
  CUDA_TILE_LANES_SUM(__vsad##letter##lanes, T)
// The average of signed lanes is rounded away from zero, that of others up.
#define CUDA_TILE_FUNCTIONS(lanes, S, U)                                                                     \
  CUDA_TILE_ORDERED(lanes, s, S)                                                                             \
  CUDA_TILE_ORDERED(lanes, u, U)                                                                             \
  CUDA_TILE_COMPARISON(eq##lanes, U, ==)                                                                     \
  CUDA_TILE_COMPARISON(ne##lanes, U, !=)                                                                     \
  CUDA_TILE_LANES_2(__vadd##lanes, U, x + y)                                                                 \
  CUDA_TILE_LANES_2(__vsub##lanes, U, x - y)                                                                 \
  CUDA_TILE_LANES_2(__vavgs##lanes, S, (x + y + (x + y >= 0)) >> 1)                                          \
  CUDA_TILE_LANES_2(__vavgu##lanes, U, (x + y + 1) >> 1)                                                     \
  CUDA_TILE_LANES_2(__vhaddu##lanes, U, (x + y) >> 1)                                                        \
  CUDA_TILE_LANES_1(__vabs##lanes, S, x < 0 ? -x : x)                                                        \
  CUDA_TILE_LANES_1(__vabsss##lanes, S, cuda_tile::runtime::saturated<S>(x < 0 ? -x : x))                    \
  CUDA_TILE_LANES_1(__vneg##lanes, S, -x)                                                                    \
  CUDA_TILE_LANES_1(__vnegss##lanes, S, cuda_tile::runtime::saturated<S>(-x))
CUDA_TILE_FUNCTIONS(2, short, unsigned short)
CUDA_TILE_FUNCTIONS(4, signed char, unsigned char)
#undef CUDA_TILE_FUNCTIONS
#undef CUDA_TILE_ORDERED
#undef CUDA_TILE_COMPARISON
#undef CUDA_TILE_LANES_SUM
#undef CUDA_TILE_LANES_1

// ---- maxima and minima -----------------------------------------------------------------------------------

// Sums are taken modulo the size of their type; `_relu` is the maximum with 0 as well.
namespace cuda_tile::runtime {

template <typename T>
constexpr T wrapped_sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
/// The word of which each lane is `of(x, y, z)`.
template <typename T, typename U, typename Operation>
constexpr U of_lanes(U a, U b, U c, Operation of) {
  using Lane = std::make_unsigned_t<T>;
  unsigned result = 0;
  for (unsigned bit = 0; bit != 32; bit += 8 * sizeof(T))
    result |= unsigned{static_cast<Lane>(of(lane_at<T>(static_cast<unsigned>(a), bit),
                                            lane_at<T>(static_cast<unsigned>(b), bit),
                                            lane_at<T>(static_cast<unsigned>(c), bit)))}
              << bit;
  return static_cast<U>(result);
}
template <typename T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
/// Of two, and whether it is the first one, in each lane.
template <typename T, typename U, typename Chosen>
constexpr U chosen(U a, U b, bool* high, bool* low, Chosen choose) {
  for (unsigned bit = 0; bit != 32; bit += 8 * sizeof(T)) {
    const T x = lane_at<T>(static_cast<unsigned>(a), bit), y = lane_at<T>(static_cast<unsigned>(b), bit);
    *(bit == 0 ? low : high) = choose(x, y) == x;
  }
  return of_lanes<T>(a, b, b, [=](T x, T y, T) { return choose(x, y); });
}

} // namespace cuda_tile::runtime

#define CUDA_TILE_OF_TWO(name, T, U, expression)                                                             \
  constexpr U __vi##name(U a, U b) { return cuda_tile::runtime::of_lanes<T>(a, b, b, expression); }
#define CUDA_TILE_OF_THREE(name, T, U, expression)                                                           \
  constexpr U __vi##name(U a, U b, U c) { return cuda_tile::runtime::of_lanes<T>(a, b, c, expression); }
#define CUDA_TILE_EXTREMES(suffix, T, U)                                                                     \
  CUDA_TILE_EXTREME(max, larger, suffix, T, U)                                                               \
  CUDA_TILE_EXTREME(min, smaller, suffix, T, U)
#define CUDA_TILE_EXTREME(name, of, suffix, T, U)                                                            \
  CUDA_TILE_OF_THREE(name##3_##suffix, T, U, ([](T x, T y, T z) {                                            \
                       return cuda_tile::runtime::of(cuda_tile::runtime::of(x, y), z);                       \
                     }))                                                                                     \
  CUDA_TILE_OF_THREE(add##name##_##suffix, T, U, ([](T x, T y, T z) {                                        \
                       return cuda_tile::runtime::of(cuda_tile::runtime::wrapped_sum(x, y), z);              \
                     }))
#define CUDA_TILE_EXTREMES_RELU(suffix, T, U)                                                                \
  CUDA_TILE_EXTREME_RELU(max, larger, suffix, T, U)                                                          \
  CUDA_TILE_EXTREME_RELU(min, smaller, suffix, T, U)
#define CUDA_TILE_EXTREME_RELU(name, of, suffix, T, U)                                                       \
  CUDA_TILE_OF_TWO(name##_##suffix##_relu, T, U, ([](T x, T y, T) {                                          \
                     return cuda_tile::runtime::larger(cuda_tile::runtime::of(x, y), T{0});                  \
                   }))                                                                                       \
  CUDA_TILE_OF_THREE(name##3_##suffix##_relu, T, U, ([](T x, T y, T z) {                                     \
                       return cuda_tile::runtime::larger(                                                    \
                           cuda_tile::runtime::of(cuda_tile::runtime::of(x, y), z), T{0});                   \
                     }))                                                                                     \
  CUDA_TILE_OF_THREE(add##name##_##suffix##_relu, T, U, ([](T x, T y, T z) {                                 \
                       return cuda_tile::runtime::larger(                                                    \
                           cuda_tile::runtime::of(cuda_tile::runtime::wrapped_sum(x, y), z), T{0});          \
                     }))
CUDA_TILE_EXTREMES(s32, int, int)
CUDA_TILE_EXTREMES(u32, unsigned, unsigned)
CUDA_TILE_EXTREMES(s16x2, short, unsigned)
CUDA_TILE_EXTREMES(u16x2, unsigned short, unsigned)
CUDA_TILE_EXTREMES_RELU(s32, int, int)
CUDA_TILE_EXTREMES_RELU(s16x2, short, unsigned)

#define CUDA_TILE_CHOICE(name, of)                                                                           \
  constexpr int __vib##name##_s32(int a, int b, bool* is_first) {                                            \
    return cuda_tile::runtime::chosen<int>(a, b, is_first, is_first, cuda_tile::runtime::of<int>);           \
  }                                                                                                          \
  constexpr unsigned __vib##name##_u32(unsigned a, unsigned b, bool* is_first) {                             \
    return cuda_tile::runtime::chosen<unsigned>(a, b, is_first, is_first, cuda_tile::runtime::of<unsigned>); \
  }                                                                                                          \
  constexpr unsigned __vib##name##_s16x2(unsigned a, unsigned b, bool* high, bool* low) {                    \
    return cuda_tile::runtime::chosen<short>(a, b, high, low, cuda_tile::runtime::of<short>);                \
  }                                                                                                          \
  constexpr unsigned __vib##name##_u16x2(unsigned a, unsigned b, bool* high, bool* low) {                    \
    return cuda_tile::runtime::chosen<unsigned short>(a, b, high, low,                                       \
                                                      cuda_tile::runtime::of<unsigned short>);               \
  }
CUDA_TILE_CHOICE(max, larger)
CUDA_TILE_CHOICE(min, smaller)

#undef CUDA_TILE_CHOICE
#undef CUDA_TILE_EXTREME_RELU
#undef CUDA_TILE_EXTREMES_RELU
#undef CUDA_TILE_EXTREME
#undef CUDA_TILE_EXTREMES
#undef CUDA_TILE_OF_THREE
#undef CUDA_TILE_OF_TWO
#undef CUDA_TILE_LANES_2
