// [2.13] Constants that carry a value in their type.
#include "programs.h"

// [2.13.1] integral_constant
using three = ct::integral_constant<3>;
static_assert(same<three::type, three> && same<three::value_type, int> && three::value == 3);
static_assert(same<decltype(three::value), int const>);
static_assert(__is_empty(three) && __is_trivially_copyable(three));
static_assert(three{}() == 3 && same<decltype(three{}()), int>);
static_assert(int{three{}} == 3 && three{} + 0 == 3);
static_assert(implicit<three, int> && implicit<three, long>);
static_assert(noexcept(three{}()) && noexcept(static_cast<int>(three{})));
static_assert(same<ct::integral_constant<true>::value_type, bool>);
static_assert(same<ct::integral_constant<'a'>::value_type, char>);
static_assert(!same<ct::integral_constant<3>, ct::integral_constant<3u>>);
static_assert(!ct::tile_like<three> && !ct::scalar_convertible_to<three, int>);

// [2.13.1.1] operators, with the types of the built-in ones
template <auto V>
using c = ct::integral_constant<V>;
static_assert(same<decltype(7_ic + 2_ic), c<9>> && same<decltype(7_ic - 9_ic), c<-2>>);
static_assert(same<decltype(7_ic * 2_ic), c<14>> && same<decltype(7_ic / 2_ic), c<3>>);
static_assert(same<decltype(7_ic % 4_ic), c<3>> && same<decltype(7_ic & 10_ic), c<2>>);
static_assert(same<decltype(7_ic | 10_ic), c<15>> && same<decltype(7_ic ^ 10_ic), c<13>>);
static_assert(same<decltype(1_ic << 10_ic), c<1024>> && same<decltype(1024_ic >> 3_ic), c<128>>);
static_assert(same<decltype(~0_ic), c<-1>> && same<decltype(+5_ic), c<5>> && same<decltype(-5_ic), c<-5>>);
static_assert(same<decltype(c<1u>{} + c<2>{}), c<3u>> && same<decltype(c<1>{} + c<2ll>{}), c<3ll>>);
static_assert(same<decltype(c<true>{} + c<true>{}), c<2>> && same<decltype(+c<short(1)>{}), c<1>>);
static_assert(same<decltype(-(2_ic + 3_ic) * 4_ic), c<-20>>);
static_assert(noexcept(1_ic + 2_ic) && noexcept(-1_ic));

// [2.13.1.2] literals have the type of the literal without the suffix
static_assert(same<decltype(22_ic), c<22>> && same<decltype(0_ic), c<0>>);
static_assert(same<decltype(2147483647_ic), c<2147483647>>);
static_assert(same<decltype(4294967296_ic)::value_type, decltype(4294967296)>);
static_assert(same<decltype(2147483648_ic), c<2147483648>>);
static_assert(same<decltype(9223372036854775807_ic), c<9223372036854775807>>);
static_assert(same<decltype(1'000'000_ic), c<1000000>>);
static_assert(same<decltype(ct::literals::operator""_ic < '4', '2'>()), c<42>>);
static_assert(noexcept(22_ic));

// [2.13.2] dimension_map
using map = ct::dimension_map<2, 0, 1>;
static_assert(map::rank() == 3 && map::mapping(0) == 2 && map::mapping(1) == 0 && map::mapping(2) == 1);
static_assert(ct::dimension_map<>::rank() == 0 && ct::dimension_map<0>::mapping(0) == 0);
static_assert(same<decltype(map::rank()), decltype(sizeof(0))> &&
              same<decltype(map::mapping(0)), decltype(sizeof(0))>);
