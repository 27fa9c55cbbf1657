// [2.3] Tile operations, [2.4] math, [2.5] matrix multiplication, [2.6] reductions: types and constraints.
#include "programs.h"

using i32x2x4 = tile<int, 2, 4>;
using f32x4 = tile<float, 4>;
using bx4 = tile<bool, 4>;
using ptrx4 = tile<int*, 4>;

// [2.3.1] to [2.3.4]
static_assert(same<decltype(ct::full<i32x2x4>(42)), i32x2x4> && same<decltype(ct::full<int>(42)), int>);
static_assert(same<decltype(ct::full<ptrx4>(nullptr)), ptrx4>);
static_assert(same<decltype(ct::iota<i32x2x4>()), i32x2x4> && same<decltype(ct::iota<int>()), int>);
static_assert(same<decltype(ct::ones<bx4>()), bx4> && same<decltype(ct::zeros<double>()), double>);
template <typename T>
concept has_iota = requires { ct::iota<T>(); };
static_assert(has_iota<tile<signed char, 128>> && !has_iota<tile<signed char, 256>>);
static_assert(has_iota<tile<unsigned char, 256>> && !has_iota<tile<unsigned char, 256, 2>>);
static_assert(has_iota<tile<bool, 2>> && !has_iota<bx4> && has_iota<tile<short, 32768>>);
static_assert(!has_iota<f32x4> && !has_iota<ptrx4> && has_iota<bool>);
template <typename T>
concept has_ones = requires { ct::ones<T>(); };
template <typename T>
concept has_zeros = requires { ct::zeros<T>(); };
static_assert(has_ones<i32x2x4> && has_ones<float> && !has_ones<ptrx4> && !has_ones<int*>);
static_assert(has_zeros<i32x2x4> && has_zeros<float> && !has_zeros<ptrx4> && !has_zeros<int*>);

// [2.3.5] [2.3.6]
static_assert(same<decltype(ct::isinf(any<f32x4>())), bx4> && same<decltype(ct::isnan(1.0)), bool>);
static_assert(noexcept(ct::isinf(1.0f)) &&
              noexcept(ct::isnan(any<f32x4>()))); // not printed #noexcept-classification
template <typename T>
concept classified = requires(T x) { ct::isinf(x); } && requires(T x) { ct::isnan(x); };
static_assert(classified<f32x4> && classified<double> && !classified<int> && !classified<ptrx4>);

// [2.3.7] reshape
static_assert(same<decltype(ct::reshape(any<i32x2x4>(), ct::shape{4_ic, 2_ic})), tile<int, 4, 2>>);
static_assert(same<decltype(ct::reshape<ct::shape<8>>(any<i32x2x4>())), tile<int, 8>>);
static_assert(same<decltype(ct::reshape(1, ct::shape<1, 1>{})), tile<int, 1, 1>>);
static_assert(same<decltype(ct::reshape(any<tile<int*, 1>>(), ct::shape<>{})), tile<int*>>);
template <typename T, typename S>
concept reshapes = requires(T x, S s) { ct::reshape(x, s); };
static_assert(reshapes<i32x2x4, ct::shape<2, 2, 2>> && !reshapes<i32x2x4, ct::shape<4>>);
template <typename T, typename S>
concept reshapes_to = requires(T x) { ct::reshape<S>(x); };
static_assert(!reshapes_to<i32x2x4, ct::shape<8> const>); // #const-models
static_assert(!reshapes<int, ct::shape<2>> && !reshapes<i32x2x4, ct::extents<int, 8>> &&
              !reshapes<i32x2x4, int>);

// [2.3.8] [2.3.9]
template <auto... Idx>
using map = ct::dimension_map<Idx...>;
static_assert(same<ct::tile_permutation_t<int, map<>>, int> &&
              same<ct::tile_permutation_t<int const, map<>>, int>);
