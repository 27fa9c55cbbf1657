// [2.2] Arithmetic: types of results, and which operands are accepted.
#include "programs.h"

using i8x4 = tile<signed char, 4>;
using i16x4 = tile<short, 4>;
using i32x4 = tile<int, 4>;
using u32x4 = tile<unsigned, 4>;
using i32x2x1 = tile<int, 2, 1>;
using f32x4 = tile<float, 4>;
using f64x4 = tile<double, 4>;
using bx4 = tile<bool, 4>;
using ptrx4 = tile<int*, 4>;
using cptrx4 = tile<int const*, 4>;

namespace types { // apart from the names that NVRTC declares, max for one

// The result type of an operator or function for operands of types T and U; `no` if it does not accept them.
struct no {};
#define BINARY(name, expression)                                                                             \
  template <typename T, typename U>                                                                          \
  __tile__ no name##_type(...);                                                                              \
  template <typename T, typename U>                                                                          \
  __tile__ auto name##_type(int) -> decltype(expression);                                                    \
  template <typename T, typename U, typename R>                                                              \
  constexpr bool name = same<decltype(name##_type<T, U>(0)), R>;
BINARY(plus, any<T>() + any<U>())
BINARY(minus, any<T>() - any<U>())
BINARY(times, any<T>() * any<U>())
BINARY(over, any<T>() / any<U>())
BINARY(modulo, any<T>() % any<U>())
BINARY(add, ct::add(any<T>(), any<U>()))
BINARY(sub, ct::sub(any<T>(), any<U>()))
BINARY(mul, ct::mul(any<T>(), any<U>()))
BINARY(div, ct::div(any<T>(), any<U>()))
BINARY(ceildiv, ct::ceildiv(any<T>(), any<U>()))
BINARY(floordiv, ct::floordiv(any<T>(), any<U>()))
BINARY(remainder, ct::remainder(any<T>(), any<U>()))
BINARY(max, ct::max(any<T>(), any<U>()))
BINARY(min, ct::min(any<T>(), any<U>()))
BINARY(mulhi, ct::mulhi(any<T>(), any<U>()))
BINARY(equal, any<T>() == any<U>())
BINARY(unequal, any<T>() != any<U>())
BINARY(less, any<T>() < any<U>())
BINARY(at_most, any<T>() <= any<U>())
BINARY(greater, any<T>() > any<U>())
BINARY(at_least, any<T>() >= any<U>())
BINARY(bit_and, any<T>() & any<U>())
BINARY(bit_or, any<T>() | any<U>())
BINARY(bit_xor, any<T>() ^ any<U>())
BINARY(shift_left, any<T>() << any<U>())
BINARY(shift_right, any<T>() >> any<U>())
BINARY(both, any<T>() && any<U>())
BINARY(one, any<T>() || any<U>())

// [2.2.1] [2.2.3] [2.2.5] [2.2.6] [2.2.20] [2.2.21]
template <typename T, typename U, typename R>
constexpr bool operators = plus<T, U, R> && minus<T, U, R> && times<T, U, R> && over<T, U, R>;
template <typename T, typename U, typename R>
constexpr bool functions =
    add<T, U, R> && sub<T, U, R> && mul<T, U, R> && div<T, U, R> && max<T, U, R> && min<T, U, R>;
template <typename T, typename U, typename R>
constexpr bool all = operators<T, U, R> && functions<T, U, R>;
static_assert(all<i32x4, i32x4, i32x4> && all<i32x4 const, i32x4&, i32x4>);
static_assert(all<i32x4, int, i32x4> && all<bool, i32x4, i32x4> && all<i32x4, f32x4, f32x4>);
static_assert(all<f32x4, int, f32x4> && all<f64x4, float, f64x4> && all<f32x4, f64x4, f64x4>);
static_assert(all<i8x4, i16x4, i16x4> && all<i8x4, i8x4, i8x4> && all<bx4, bx4, bx4> && all<bx4, bool, bx4>);
static_assert(all<i32x2x1, i32x4, tile<int, 2, 4>> && all<tile<int>, tile<float>, tile<float>>);
static_assert(all<tile<int>, int, tile<int>> && all<tile<int>, i32x4, i32x4>);
static_assert(all<i32x4, unsigned, no> && all<i32x4, u32x4, no> && all<u32x4, int, no> && all<i8x4, int, no>);
static_assert(all<i32x4, double, no> && all<f32x4, double, no> && all<tile<int>, float, no> &&
              all<bx4, int, no>);
static_assert(all<i32x4, tile<int, 2>, no> && operators<i32x4, decltype(1_ic), no>);
static_assert(functions<i32x4, decltype(1_ic), no>);
// Scalars: operators are the built-in ones, functions do not promote.
static_assert(operators<short, short, int> && functions<short, short, short>);
static_assert(functions<bool, bool, bool> && functions<signed char, short, short> &&
              functions<int, double, double>);
static_assert(operators<int, unsigned, unsigned> && functions<int, unsigned, no>);
static_assert(functions<int*, int, no> && functions<ptrx4, int, no>);

// [2.2.7] [2.2.8] [2.2.9] [2.2.24] of integral tiles; remainder takes floating point, too
template <typename T, typename U, typename R>
constexpr bool of_integers = ceildiv<T, U, R> && floordiv<T, U, R> && mulhi<T, U, R>;
static_assert(of_integers<i32x4, short, i32x4> && of_integers<int, short, int> && of_integers<bx4, bx4, bx4>);
static_assert(of_integers<i32x2x1, i32x4, tile<int, 2, 4>> && of_integers<u32x4, unsigned char, u32x4>);
static_assert(of_integers<f32x4, f32x4, no> && of_integers<f32x4, int, no> &&
              of_integers<i32x4, unsigned, no>);
static_assert(modulo<i32x4, int, i32x4> && modulo<i32x4, i8x4, i32x4> && modulo<i32x4, unsigned, no>);
static_assert(modulo<f32x4, f32x4, no> && modulo<f32x4, int, no>);
static_assert(remainder<f32x4, int, f32x4> && remainder<i32x4, i8x4, i32x4> &&
              remainder<float, double, double>);

// [2.2.10] comparison: bool in the common shape; no operand is preferred
template <typename T, typename U, typename R>
constexpr bool compare = equal<T, U, R> && unequal<T, U, R> && less<T, U, R> && at_most<T, U, R> &&
                         greater<T, U, R> && at_least<T, U, R>;
static_assert(compare<i32x4, i32x4, bx4> && compare<i32x4, double, bx4> && compare<float, i32x4, bx4>);
static_assert(compare<i8x4, int, bx4> && compare<bx4, int, bx4> && compare<i32x2x1, f32x4, tile<bool, 2, 4>>);
static_assert(compare<tile<int>, int, tile<bool>> && compare<tile<int>, tile<float>, tile<bool>>);
static_assert(compare<i32x4, unsigned, no> && compare<i32x4, u32x4, no> && compare<i32x4, tile<int, 2>, no>);
static_assert(compare<i32x4, decltype(1_ic), no>);

// [2.2.2] [2.2.4] [2.2.14] [2.2.19] [2.2.22] [2.2.25]
#define UNARY(name, expression)                                                                              \
  template <typename T>                                                                                      \
  __tile__ no name##_type(...);                                                                              \
  template <typename T>                                                                                      \
  __tile__ auto name##_type(int) -> decltype(expression);                                                    \
  template <typename T, typename R>                                                                          \
  constexpr bool name = same<decltype(name##_type<T>(0)), R>;
UNARY(promote, +any<T>())
UNARY(negate, -any<T>())
UNARY(complement, ~any<T>())
UNARY(invert, !any<T>())
UNARY(absolute, ct::abs(any<T>()))
static_assert(promote<i8x4, i32x4> && promote<bx4, i32x4> && promote<i32x4, i32x4> && promote<f32x4, f32x4>);
static_assert(promote<tile<char32_t, 2>, tile<unsigned, 2>> && promote<ptrx4, ptrx4> &&
              promote<tile<void*>, tile<void*>>);
static_assert(negate<i8x4, i8x4> && negate<u32x4, u32x4> && negate<bx4, bx4> && negate<f64x4 const, f64x4>);
static_assert(negate<ptrx4, no>);
static_assert(complement<i8x4, i8x4> && complement<u32x4, u32x4> && complement<f32x4, no> &&
              complement<ptrx4, no>);
static_assert(invert<i8x4, bx4> && invert<f32x4, bx4> && invert<ptrx4, bx4> && invert<tile<int>, tile<bool>>);
static_assert(absolute<i8x4, i8x4> && absolute<short, short> && absolute<f32x4, f32x4> && absolute<bx4, bx4>);
static_assert(absolute<u32x4, u32x4> && absolute<ptrx4, no> && absolute<int*, no>);

// [2.2.11] to [2.2.13]
template <typename T, typename U, typename R>
constexpr bool bits = bit_and<T, U, R> && bit_or<T, U, R> && bit_xor<T, U, R>;
static_assert(bits<i32x4, i32x4, i32x4> && bits<i8x4, i16x4, i16x4> && bits<bx4, bool, bx4> &&
              bits<i32x4, short, i32x4>);
static_assert(bits<i32x2x1, i32x4, tile<int, 2, 4>> && bits<i32x4, unsigned, no> && bits<i8x4, int, no>);
static_assert(bits<f32x4, f32x4, no> && bits<f32x4, int, no> && bits<ptrx4, int, no>);

// [2.2.15] [2.2.16] shifts: elements of the left operand, of any integral type the right one
template <typename T, typename U, typename R>
constexpr bool shift = shift_left<T, U, R> && shift_right<T, U, R>;
static_assert(shift<i16x4, long long, i16x4> && shift<i8x4, u32x4, i8x4> && shift<short, i32x4, i16x4>);
static_assert(shift<i32x2x1, tile<unsigned char, 4>, tile<int, 2, 4>> && shift<i32x4, bool, i32x4>);
static_assert(shift<i32x4, float, no> && shift<f32x4, int, no> && shift<i32x4, tile<int, 2>, no>);

// [2.2.17] [2.2.18] operands may be anything that converts to bool
template <typename T, typename U, typename R>
constexpr bool logic = both<T, U, R> && one<T, U, R>;
static_assert(logic<bx4, bx4, bx4> && logic<i32x4, f32x4, bx4> && logic<i32x4, unsigned, bx4> &&
              logic<ptrx4, bool, bx4>);
static_assert(logic<i32x2x1, f32x4, tile<bool, 2, 4>> && logic<tile<int>, int, tile<bool>>);
static_assert(logic<i32x4, tile<int, 2>, no>);

// [2.2.23] fma: the type of the addend; the factors broadcast, and must not narrow, not even from integral
// types
template <typename L, typename R, typename A>
concept fused = requires(L l, R r, A a) { ct::fma(l, r, a); };
static_assert(
    same<decltype(ct::fma(any<float>(), any<f32x4>(), any<tile<double, 2, 4>>())), tile<double, 2, 4>>);
static_assert(same<decltype(ct::fma(1.0f, 2.0f, 3.0f)), float> &&
              same<decltype(ct::fma(1.0f, 2.0f, 3.0)), double>);
static_assert(fused<f32x4, float, f32x4> && !fused<f64x4, f32x4, f32x4> && !fused<double, f32x4, f32x4>);
static_assert(!fused<int, f32x4, f32x4> && !fused<f32x4, i32x4, f32x4> && !fused<i32x4, i32x4, i32x4>);
static_assert(!fused<tile<float, 2, 4>, f32x4, f32x4>); // the addend is not broadcast

// [2.2.26] [2.2.27] pointers and offsets
static_assert(plus<ptrx4, int, ptrx4> && plus<int, ptrx4, ptrx4> && minus<ptrx4, int, ptrx4>);
static_assert(plus<int*, i32x4, ptrx4> && plus<i32x4, int const*, cptrx4> && minus<int*, i32x4, ptrx4>);
static_assert(plus<int*, i32x2x1, tile<int*, 2, 1>> &&
              plus<ptrx4, tile<unsigned long, 2, 1>, tile<int*, 2, 4>>);
static_assert(plus<ptrx4, bx4, ptrx4> && plus<ptrx4, char, ptrx4>);
static_assert(minus<int, ptrx4, no> && plus<ptrx4, float, no> && plus<ptrx4, ptrx4, no>);
static_assert(plus<tile<void*, 4>, int, no> && plus<void const*, i32x4, no> &&
              minus<tile<void*, 4>, int, no>);
static_assert(plus<ptrx4, tile<int, 2>, no>);

// [2.2.28] differences
using ptrdiff = decltype(any<int*>() - any<int*>());
static_assert(minus<ptrx4, ptrx4, tile<ptrdiff, 4>> && minus<ptrx4, int const*, tile<ptrdiff, 4>>);
static_assert(minus<tile<int*, 2, 1>, cptrx4, tile<ptrdiff, 2, 4>>);
static_assert(minus<ptrx4, tile<float*, 4>, no> && minus<tile<void*, 4>, tile<void*, 4>, no>);

// [2.2.29] to [2.2.31] comparison with pointers to the same type, to void, and with the null pointer
static_assert(compare<ptrx4, ptrx4, bx4> && compare<ptrx4, int const*, bx4> &&
              compare<ptrx4, tile<void*, 4>, bx4>);
static_assert(compare<tile<int*, 2, 1>, ptrx4, tile<bool, 2, 4>>);
static_assert(compare<ptrx4, tile<float*, 4>, no> && compare<ptrx4, int, no>);
static_assert(equal<ptrx4, decltype(nullptr), bx4> && unequal<ptrx4, decltype(nullptr), bx4>);
static_assert(equal<decltype(nullptr), ptrx4, bx4> && unequal<decltype(nullptr), tile<void*>, tile<bool>>);
static_assert(less<ptrx4, decltype(nullptr), no> && equal<i32x4, decltype(nullptr), no>);

static_assert(noexcept(any<i32x4>() + any<i32x4>()) && noexcept(ct::add(1, 2)) &&
              noexcept(any<i32x4>() == 1));
static_assert(noexcept(any<i32x4>() << 1) && noexcept(!any<i32x4>()) && noexcept(any<ptrx4>() + 1));
static_assert(noexcept(ct::fma(1.f, 1.f, 1.f)) && noexcept(ct::mulhi(1, 1)) &&
              noexcept(any<ptrx4>() == nullptr));

} // namespace types