static_assert(noexcept(map::rank()) && noexcept(map::mapping(0)) && noexcept(map()));
static_assert(__is_empty(map) && __is_trivially_copyable(map));
static_assert(same<decltype(ct::dimension_map{2_ic, 0_ic, 1_ic}), map>);
static_assert(same<decltype(ct::dimension_map{0_ic}), ct::dimension_map<0>>);
static_assert(same<decltype(ct::dimension_map{c<1u>{}, c<short(0)>{}}), ct::dimension_map<1, 0>>);
static_assert(constructible<map> && constructible<map, int, int, int>);
static_assert(!implicit<int, ct::dimension_map<0>>); // explicit
template <auto... Idx>
concept is_permutation = requires { typename ct::dimension_map<Idx...>; };
static_assert(is_permutation<> && is_permutation<0> && is_permutation<1, 0> && is_permutation<3, 1, 0, 2>);
static_assert(!is_permutation<1> && !is_permutation<0, 0> && !is_permutation<0, 2> &&
              !is_permutation<1, 2, 3>);

// [2.13.3] rounding modes
static_assert(int(ct::rounding_mode::round_ties_to_even) == 0 &&
              int(ct::rounding_mode::round_toward_zero) == 1);
static_assert(int(ct::rounding_mode::round_toward_negative) == 2);
static_assert(int(ct::rounding_mode::round_toward_positive) == 3);
static_assert(int(ct::rounding_mode::round_approximate) == 4 && int(ct::rounding_mode::round_full) == 5);
static_assert(ct::default_rounding_mode() == ct::rounding_mode::round_ties_to_even);
// [2.13.4]
static_assert(int(ct::subnormals_rounding_mode::preserve_subnormals) == 0);
static_assert(int(ct::subnormals_rounding_mode::round_subnormals_to_zero) == 1);
static_assert(ct::default_subnormals_rounding_mode() == ct::subnormals_rounding_mode::preserve_subnormals);
// [2.13.5]
static_assert(int(ct::nan_propagation_mode::suppress_nan) == 0 &&
              int(ct::nan_propagation_mode::propagate_nan) == 1);
static_assert(ct::default_nan_propagation_mode() == ct::nan_propagation_mode::suppress_nan);
// [2.13.6]
static_assert(int(ct::view_padding::zero) == 0 && int(ct::view_padding::negative_zero) == 1);
static_assert(int(ct::view_padding::positive_inf) == 2 && int(ct::view_padding::negative_inf) == 3);
static_assert(int(ct::view_padding::nan) == 4);
static_assert(ct::default_view_padding() == ct::view_padding::zero);
// [2.13.7]
static_assert(int(ct::memory_order::relaxed) == 0 && int(ct::memory_order::acquire) == 1);
static_assert(int(ct::memory_order::release) == 2 && int(ct::memory_order::acq_rel) == 3);
// [2.13.8]
static_assert(int(ct::thread_scope::system) == 0 && int(ct::thread_scope::device) == 1);
static_assert(int(ct::thread_scope::block) == 2);
static_assert(ct::default_thread_scope() == ct::thread_scope::system);
static_assert(noexcept(ct::default_rounding_mode()) && noexcept(ct::default_subnormals_rounding_mode()));
static_assert(noexcept(ct::default_thread_scope()));

// properties of all constants
template <typename Constant, auto Value>
constexpr bool is_constant =
    same<typename Constant::type, Constant> && same<typename Constant::value_type, decltype(Value)> &&
    Constant::value == Value && same<decltype(Constant::value), decltype(Value) const> &&
    Constant{}() == Value && same<decltype(Constant{}()), decltype(Value)> &&
    static_cast<decltype(Value)>(Constant{}) == Value && implicit<Constant, decltype(Value)> &&
    noexcept(Constant{}()) && __is_empty(Constant) && __is_trivially_copyable(Constant);
static_assert(is_constant<ct::round_ties_to_even_t, ct::rounding_mode::round_ties_to_even>);
static_assert(is_constant<ct::round_toward_zero_t, ct::rounding_mode::round_toward_zero>);
static_assert(is_constant<ct::round_toward_negative_t, ct::rounding_mode::round_toward_negative>);
static_assert(is_constant<ct::round_toward_positive_t, ct::rounding_mode::round_toward_positive>);
static_assert(is_constant<ct::round_approximate_t, ct::rounding_mode::round_approximate>);
static_assert(is_constant<ct::round_full_t, ct::rounding_mode::round_full>);
static_assert(is_constant<ct::default_rounding_mode_t, ct::rounding_mode::round_ties_to_even>);
static_assert(is_constant<ct::preserve_subnormals_t, ct::subnormals_rounding_mode::preserve_subnormals>);
static_assert(
    is_constant<ct::round_subnormals_to_zero_t, ct::subnormals_rounding_mode::round_subnormals_to_zero>);