static_assert(same<ct::tile_permutation_t<tile<int>, map<> const>, tile<int>>);
static_assert(same<ct::tile_permutation_t<tile<int, 8>, map<0>>, tile<int, 8>>);
static_assert(same<ct::tile_permutation_t<tile<int, 4, 2, 16, 8>, map<2, 1, 3, 0>>, tile<int, 16, 2, 8, 4>>);
static_assert(same<ct::tile_permutation_t<tile<int, 4, 2, 8> const, map<2, 0, 1>>, tile<int, 8, 4, 2>>);
static_assert(same<decltype(ct::permute(any<i32x2x4>(), map<1, 0>{})), tile<int, 4, 2>>);
static_assert(same<decltype(ct::permute<map<1, 0>>(any<i32x2x4>())), tile<int, 4, 2>>);
static_assert(same<decltype(ct::permute(1, map<>{})), int>);
template <typename T, typename M>
concept permutes = requires(T x, M m) { ct::permute(x, m); };
static_assert(permutes<i32x2x4, map<0, 1>> && !permutes<i32x2x4, map<0>> && !permutes<i32x2x4, map<2, 1, 0>>);
static_assert(!permutes<i32x2x4, int> && !permutes<int, map<0>>);
// [2.3.10] [2.3.11]
static_assert(same<ct::tile_transpose_t<int>, int> && same<ct::tile_transpose_t<tile<int>>, tile<int>>);
static_assert(same<ct::tile_transpose_t<tile<int, 8>>, tile<int, 8>>);
static_assert(same<ct::tile_transpose_t<tile<int, 4, 2, 16, 8>>, tile<int, 2, 4, 16, 8>>);
static_assert(same<decltype(ct::transpose(any<i32x2x4>())), tile<int, 4, 2>>);
static_assert(same<decltype(ct::transpose(1)), int>);

// [2.3.12] to [2.3.14]
template <typename T, typename U, auto D>
constexpr bool can_cat = ct::concatenation_compatible<T, U, D>;
static_assert(can_cat<i32x2x4, i32x2x4, 0> && can_cat<i32x2x4, i32x2x4, 1> && !can_cat<i32x2x4, i32x2x4, 2>);
static_assert(!can_cat<int, int, 0> && !can_cat<tile<int>, tile<int>, 0>);
static_assert(!can_cat<i32x2x4, tile<float, 2, 4>, 0> && !can_cat<i32x2x4, tile<int, 4, 4>, 1>);
static_assert(!can_cat<i32x2x4, tile<int, 4, 4>, 0>); // 6 is no power of two
static_assert(!can_cat<i32x2x4, tile<int, 8>, 0> && !can_cat<tile<int, 1 << 24>, tile<int, 1 << 24>, 0>);
static_assert(same<ct::concatenation_t<i32x2x4, i32x2x4, 0>, tile<int, 4, 4>>);
static_assert(same<ct::concatenation_t<i32x2x4, i32x2x4 const, 1>, tile<int, 2, 8>>);
static_assert(same<decltype(ct::cat(any<ptrx4>(), any<ptrx4>(), 0_ic)), tile<int*, 8>>);
static_assert(same<decltype(ct::cat<1>(any<i32x2x4>(), any<i32x2x4>())), tile<int, 2, 8>>);
template <typename T, typename U, auto D>
concept cats = requires(T x, U y) { ct::cat<D>(x, y); };
static_assert(cats<i32x2x4, i32x2x4, 1u> && !cats<i32x2x4, i32x2x4, -1> && !cats<i32x2x4, i32x2x4, 2>);

// [2.3.15] select: the condition is broadcast, the operands are of one type
static_assert(same<decltype(ct::select(any<tile<bool, 2, 1>>(), any<i32x2x4>(), any<i32x2x4>())), i32x2x4>);
static_assert(same<decltype(ct::select(1.0f, any<ptrx4>(), any<ptrx4>())), ptrx4>);
static_assert(same<decltype(ct::select(true, 1, 2)), int>);
template <typename C, typename T, typename U>
concept selects = requires(C c, T x, U y) { ct::select(c, x, y); };
static_assert(selects<int*, i32x2x4, i32x2x4> && !selects<bool, i32x2x4, tile<short, 2, 4>>);
static_assert(!selects<bool, i32x2x4, int> && !selects<tile<bool, 4>, int, int>);
static_assert(!selects<tile<bool, 2, 2, 4>, i32x2x4, i32x2x4>);

// [2.3.16] [2.3.17]
static_assert(ct::extractable_from<ct::shape<>, int> && ct::extractable_from<ct::shape<>, tile<int>>);
static_assert(ct::extractable_from<ct::shape<16, 2>, tile<int, 32, 8>>);
static_assert(!ct::extractable_from<ct::shape<2, 16>, tile<int, 32, 8>>);
static_assert(!ct::extractable_from<ct::shape<2>, tile<int, 32, 8>> &&
              !ct::extractable_from<ct::shape<1>, int>);
