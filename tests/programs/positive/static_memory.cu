// [2.7] Memory operations, [2.15] assumptions: types and constraints.
#include "programs.h"

using i32x4 = tile<int, 4>;
using ptrx4 = tile<int*, 4>;
using bx4 = tile<bool, 4>;
using relaxed = ct::memory_order_relaxed_t;
using acquire = ct::memory_order_acquire_t;
using release = ct::memory_order_release_t;
using acq_rel = ct::memory_order_acq_rel_t;
using block = ct::thread_scope_block_t;

// [2.7.1] to [2.7.3]
static_assert(ct::loadable_tile<int*> && ct::loadable_tile<ptrx4> && ct::loadable_tile<int const*>);
static_assert(ct::loadable_tile<ptrx4 const> && ct::loadable_tile<int* volatile>);
static_assert(!ct::loadable_tile<void*> && !ct::loadable_tile<tile<void const*, 4>>);
static_assert(!ct::loadable_tile<int volatile*> && !ct::loadable_tile<int const volatile*>);
static_assert(!ct::loadable_tile<int> && !ct::loadable_tile<i32x4> && !ct::loadable_tile<int**>);
static_assert(ct::storeable_tile<int*> && ct::storeable_tile<ptrx4> && ct::storeable_tile<int* const>);
static_assert(!ct::storeable_tile<int const*> && !ct::storeable_tile<tile<int const*, 4>>);
static_assert(!ct::storeable_tile<void*> && !ct::storeable_tile<int volatile*>);
static_assert(same<ct::tile_load_t<int const* const>, int> &&
              same<ct::tile_load_t<tile<int const*, 4>>, i32x4>);
static_assert(same<ct::tile_load_t<tile<double*>>, tile<double>>);

// [2.7.4] loads
static_assert(same<decltype(ct::load(any<int const*>())), int> &&
              same<decltype(ct::load(any<ptrx4>())), i32x4>);
static_assert(same<decltype(ct::load(any<tile<double const*>>())), tile<double>>);
static_assert(same<decltype(ct::load(any<int (&)[3]>())), int> &&
              same<decltype(ct::load_masked(any<int const (&)[3]>(), true)), int> &&
              same<decltype(ct::load_masked(any<int (&)[3]>(), true, 1)), int>); // arrays convert
static_assert(same<decltype(ct::load_masked(any<ptrx4>(), any<bx4>())), i32x4>);
static_assert(same<decltype(ct::load_masked(any<ptrx4>(), true, 0)), i32x4>);
static_assert(same<decltype(ct::load_masked(any<int*>(), 1.0f, 2.5)), int>); // may narrow #narrowing-padding
template <typename P>
concept loads = requires(P p) { ct::load(p); };
template <typename P, typename M, typename Pad>
concept loads_masked = requires(P p, M m, Pad pad) { ct::load_masked(p, m, pad); };
static_assert(loads<ptrx4> && !loads<i32x4> && !loads<void*> && !loads<int volatile*>);
static_assert(loads_masked<ptrx4, tile<int*, 1>, tile<short, 4>> && !loads_masked<ptrx4, tile<bool, 2>, int>);
static_assert(!loads_masked<ptrx4, tile<bool, 2, 4>, int> && !loads_masked<ptrx4, bool, tile<int, 2>>);
static_assert(!loads_masked<ptrx4, bool, int*> && !loads_masked<int*, bx4, int>);
static_assert(loads_masked<ptrx4, bool, float>);               // #narrowing-padding
static_assert(loads_masked<tile<signed char*, 4>, bool, int>); // #narrowing-padding

static_assert(same<decltype(ct::atomic_load(any<ptrx4>(), relaxed{})), i32x4>);
static_assert(same<decltype(ct::atomic_load(any<ptrx4>(), acquire{}, block{})), i32x4>);
static_assert(same<decltype(ct::atomic_load<ct::memory_order::relaxed>(any<double const*>())), double>);
static_assert(same<decltype(ct::atomic_load_masked(any<ptrx4>(), any<bx4>(), relaxed{})), i32x4>);
static_assert(same<decltype(ct::atomic_load_masked(any<ptrx4>(), any<bx4>(), 7, relaxed{}, block{})), i32x4>);
template <typename P, typename Order>
concept atomically_loads = requires(P p, Order o) { ct::atomic_load(p, o); } && requires(P p, Order o) {
  ct::atomic_load_masked(p, true, o);
} && requires(P p, Order o) { ct::atomic_load_masked(p, true, 0, o); };
template <typename P, typename Order>
concept atomically_loads_at_all = requires(P p, Order o) { ct::atomic_load(p, o); } ||
                                  requires(P p, Order o) { ct::atomic_load_masked(p, true, o); } ||
                                  requires(P p, Order o) { ct::atomic_load_masked(p, true, 0, o); };
