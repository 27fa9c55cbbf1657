// [1.9] Overloads with rounding, subnormals and NaN modes: which modes go with which types.
#include "programs.h"

using f32x4 = tile<float, 4>;
using f64x4 = tile<double, 4>;
using i32x4 = tile<int, 4>;
using nearest = ct::round_ties_to_even_t;
using zero = ct::round_toward_zero_t;
using down = ct::round_toward_negative_t;
using up = ct::round_toward_positive_t;
using approximate = ct::round_approximate_t;
using full = ct::round_full_t;
using flush = ct::round_subnormals_to_zero_t;
using preserve = ct::preserve_subnormals_t;
using suppress = ct::suppress_nan_t;
using propagate = ct::propagate_nan_t;

// Modes are arguments or template arguments.
template <typename T, typename Mode, typename SubMode = preserve>
concept adds = requires(T x, Mode m, SubMode s) {
  ct::add(x, x, m, s);
  ct::add<Mode::value, SubMode::value>(x, x, {}, {});
  ct::sub(x, x, m, s);
  ct::mul(x, x, m, s);
};
template <typename T, typename Mode, typename SubMode = preserve>
concept adds_at_all = requires(T x, Mode m, SubMode s) { ct::add(x, x, m, s); } ||
                      requires(T x, Mode m, SubMode s) { ct::sub(x, x, m, s); } ||
                      requires(T x, Mode m, SubMode s) { ct::mul(x, x, m, s); };
template <typename T, typename Mode, typename SubMode = preserve>
concept divides = requires(T x, Mode m, SubMode s) { ct::div(x, x, m, s); };

// [2.2.1] [2.2.3] [2.2.5]: precise modes; float alone flushes subnormals
static_assert(adds<f32x4, nearest> && adds<f32x4, zero> && adds<f32x4, down> && adds<f32x4, up>);
static_assert(adds<double, nearest> && adds<f64x4, zero> && adds<f64x4, down> && adds<f64x4, up>);
static_assert(adds<f32x4, nearest, flush> && adds<float, up, flush>);
static_assert(!adds_at_all<f64x4, nearest, flush> && !adds_at_all<double, up, flush>);
static_assert(!adds_at_all<f32x4, approximate> && !adds_at_all<f32x4, full> &&
              !adds_at_all<double, approximate>);
static_assert(!adds_at_all<i32x4, nearest> && !adds_at_all<int, zero>);
static_assert(same<decltype(ct::add(any<f32x4>(), 1, zero{})), f32x4>);
static_assert(same<decltype(ct::mul(any<float>(), any<double>(), zero{})), double>);
static_assert(
    same<decltype(ct::sub(any<tile<float, 4, 1>>(), any<f32x4>(), zero{}, flush{})), tile<float, 4, 4>>);
static_assert(same<decltype(ct::add<ct::rounding_mode::round_toward_zero>(0.0, 1.0, {})), double>);
static_assert(same<decltype(ct::add(1.0f, 2.5f, {}, flush{})), float>);
// [2.2.6] division has the imprecise modes for float
static_assert(divides<f32x4, zero> && divides<f64x4, up> && divides<f32x4, approximate> &&
              divides<f32x4, full>);
static_assert(divides<f32x4, full, flush> && divides<f32x4, approximate, flush>);
static_assert(!divides<f64x4, approximate> && !divides<f64x4, full> && !divides<f64x4, zero, flush>);
static_assert(!divides<i32x4, zero>);
// An operand that would narrow is refused with a mode, too.
template <typename L, typename R>
concept adds_mixed = requires(L l, R r) { ct::add(l, r, zero{}); };
static_assert(adds_mixed<f32x4, int> && !adds_mixed<f32x4, double> && !adds_mixed<f32x4, tile<float, 2>>);

// [2.2.20] [2.2.21]
template <typename T, typename NanMode, typename SubMode = preserve>
concept orders = requires(T x, NanMode n, SubMode s) {
  ct::max(x, x, n, s);
  ct::min(x, x, n, s);
};
template <typename T, typename NanMode, typename SubMode = preserve>
concept orders_at_all = requires(T x, NanMode n, SubMode s) { ct::max(x, x, n, s); } ||
                        requires(T x, NanMode n, SubMode s) { ct::min(x, x, n, s); };
static_assert(orders<f32x4, suppress> && orders<double, propagate> && orders<float, propagate, flush>);
static_assert(!orders_at_all<double, propagate, flush> && !orders_at_all<i32x4, propagate>);
static_assert(!orders_at_all<int, suppress> && !orders_at_all<f32x4, nearest>);
static_assert(same<decltype(ct::max(any<f32x4>(), 1.0f, propagate{})), f32x4>);

