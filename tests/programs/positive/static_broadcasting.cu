// [1.7.3] Shape conversions [2.1.5.6] to [2.1.5.11].
#include "programs.h"

template <auto... Lengths>
using s = ct::shape<Lengths...>;

// broadcastable to: trailing dimensions equal, or 1 in the source
static_assert(ct::shape_broadcastable_to<s<4, 1>, s<4, 8>>);
static_assert(ct::shape_broadcastable_to<s<2>, s<4, 2>>);
static_assert(ct::shape_broadcastable_to<s<5, 2>, s<5, 2>>);
static_assert(ct::shape_broadcastable_to<s<>, s<>>);
static_assert(ct::shape_broadcastable_to<s<>, s<3, 5>>);
static_assert(ct::shape_broadcastable_to<s<1>, s<0>>);
static_assert(ct::shape_broadcastable_to<ct::extents<int16_t, 1, 3>, ct::extents<uint64_t, 2, 3>>);
static_assert(!ct::shape_broadcastable_to<s<4, 8>, s<4, 1>>);
static_assert(!ct::shape_broadcastable_to<s<4>, s<4, 2>>);
static_assert(!ct::shape_broadcastable_to<s<1, 2>, s<2>>); // a rank never shrinks
static_assert(!ct::shape_broadcastable_to<s<0>, s<1>>);
static_assert(!ct::shape_broadcastable_to<ct::extents<uint32_t, ct::dynamic_extent>, s<4>>);

// for tile like types the target must be a shape that a tile can have
static_assert(ct::broadcastable_to<double, s<4, 8>>);
static_assert(ct::broadcastable_to<tile<float, 2>, s<8, 2>>);
static_assert(ct::broadcastable_to<tile<float, 2, 1, 8>, s<2, 16, 8>>);
static_assert(ct::broadcastable_to<int const, s<>>);
static_assert(!ct::broadcastable_to<double, s<5, 2>>);
static_assert(!ct::broadcastable_to<tile<float, 8>, s<8, 2>>);
static_assert(!ct::broadcastable_to<s<4>, s<4>>);

// mutual broadcasting of shapes
static_assert(ct::shape_broadcast_compatible<s<5, 1>, s<1, 3>>);
static_assert(ct::shape_broadcast_compatible<s<2, 4, 1>, s<4, 3>>);
static_assert(ct::shape_broadcast_compatible<s<>, s<3, 4, 5>>);
static_assert(ct::shape_broadcast_compatible<s<3, 4, 5>, s<>>);
static_assert(!ct::shape_broadcast_compatible<s<4, 2>, s<5, 2>>);
static_assert(!ct::shape_broadcast_compatible<s<2>, s<4>>);
static_assert(same<ct::shape_broadcast_t<s<4, 1>, s<4, 8>>, s<4, 8>>);
static_assert(same<ct::shape_broadcast_t<s<1, 5>, s<3, 1>>, s<3, 5>>);
static_assert(same<ct::shape_broadcast_t<s<4, 2, 1>, s<2, 6>>, s<4, 2, 6>>);
static_assert(same<ct::shape_broadcast_t<s<4>, s<1, 2, 1>>, s<1, 2, 4>>);
static_assert(same<ct::shape_broadcast_t<s<>, s<>>, s<>>);
static_assert(same<ct::shape_broadcast_t<s<0>, s<1>>, s<1>>); // not 0, as in NumPy #broadcast-of-length-zero
static_assert(same<ct::shape_broadcast_t<ct::extents<int64_t, 3>, ct::extents<int16_t, 2, 1>>, s<2, 3>>);

// mutual broadcasting of tile like types
using a = tile<int, 2, 1, 8>;
using b = tile<int, 1, 4, 1>;
using c = tile<float, 4, 8>;
static_assert(ct::broadcast_compatible<a, b> && ct::broadcast_compatible<b, a>);
static_assert(ct::broadcast_compatible<a, c> && ct::broadcast_compatible<a, double>);
static_assert(ct::broadcast_compatible<b, c> && ct::broadcast_compatible<b, double>);
static_assert(ct::broadcast_compatible<c, double> && ct::broadcast_compatible<int, double>);
static_assert(ct::broadcast_compatible<int*, a>);
static_assert(!ct::broadcast_compatible<tile<int, 4>, tile<int, 2>>);
static_assert(!ct::broadcast_compatible<a, s<>>);
// The result must not exceed the size that a tile can have.
static_assert(ct::broadcast_compatible<tile<int, 4096, 1>, tile<int, 1, 4096>>);
static_assert(!ct::broadcast_compatible<tile<int, 8192, 1>, tile<int, 1, 4096>>);
static_assert(ct::shape_broadcast_compatible<s<8192, 1>, s<1, 4096>>);

// the result is a scalar only for two scalars
static_assert(same<ct::mutual_broadcast_t<int, float, double>, double>);
static_assert(same<ct::mutual_broadcast_t<int const, float, double const>, double>);
static_assert(same<ct::mutual_broadcast_t<int, tile<float>, bool>, tile<bool>>);
static_assert(same<ct::mutual_broadcast_t<tile<int>, tile<float>, char>, tile<char>>);
static_assert(same<ct::mutual_broadcast_t<a, b, short>, tile<short, 2, 4, 8>>);
static_assert(same<ct::mutual_broadcast_t<tile<int*, 4>, int, int*>, tile<int*, 4>>);