static_assert(!ct::extractable_from<ct::extents<int, 16, 2>, tile<int, 32, 8>>);
static_assert(same<decltype(ct::extract(any<i32x2x4>(), ct::shape{1_ic, 2_ic}, 0, 1)), tile<int, 1, 2>>);
static_assert(same<decltype(ct::extract(any<i32x2x4>(), ct::shape{1_ic, 2_ic}, 0_ic, 1u)), tile<int, 1, 2>>);
static_assert(same<decltype(ct::extract(1, ct::shape<>{})), tile<int>>);
template <typename T, typename S, typename... Idx>
concept extracts = requires(T x, S s, Idx... idx) { ct::extract(x, s, idx...); };
static_assert(extracts<i32x2x4, ct::shape<1, 1>, int, float> && !extracts<i32x2x4, ct::shape<1, 1>, int>);
static_assert(!extracts<i32x2x4, ct::shape<1, 1>, int, int, int> &&
              !extracts<i32x2x4, ct::shape<1, 1>, int, int*>);
static_assert(!extracts<i32x2x4, ct::shape<4, 4>, int, int>);

// [2.3.18]
static_assert(same<decltype(ct::broadcast(any<tile<int, 2, 1>>(), ct::shape{2_ic, 4_ic})), i32x2x4>);
static_assert(same<decltype(ct::broadcast<ct::shape<2, 4>>(1)), i32x2x4>);
static_assert(same<decltype(ct::broadcast(1, ct::shape<>{})), tile<int>>); // always a tile
template <typename T, typename S>
concept broadcasts = requires(T x, S s) { ct::broadcast(x, s); };
static_assert(broadcasts<ptrx4, ct::shape<2, 4>> && !broadcasts<ptrx4, ct::shape<4, 2>>);
static_assert(!broadcasts<int, ct::shape<3>> && !broadcasts<i32x2x4, ct::shape<4>>);

// [2.3.19] [2.3.20]
static_assert(same<decltype(ct::element_cast<double>(any<i32x2x4>())), tile<double, 2, 4>>);
static_assert(same<decltype(ct::element_cast<float const>(1)), float>);
static_assert(same<decltype(ct::element_cast<void const*>(any<ptrx4>())), tile<void const*, 4>>);
static_assert(same<decltype(ct::element_bitcast<unsigned>(any<f32x4>())), tile<unsigned, 4>>);
static_assert(same<decltype(ct::element_bitcast<double>(any<unsigned long long>())), double>);
template <typename T, typename E>
concept casts = requires(T x) { ct::element_cast<E>(x); };
template <typename T, typename E>
concept bitcasts = requires(T x) { ct::element_bitcast<E>(x); };
static_assert(casts<i32x2x4, bool> && casts<ptrx4, bool> && !casts<ptrx4, long> && !casts<i32x2x4, int*>);
static_assert(!casts<ptrx4, float*> && !casts<tile<int const*>, int*>);
static_assert(bitcasts<i32x2x4, float> && bitcasts<ptrx4, unsigned long long> &&
              bitcasts<tile<unsigned char>, bool>);
static_assert(!bitcasts<i32x2x4, double> && !bitcasts<int, short>);

// [2.4] math: of basic floating point tiles, in their own type
template <typename T>
concept has_math = requires(T x) {
  requires same<decltype(ct::ceil(x)), T> && same<decltype(ct::floor(x)), T>;
  requires same<decltype(ct::exp2(x)), T> && same<decltype(ct::exp(x)), T>;
  requires same<decltype(ct::log2(x)), T> && same<decltype(ct::log(x)), T>;
  requires same<decltype(ct::sqrt(x)), T> && same<decltype(ct::rsqrt(x)), T>;
  requires same<decltype(ct::cosh(x)), T> && same<decltype(ct::cos(x)), T>;
  requires same<decltype(ct::sinh(x)), T> && same<decltype(ct::sin(x)), T>;
  requires same<decltype(ct::tanh(x)), T> && same<decltype(ct::tan(x)), T>;
};
static_assert(has_math<float> && has_math<double> && has_math<f32x4> && has_math<tile<double, 2, 2>>);
template <typename T>
concept has_some_math = requires(T x) { ct::ceil(x); } || requires(T x) { ct::exp(x); } ||
                        requires(T x) { ct::sqrt(x); } || requires(T x) { ct::tan(x); };
static_assert(!has_some_math<int> && !has_some_math<i32x2x4> && !has_some_math<ptrx4>);
// [2.4.3] [2.4.16] of two operands, with arithmetic conversion
static_assert(same<decltype(ct::pow(any<f32x4>(), 2.0f)), f32x4> &&
              same<decltype(ct::pow(2.0f, 2.0)), double>);