// [2.2.23]
template <typename T, typename Mode, typename SubMode = preserve>
concept fuses = requires(T x, Mode m, SubMode s) { ct::fma(x, x, x, m, s); };
static_assert(fuses<f32x4, zero> && fuses<double, up> && fuses<f32x4, nearest, flush>);
static_assert(!fuses<f64x4, nearest, flush> && !fuses<f32x4, approximate> && !fuses<f32x4, full>);

// [2.4.4] [2.4.8] [2.4.9]
template <typename T, typename SubMode>
concept exponentiates = requires(T x, SubMode s) {
  ct::exp2(x, s);
  ct::rsqrt(x, s);
};
template <typename T, typename SubMode>
concept exponentiates_at_all =
    requires(T x, SubMode s) { ct::exp2(x, s); } || requires(T x, SubMode s) { ct::rsqrt(x, s); };
template <typename T, typename Mode, typename SubMode = preserve>
concept has_root = requires(T x, Mode m, SubMode s) { ct::sqrt(x, m, s); };
static_assert(exponentiates<f32x4, flush> && exponentiates<f64x4, preserve> &&
              !exponentiates_at_all<f64x4, flush>);
static_assert(has_root<f32x4, zero> && has_root<f64x4, up> && has_root<float, approximate> &&
              has_root<f32x4, down, flush>);
static_assert(!has_root<f64x4, approximate> && !has_root<f32x4, full> && !has_root<f64x4, zero, flush>);
static_assert(same<decltype(ct::sqrt(any<f32x4>(), approximate{}, flush{})), f32x4>);

// [2.6.3] [2.6.4] [2.6.7] [2.6.8] [2.6.12] [2.6.13]
template <typename T, typename Mode, typename SubMode = preserve>
concept sums = requires(T x, Mode m, SubMode s) {
  ct::sum(x, 0_ic, m, s);
  ct::prod(x, 0_ic, m, s);
  ct::partial_sum(x, 0_ic, m, s);
  ct::partial_prod(x, 0_ic, m, s);
};
template <typename T, typename Mode, typename SubMode = preserve>
concept sums_at_all = requires(T x, Mode m, SubMode s) { ct::sum(x, 0_ic, m, s); } ||
                      requires(T x, Mode m, SubMode s) { ct::prod(x, 0_ic, m, s); } ||
                      requires(T x, Mode m, SubMode s) { ct::partial_sum(x, 0_ic, m, s); } ||
                      requires(T x, Mode m, SubMode s) { ct::partial_prod(x, 0_ic, m, s); };
static_assert(sums<f32x4, zero> && sums<f64x4, down> && sums<f32x4, nearest, flush>);
static_assert(!sums_at_all<f64x4, nearest, flush> && !sums_at_all<f32x4, approximate> &&
              !sums_at_all<i32x4, zero>);
static_assert(same<decltype(ct::sum(any<tile<float, 2, 4>>(), 1_ic, zero{})), tile<float, 2, 1>>);
static_assert(same<decltype(ct::partial_sum(any<i32x4>(), 0_ic)), i32x4>);
static_assert(same<decltype(ct::partial_prod<0>(any<f64x4>())), f64x4>);
static_assert(same<decltype(ct::partial_sum(any<f32x4>(), 0_ic, up{}, flush{})), f32x4>);
template <typename T, auto D>
concept scans = requires(T x) { ct::partial_sum<D>(x); } && requires(T x) { ct::partial_prod<D>(x); };
template <typename T, auto D>
concept scans_at_all = requires(T x) { ct::partial_sum<D>(x); } || requires(T x) { ct::partial_prod<D>(x); };
static_assert(scans<tile<int, 2, 4>, 1> && !scans_at_all<tile<int, 2, 4>, 2> &&
              !scans_at_all<tile<int, 2, 4>, -1>);
static_assert(!scans_at_all<int, 0> && !scans_at_all<tile<int*, 4>, 0>);
template <typename T, typename NanMode, typename SubMode = preserve>
concept reduces = requires(T x, NanMode n, SubMode s) {
  ct::reduce_max(x, 0_ic, n, s);
  ct::reduce_min(x, 0_ic, n, s);
};
template <typename T, typename NanMode, typename SubMode = preserve>
concept reduces_at_all = requires(T x, NanMode n, SubMode s) { ct::reduce_max(x, 0_ic, n, s); } ||
                         requires(T x, NanMode n, SubMode s) { ct::reduce_min(x, 0_ic, n, s); };
static_assert(reduces<f32x4, suppress> && reduces<f64x4, propagate> && reduces<f32x4, propagate, flush>);
static_assert(!reduces_at_all<f64x4, propagate, flush> && !reduces_at_all<i32x4, propagate>);
static_assert(same<decltype(ct::reduce_max(any<f32x4>(), 0_ic, propagate{})), tile<float, 1>>);