static_assert(
    is_constant<ct::default_subnormals_rounding_mode_t, ct::subnormals_rounding_mode::preserve_subnormals>);
static_assert(is_constant<ct::suppress_nan_t, ct::nan_propagation_mode::suppress_nan>);
static_assert(is_constant<ct::propagate_nan_t, ct::nan_propagation_mode::propagate_nan>);
static_assert(is_constant<ct::default_nan_propagation_mode_t, ct::nan_propagation_mode::suppress_nan>);
static_assert(is_constant<ct::view_padding_zero_t, ct::view_padding::zero>);
static_assert(is_constant<ct::view_padding_negative_zero_t, ct::view_padding::negative_zero>);
static_assert(is_constant<ct::view_padding_positive_inf_t, ct::view_padding::positive_inf>);
static_assert(is_constant<ct::view_padding_negative_inf_t, ct::view_padding::negative_inf>);
static_assert(is_constant<ct::view_padding_nan_t, ct::view_padding::nan>);
static_assert(is_constant<ct::default_view_padding_t, ct::view_padding::zero>);
static_assert(is_constant<ct::memory_order_relaxed_t, ct::memory_order::relaxed>);
static_assert(is_constant<ct::memory_order_acquire_t, ct::memory_order::acquire>);
static_assert(is_constant<ct::memory_order_release_t, ct::memory_order::release>);
static_assert(is_constant<ct::memory_order_acq_rel_t, ct::memory_order::acq_rel>);
static_assert(is_constant<ct::thread_scope_system_t, ct::thread_scope::system>);
static_assert(is_constant<ct::thread_scope_device_t, ct::thread_scope::device>);
static_assert(is_constant<ct::thread_scope_block_t, ct::thread_scope::block>);
static_assert(is_constant<ct::default_thread_scope_t, ct::thread_scope::system>);

// only enumerators can be carried
template <int Value>
constexpr bool is_mode = requires { typename ct::rounding_mode_constant<ct::rounding_mode(Value)>; };
static_assert(is_mode<0> && is_mode<5> && !is_mode<9> && !is_mode<-1>);
template <int Value>
constexpr bool is_subnormals_mode =
    requires { typename ct::subnormals_rounding_mode_constant<ct::subnormals_rounding_mode(Value)>; };
static_assert(is_subnormals_mode<1> && !is_subnormals_mode<2>);
template <int Value>
constexpr bool is_nan_mode =
    requires { typename ct::nan_propagation_mode_constant<ct::nan_propagation_mode(Value)>; };
static_assert(is_nan_mode<1> && !is_nan_mode<2>);
template <int Value>
constexpr bool is_padding = requires { typename ct::view_padding_constant<ct::view_padding(Value)>; };
static_assert(is_padding<4> && !is_padding<5>);
template <int Value>
constexpr bool is_order = requires { typename ct::memory_order_constant<ct::memory_order(Value)>; };
static_assert(is_order<3> && !is_order<4>);
template <int Value>
constexpr bool is_scope = requires { typename ct::thread_scope_constant<ct::thread_scope(Value)>; };
static_assert(is_scope<2> && !is_scope<3>);

// [2.13.7.4] [2.13.7.5]
static_assert(ct::read_memory_order<ct::memory_order::relaxed> &&
              ct::read_memory_order<ct::memory_order::acquire>);
static_assert(!ct::read_memory_order<ct::memory_order::release> &&
              !ct::read_memory_order<ct::memory_order::acq_rel>);
static_assert(ct::write_memory_order<ct::memory_order::relaxed> &&
              ct::write_memory_order<ct::memory_order::release>);
static_assert(!ct::write_memory_order<ct::memory_order::acquire> &&
              !ct::write_memory_order<ct::memory_order::acq_rel>);