static_assert(same<decltype(ct::pow(any<f32x4>(), any<tile<double, 2, 1>>())), tile<double, 2, 4>>);
static_assert(same<decltype(ct::atan2(any<f32x4>(), 2)), f32x4> && same<decltype(ct::atan2(1, 2.0)), double>);
template <typename T, typename U>
concept powers = requires(T x, U y) { ct::pow(x, y); };
template <typename T, typename U>
concept angles = requires(T y, U x) { ct::atan2(y, x); };
static_assert(!powers<f32x4, double> && !powers<int, float> && !powers<i32x2x4, i32x2x4>);
static_assert(!angles<f32x4, double> && !angles<int, int> && !angles<i32x2x4, float> &&
              angles<i32x2x4, f32x4>);

// [2.5.1] mma
template <typename L, typename R, typename A>
constexpr bool multiplies = ct::mma_compatible<L, R, A>;
static_assert(multiplies<tile<float, 2, 8>, tile<float, 8, 4>, tile<float, 2, 4>>);
static_assert(multiplies<tile<double, 2, 8>, tile<double, 8, 4>, tile<double, 2, 4>>);
static_assert(multiplies<tile<signed char, 2, 8>, tile<signed char, 8, 4>, tile<int, 2, 4>>);
static_assert(
    multiplies<tile<signed char, 2, 8>, tile<unsigned char, 8, 4>, tile<int, 2, 4>>); // one bitwidth
static_assert(multiplies<tile<char, 2, 8>, tile<char8_t, 8, 4>, tile<int, 2, 4>>);
static_assert(!multiplies<tile<float, 2, 8>, tile<float, 8, 4>, tile<double, 2, 4>>);
static_assert(!multiplies<tile<double, 2, 8>, tile<double, 8, 4>, tile<float, 2, 4>>);
static_assert(!multiplies<tile<float, 2, 8>, tile<double, 8, 4>, tile<double, 2, 4>>);
static_assert(!multiplies<tile<int, 2, 8>, tile<int, 8, 4>, tile<int, 2, 4>>);
static_assert(!multiplies<tile<short, 2, 8>, tile<short, 8, 4>, tile<int, 2, 4>>);
static_assert(!multiplies<tile<signed char, 2, 8>, tile<signed char, 8, 4>, tile<unsigned, 2, 4>>);
static_assert(!multiplies<tile<signed char, 2, 8>, tile<signed char, 8, 4>, tile<long long, 2, 4>>);
static_assert(
    !multiplies<tile<bool, 2, 8>, tile<bool, 8, 4>, tile<int, 2, 4>>); // its bitwidth is 1 #bool-matrices
static_assert(!multiplies<tile<float, 2, 8>, tile<float, 4, 8>, tile<float, 2, 4>>);
static_assert(!multiplies<tile<float, 2, 8>, tile<float, 8, 4>, tile<float, 4, 2>>);
static_assert(!multiplies<tile<float, 8>, tile<float, 8>, tile<float, 8>> &&
              !multiplies<float, float, float>);
static_assert(!multiplies<tile<int*, 2, 2>, tile<int*, 2, 2>, tile<int*, 2, 2>>);
// rank 3: each batch is that of the accumulator, or 1
static_assert(multiplies<tile<float, 4, 2, 8>, tile<float, 4, 8, 4>, tile<float, 4, 2, 4>>);
static_assert(multiplies<tile<float, 1, 2, 8>, tile<float, 4, 8, 4>, tile<float, 4, 2, 4>>);
static_assert(multiplies<tile<float, 4, 2, 8>, tile<float, 1, 8, 4>, tile<float, 4, 2, 4>>);
static_assert(multiplies<tile<float, 1, 2, 8>, tile<float, 1, 8, 4>, tile<float, 4, 2, 4>>);
static_assert(!multiplies<tile<float, 4, 2, 8>, tile<float, 4, 8, 4>, tile<float, 1, 2, 4>>);
static_assert(
    !multiplies<tile<float, 2, 2, 8>, tile<float, 1, 8, 4>, tile<float, 4, 2, 4>>); // "and", not "or"
static_assert(!multiplies<tile<float, 2, 8>, tile<float, 1, 8, 4>, tile<float, 1, 2, 4>>);
static_assert(!multiplies<tile<float, 1, 1, 2, 8>, tile<float, 1, 1, 8, 4>, tile<float, 1, 1, 2, 4>>);
static_assert(
    same<decltype(ct::mma(any<tile<float, 2, 8>>(), any<tile<float, 8, 4>>(), any<tile<float, 2, 4>>())),
         tile<float, 2, 4>>);