static_assert(atomically_loads<ptrx4, relaxed> && atomically_loads<int const*, acquire>);
static_assert(!atomically_loads_at_all<ptrx4, release> && !atomically_loads_at_all<ptrx4, acq_rel>);
static_assert(!atomically_loads_at_all<void*, relaxed>);

// [2.7.5] stores: values of the pointers' shape that do not narrow
static_assert(same<decltype(ct::store(any<ptrx4>(), any<i32x4>())), void>);
static_assert(same<decltype(ct::store_masked(any<ptrx4>(), any<i32x4>(), true)), void>);
template <typename P, typename V>
concept stores = requires(P p, V v) { ct::store(p, v); };
template <typename P, typename V, typename M>
concept stores_masked = requires(P p, V v, M m) { ct::store_masked(p, v, m); };
static_assert(stores<ptrx4, tile<short, 4>> && stores<int*, tile<int>> && stores<double*, float>);
static_assert(stores<tile<int*>, int> && stores_masked<ptrx4, i32x4, tile<float, 1>>);
static_assert(!stores<int*, float> && !stores<float*, int> && !stores<float*, double> &&
              !stores<short*, int>);
static_assert(!stores<ptrx4, int> && !stores<ptrx4, tile<int, 1>> && !stores<int*, i32x4>); // not broadcast
static_assert(!stores<int const*, int> && !stores<void*, int> && !stores<int volatile*, int> &&
              !stores<int, int>);
static_assert(!stores_masked<ptrx4, i32x4, tile<bool, 2>> && !stores_masked<int*, int, bx4>);
template <typename P, typename Order>
concept atomically_stores = requires(P p, Order o) { ct::atomic_store(p, 1, o); } &&
                            requires(P p, Order o) { ct::atomic_store_masked(p, 1, true, o, block{}); };
template <typename P, typename Order>
concept atomically_stores_at_all = requires(P p, Order o) {
  ct::atomic_store(p, 1, o);
} || requires(P p, Order o) { ct::atomic_store_masked(p, 1, true, o, block{}); };
static_assert(atomically_stores<int*, relaxed> && atomically_stores<long*, release>);
static_assert(!atomically_stores_at_all<int*, acquire> && !atomically_stores_at_all<int*, acq_rel>);
static_assert(!atomically_stores_at_all<int const*, relaxed> && !atomically_stores_at_all<short*, relaxed>);

// [2.7.6] to [2.7.14] read-modify-write operations: of 32 and 64 bits, with all memory orders
template <typename P, typename V, typename Order = relaxed>
concept exchanges_if = requires(P p, V v, Order o) {
  ct::atomic_compare_exchange(p, v, v, o);
  ct::atomic_compare_exchange_masked(p, v, v, true, o, block{});
};
template <typename P, typename V, typename Order = relaxed>
concept exchanges = requires(P p, V v, Order o) {
  ct::atomic_xchg(p, v, o);
  ct::atomic_xchg_masked(p, v, true, o, block{});
};
template <typename P, typename V, typename Order = relaxed>
concept adds = requires(P p, V v, Order o) {
  ct::atomic_add(p, v, o);
  ct::atomic_sub(p, v, o);
  ct::atomic_add_masked(p, v, true, o, block{});
  ct::atomic_sub_masked(p, v, true, o, block{});
};
template <typename P, typename V, typename Order = relaxed>
concept updates = requires(P p, V v, Order o) {
  ct::atomic_and(p, v, o);
  ct::atomic_or(p, v, o);
  ct::atomic_xor(p, v, o);
  ct::atomic_max(p, v, o);
  ct::atomic_min(p, v, o);
  ct::atomic_and_masked(p, v, true, o, block{});
  ct::atomic_or_masked(p, v, true, o, block{});
  ct::atomic_xor_masked(p, v, true, o, block{});
  ct::atomic_max_masked(p, v, true, o, block{});
  ct::atomic_min_masked(p, v, true, o, block{});
};
template <typename P, typename V>
concept updates_at_all = requires(P p, V v) { ct::atomic_and(p, v, relaxed{}); } || requires(P p, V v) {
  ct::atomic_max(p, v, relaxed{});
} || requires(P p, V v) { ct::atomic_min_masked(p, v, true, relaxed{}); };
template <typename P, typename V>
concept exchanges_at_all =
    requires(P p, V v) { ct::atomic_compare_exchange(p, v, v, relaxed{}); } ||
    requires(P p, V v) { ct::atomic_compare_exchange_masked(p, v, v, true, relaxed{}); } ||
    requires(P p, V v) { ct::atomic_xchg(p, v, relaxed{}); } ||
    requires(P p, V v) { ct::atomic_xchg_masked(p, v, true, relaxed{}); };
template <typename P, typename V>
concept adds_at_all = requires(P p, V v) { ct::atomic_add(p, v, relaxed{}); } ||
                      requires(P p, V v) { ct::atomic_sub(p, v, relaxed{}); } ||
                      requires(P p, V v) { ct::atomic_add_masked(p, v, true, relaxed{}); } ||
                      requires(P p, V v) { ct::atomic_sub_masked(p, v, true, relaxed{}); };
static_assert(exchanges_if<int*, int> && exchanges_if<unsigned long long*, unsigned> &&
              exchanges_if<ptrx4, i32x4>);
static_assert(exchanges_if<float*, float> && exchanges_if<double*, float>);
static_assert(!exchanges_at_all<short*, short> && !exchanges_at_all<bool*, bool> &&
              !exchanges_at_all<char*, char>);
static_assert(exchanges<int*, short> && exchanges<float*, float> && exchanges<double*, double>);
static_assert(!exchanges_at_all<int*, unsigned> && !exchanges_at_all<int const*, int>);
static_assert(adds<int*, int> && adds<unsigned*, unsigned> && adds<long long*, int> && adds<float*, float>);
static_assert(adds<double*, float> && adds<ptrx4, i32x4> && adds<char32_t*, char32_t>);
static_assert(!adds_at_all<short*, short> && !adds_at_all<bool*, bool> && !adds_at_all<int*, float> &&
              !adds_at_all<float*, int>);
static_assert(!adds_at_all<ptrx4, int> && !adds_at_all<int const*, int> && !adds_at_all<void*, int>);
static_assert(updates<int*, int> && updates<unsigned long*, unsigned> && updates<ptrx4, i32x4>);
static_assert(!updates_at_all<short*, short> && !updates_at_all<float*, float> &&
              !updates_at_all<bool*, bool>);
static_assert(!updates_at_all<int*, unsigned> && !updates_at_all<ptrx4, int> &&
              !updates_at_all<int const*, int>);
static_assert(adds<int*, int, acquire> && adds<int*, int, release> && adds<int*, int, acq_rel>);
static_assert(updates<int*, int, acq_rel> && exchanges<int*, int, acq_rel> &&
              exchanges_if<int*, int, acq_rel>);
static_assert(same<decltype(ct::atomic_add(any<ptrx4>(), any<i32x4>(), relaxed{})), i32x4>);
static_assert(same<decltype(ct::atomic_add(any<double*>(), 1.0f, relaxed{})), double>);
static_assert(
    same<decltype(ct::atomic_xchg<ct::memory_order::acq_rel, ct::thread_scope::device>(any<int*>(), 1)),
         int>);
static_assert(
    same<decltype(ct::atomic_compare_exchange(any<ptrx4>(), any<i32x4>(), any<tile<short, 4>>(), relaxed{})),
         i32x4>);
static_assert(
    same<decltype(ct::atomic_max_masked(any<ptrx4>(), any<i32x4>(), any<bx4>(), relaxed{})), i32x4>);

static_assert(noexcept(ct::load(any<ptrx4>())) && noexcept(ct::store(any<ptrx4>(), any<i32x4>())));
static_assert(noexcept(ct::atomic_add(any<int*>(), 1, relaxed{})));

// [2.15] assumptions return their arguments
static_assert(same<decltype(ct::assume_blocked(any<ptrx4>(), ct::shape{3_ic})), ptrx4>);
static_assert(same<decltype(ct::assume_blocked<ct::shape<3>>(any<i32x4>())), i32x4>);
static_assert(same<decltype(ct::assume_bounded(any<i32x4>(), -10_ic, 100_ic)), i32x4>);
static_assert(same<decltype(ct::assume_bounded<0, 100>(1)), int>);
static_assert(same<decltype(ct::assume_bounded_above(any<i32x4>(), 100_ic)), i32x4>);
static_assert(same<decltype(ct::assume_bounded_below(any<i32x4>(), -10_ic)), i32x4>);
static_assert(same<decltype(ct::assume_divisible(any<i32x4>(), 16_ic)), i32x4>);
static_assert(same<decltype(ct::assume_divisible_strided(any<i32x4>(), 16_ic, 3_ic, 0_ic)), i32x4>);
static_assert(same<decltype(ct::assume_aligned(any<float const*>(), 16_ic)), float const*>);
static_assert(same<decltype(ct::assume_aligned(any<ptrx4>(), 16_ic)), ptrx4>);
static_assert(same<decltype(ct::assume_aligned_strided(any<ptrx4>(), 8_ic, 3_ic, 0_ic)), ptrx4>);
static_assert(same<decltype(assume_aligned(any<float*>(), 16_ic)), float*>); // found through its argument