// [2.5.2] [2.5.3] [2.5.5] matmul
static_assert(same<ct::matmul_result_t<tile<float, 2, 8>, tile<float, 8, 4>>, tile<float, 2, 4>>);
static_assert(same<ct::matmul_result_t<tile<double, 2, 8>, tile<double, 8, 4>>, tile<double, 2, 4>>);
static_assert(
    same<ct::matmul_result_t<tile<signed char, 2, 8>, tile<unsigned char, 8, 4>>, tile<int32_t, 2, 4>>);
static_assert(same<ct::matmul_result_t<tile<float, 1, 2, 8>, tile<float, 4, 8, 4>>, tile<float, 4, 2, 4>>);
static_assert(same<ct::matmul_result_t<tile<float, 4, 2, 8>, tile<float, 4, 8, 4>>, tile<float, 4, 2, 4>>);
static_assert(
    same<decltype(ct::matmul(any<tile<float, 2, 8>>(), any<tile<float, 8, 4>>())), tile<float, 2, 4>>);
static_assert(!ct::matmul_compatible<tile<float, 2, 8>, tile<float, 4, 8>>);
static_assert(!ct::matmul_compatible<tile<float, 2, 2, 8>, tile<float, 4, 8, 4>>);
static_assert(!ct::matmul_compatible<tile<int, 2, 8>, tile<int, 8, 4>>);
static_assert(!ct::matmul_compatible<tile<bool, 2, 8>, tile<bool, 8, 4>>); // #bool-matrices
static_assert(!ct::matmul_compatible<tile<float, 2, 8>, tile<double, 8, 4>>);
static_assert(
    !ct::matmul_compatible<tile<float, 1 << 13, 1>, tile<float, 1, 1 << 12>>); // no tile is so large

// [2.6.2] reductions
static_assert(same<ct::reduction_result_t<i32x2x4, 0>, tile<int, 1, 4>>);
static_assert(same<ct::reduction_result_t<i32x2x4 const, 1>, tile<int, 2, 1>>);
static_assert(same<ct::reduction_result_t<ptrx4, 0>, tile<int*, 1>>);
static_assert(same<decltype(ct::sum(any<i32x2x4>(), 0_ic)), tile<int, 1, 4>>);
static_assert(same<decltype(ct::sum<1>(any<tile<bool, 2, 4>>())), tile<bool, 2, 1>>);
static_assert(same<decltype(ct::prod<1u>(any<i32x2x4>())), tile<int, 2, 1>>);
static_assert(same<decltype(ct::reduce_max(any<f32x4>(), 0_ic)), tile<float, 1>>);
static_assert(same<decltype(ct::reduce_min(any<f32x4>(), 0_ic)), tile<float, 1>>);
static_assert(same<decltype(ct::all_of(any<f32x4>(), 0_ic)), tile<bool, 1>>);
static_assert(same<decltype(ct::any_of(any<tile<int*, 2, 4>>(), 1_ic)), tile<bool, 2, 1>>);
static_assert(same<decltype(ct::reduce_bitand(any<i32x2x4>(), 0_ic)), tile<int, 1, 4>>);
static_assert(same<decltype(ct::reduce_bitor(any<i32x2x4>(), 0_ic)), tile<int, 1, 4>>);
static_assert(same<decltype(ct::reduce_bitxor(any<i32x2x4>(), 0_ic)), tile<int, 1, 4>>);
template <typename T, auto D>
concept sums = requires(T x) { ct::sum<D>(x); };
template <typename T, auto D>
concept orders = requires(T x) { ct::reduce_max<D>(x); } && requires(T x) { ct::reduce_min<D>(x); };
template <typename T, auto D>
concept ands = requires(T x) { ct::reduce_bitand<D>(x); };
template <typename T, auto D>
concept alls = requires(T x) { ct::all_of<D>(x); } && requires(T x) { ct::any_of<D>(x); };
static_assert(sums<i32x2x4, 1> && !sums<i32x2x4, 2> && !sums<i32x2x4, -1> && !sums<int, 0> &&
              !sums<ptrx4, 0>);
static_assert(orders<i32x2x4, 1> && !orders<i32x2x4, 2> && !orders<ptrx4, 0>);
static_assert(ands<i32x2x4, 1> && !ands<i32x2x4, 2> && !ands<f32x4, 0>);
static_assert(alls<ptrx4, 0> && !alls<ptrx4, 1> && !alls<bool, 0>);

static_assert(noexcept(ct::full<i32x2x4>(1)) && noexcept(ct::transpose(any<i32x2x4>())));
static_assert(noexcept(ct::exp(1.0)) && noexcept(ct::sum<0>(any<f32x4>())) && noexcept(ct::iota<i32x2x4>()));