template <typename S, typename T>
concept blocked = requires(T x, S s) { ct::assume_blocked(x, s); };
static_assert(blocked<ct::shape<>, int> && blocked<ct::extents<short, 3, 5>, tile<int, 4, 4>>);
static_assert(!blocked<ct::shape<0>, i32x4> && !blocked<ct::shape<2, 2>, i32x4> &&
              !blocked<ct::shape<2>, tile<float, 4>>);
template <typename T, auto LB, auto UB>
concept bounded = requires(T x) { ct::assume_bounded<LB, UB>(x); };
static_assert(bounded<int, -10, 100> && bounded<int, 5, 5> && bounded<signed char, -128, 127>);
static_assert(bounded<unsigned, 0, 100> && bounded<unsigned char, 0, 127>);
static_assert(!bounded<int, 100, -10> && !bounded<signed char, -129, 0> && !bounded<signed char, 0, 128>);
static_assert(!bounded<unsigned, -1, 100> &&
              !bounded<unsigned char, 0, 128>); // at most the greatest of the signed type
static_assert(!bounded<bool, 0, 1> && !bounded<float, 0, 1> && !bounded<int*, 0, 1>);
template <typename T, auto UB>
concept bounded_above = requires(T x) { ct::assume_bounded_above<UB>(x); };
static_assert(bounded_above<int, -5> && bounded_above<unsigned char, 127> &&
              !bounded_above<unsigned char, 128>);
static_assert(!bounded_above<unsigned, -1> && !bounded_above<bool, 1> && !bounded_above<signed char, -129>);
template <typename T, auto LB>
concept bounded_below = requires(T x) { ct::assume_bounded_below<LB>(x); };
static_assert(bounded_below<int, -5> && bounded_below<signed char, 127> && !bounded_below<signed char, 128>);
static_assert(!bounded_below<unsigned, 0> && !bounded_below<bool, 0>);
template <typename T, auto N>
concept divisible = requires(T x) { ct::assume_divisible<N>(x); };
static_assert(divisible<int, 1> && divisible<bool, 16> && divisible<unsigned, 1024u>);
static_assert(!divisible<int, 3> && !divisible<int, 0> && !divisible<int, -2> && !divisible<float, 2>);
template <typename T, auto N, auto Stride, auto D>
concept divisible_strided = requires(T x) { ct::assume_divisible_strided<N, Stride, D>(x); };
static_assert(divisible_strided<i32x4, 4, 3, 0> && !divisible_strided<i32x4, 3, 3, 0>);
static_assert(!divisible_strided<i32x4, 4, 0, 0> && !divisible_strided<i32x4, 4, -1, 0>);
static_assert(!divisible_strided<i32x4, 4, 3, 1> && !divisible_strided<i32x4, 4, 3, -1> &&
              !divisible_strided<int, 4, 3, 0>);
static_assert(!divisible_strided<tile<unsigned, 4>, 4, 3, 0> && !divisible_strided<ptrx4, 4, 3, 0>);
template <typename T, auto N>
concept aligned = requires(T x) { ct::assume_aligned<N>(x); };
static_assert(aligned<int*, 16> && aligned<void const*, 1> && aligned<ptrx4, 128>);
static_assert(!aligned<int*, 3> && !aligned<int*, 0> && !aligned<int, 16>);
template <typename T, auto N, auto Stride, auto D>
concept aligned_strided = requires(T x) { ct::assume_aligned_strided<N, Stride, D>(x); };
static_assert(aligned_strided<ptrx4, 8, 3, 0> && !aligned_strided<ptrx4, 6, 3, 0>);
static_assert(!aligned_strided<ptrx4, 8, 0, 0> && !aligned_strided<ptrx4, 8, 3, 1> &&
              !aligned_strided<int*, 8, 3, 0>);
static_assert(!aligned_strided<tile<void*, 4>, 8, 3, 0>); // p + 1 does not exist #void-runs
static_assert(noexcept(ct::assume_aligned(any<int*>(), 16_ic)) && noexcept(ct::assume_divisible<2>(1)));

// [2.1.1]
static_assert(same<decltype(ct::bid()), uint3> && same<decltype(ct::num_blocks()), dim3>);
static_assert(same<decltype(ct::bid().x), unsigned> && noexcept(ct::bid()) && noexcept(ct::num_blocks()));
