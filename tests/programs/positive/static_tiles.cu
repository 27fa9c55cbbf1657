// [1.6] [2.9] Tiles, and what is asked of tile like types [2.1.4].
#include "programs.h"

// [1.6.1] scalars and tiles are tile like
static_assert(ct::tile_like<double>);
static_assert(ct::tile_like<int const>);
static_assert(ct::tile_like<tile<double>>);
static_assert(ct::tile_like<tile<float, 4, 8>>);
static_assert(ct::tile_like<tile<float, 1, 1> const volatile>);
static_assert(!ct::tile_like<tile<float, 4>&>);
static_assert(!ct::tile_like<ct::shape<4>>);
static_assert(!ct::scalar<tile<double>>); // [1.6.2] a singleton tile is not a scalar

// [1.6.2] categories are those of the elements
using i32x4 = tile<int, 4>;
using f64x2 = tile<double, 2>;
using ptrx8 = tile<double*, 8>;
static_assert(ct::integral_tile<i32x4> && ct::arithmetic_tile<i32x4> && ct::numeric_tile<i32x4>);
static_assert(!ct::floating_point_tile<i32x4> && !ct::pointer_tile<i32x4> && !ct::integral_scalar<i32x4>);
static_assert(ct::integral_tile<i32x4 const> && ct::integral_tile<i32x4 const volatile>);
static_assert(!ct::integral<i32x4>);
static_assert(ct::basic_floating_point_tile<f64x2> && ct::floating_point_tile<f64x2>);
static_assert(ct::arithmetic_tile<f64x2> && ct::numeric_tile<f64x2>);
static_assert(!ct::restricted_floating_point_tile<f64x2> && !ct::integral_tile<f64x2>);
static_assert(!ct::basic_floating_point_scalar<f64x2> && !ct::arithmetic_scalar<f64x2>);
static_assert(ct::pointer_tile<ptrx8> && !ct::numeric_tile<ptrx8> && !ct::pointer_scalar<ptrx8>);
static_assert(ct::pointer_tile<tile<void const*, 2>>);

// [1.6.2] [2.1.4.6] shapes that a tile can have: powers of two, uint32_t, an extents
static_assert(ct::tile_shape<ct::shape<>>);
static_assert(ct::tile_shape<ct::shape<1>>);
static_assert(ct::tile_shape<ct::shape<4, 8>>);
static_assert(ct::tile_shape<ct::shape<1, 2, 4, 8, 16>>);
static_assert(ct::tile_shape<ct::extents<uint32_t, 64>>);
static_assert(!ct::tile_shape<ct::shape<4, 7>>);
static_assert(!ct::tile_shape<ct::shape<0>>);
static_assert(!ct::tile_shape<ct::extents<int16_t, 4, 8>>);
static_assert(!ct::tile_shape<ct::extents<int32_t, 4, 8>>);
static_assert(!ct::tile_shape<ct::extents<uint32_t, 4, ct::dynamic_extent>>);
static_assert(!ct::tile_shape<int>);
// The limits are the implementation's: 2^24 elements, for each length and in all.
static_assert(ct::tile_shape<ct::shape<1 << 24>>);
static_assert(!ct::tile_shape<ct::shape<1 << 25>>);
static_assert(ct::tile_shape<ct::shape<1 << 12, 1 << 12>>);
static_assert(!ct::tile_shape<ct::shape<1 << 12, 1 << 13>>);
static_assert(
    !ct::tile_shape<ct::shape<65536, 65536, 65536, 65536>>); // its size overflows #tile-size-overflow

// [2.1.4.1] to [2.1.4.5]
static_assert(same<ct::tile_element_t<int>, int>);
static_assert(same<ct::tile_element_t<int const volatile>, int>);
static_assert(same<ct::tile_element_t<int const* const>, int const*>);
static_assert(same<ct::tile_element_t<tile<double, 4>>, double>);
static_assert(same<ct::tile_element_t<tile<double, 4> const>, double>);
static_assert(same<ct::tile_shape_t<int>, ct::shape<>>);
static_assert(same<ct::tile_shape_t<int>, ct::extents<uint32_t>>);
static_assert(same<ct::tile_shape_t<tile<int, 4, 8>>, ct::shape<4, 8>>);
static_assert(same<ct::tile_shape_t<tile<int, 4, 8> const>, ct::shape<4, 8>>);
static_assert(ct::tile_size_v<int> == 1);
static_assert(ct::tile_size_v<tile<int>> == 1);
static_assert(ct::tile_size_v<tile<int, 4, 8>> == 32);
static_assert(ct::tile_rank_v<int> == 0);
static_assert(ct::tile_rank_v<tile<int>> == 0);
static_assert(ct::tile_rank_v<tile<int, 1, 1>> == 2);
static_assert(same<decltype(ct::tile_size_v<int>), decltype(sizeof(0)) const>);
static_assert(same<decltype(ct::tile_rank_v<int>), decltype(sizeof(0)) const>);
static_assert(same<ct::tile_with_element_t<int, float>, float>);
static_assert(same<ct::tile_with_element_t<int const, float const>, float>);
static_assert(same<ct::tile_with_element_t<tile<int>, float>, tile<float>>);
static_assert(same<ct::tile_with_element_t<tile<int, 4> const, float const>, tile<float, 4>>);
static_assert(same<ct::tile_with_element_t<tile<int, 4>, bool*>, tile<bool*, 4>>);

// [2.9.1] the class
static_assert(same<i32x4::element_type, int>);
static_assert(same<i32x4::shape_type, ct::shape<4>>);
static_assert(same<i32x4::rank_type, ct::shape<4>::rank_type>);
static_assert(__is_final(i32x4));
static_assert(__is_trivially_copyable(i32x4));
static_assert(__is_trivially_copyable(tile<float, 16, 16>));
static_assert(__is_trivially_copyable(ptrx8));
static_assert(noexcept(i32x4(any<i32x4&&>())) && noexcept(any<i32x4&>() = any<i32x4&&>()));
static_assert(noexcept(i32x4(any<i32x4 const&>())) && noexcept(any<i32x4&>() = any<i32x4 const&>()));
static_assert(constructible<i32x4>); // elements are uninitialised

// [2.9.1] size and alignment are those of the elements; not where several threads share a tile
#if !defined(CUDA_TILE_BLOCK_THREADS)
static_assert(sizeof(tile<int>) == 4 && alignof(tile<int>) == 4);
static_assert(sizeof(tile<bool, 2, 4>) == 8 && alignof(tile<bool, 2, 4>) == 1);
static_assert(sizeof(tile<short, 4, 8>) == 64 && alignof(tile<short, 4, 8>) == 2);
static_assert(sizeof(tile<double, 1024>) == 8192 && alignof(tile<double, 1024>) == 8);
static_assert(sizeof(tile<char*, 2>) == 2 * sizeof(char*) && alignof(tile<char*, 2>) == alignof(char*));
#endif

// [2.9.1] conversions from tile like types: of equal shapes, explicit where they narrow
static_assert(implicit<int, tile<int>>);
static_assert(implicit<short, tile<int>>);
static_assert(implicit<float, tile<double>>);
static_assert(!implicit<double, tile<float>> && constructible<tile<float>, double>);
static_assert(!implicit<int, tile<float>> &&
              constructible<tile<float>, int>); // narrows: integral to floating
static_assert(!implicit<unsigned, tile<int>> && constructible<tile<int>, unsigned>);
static_assert(!constructible<tile<int, 1>, int>);
static_assert(!constructible<tile<int, 4>, int>);
static_assert(implicit<tile<float, 4>, tile<double, 4>>);
static_assert(!implicit<tile<double, 4>, tile<float, 4>> && constructible<tile<float, 4>, tile<double, 4>>);
static_assert(!constructible<tile<int, 4>, tile<int, 2, 2>>);
static_assert(!constructible<tile<int, 2, 2>, tile<int, 4>>);
static_assert(implicit<int*, tile<int const*>>);
static_assert(implicit<int*, tile<void*>>);
static_assert(!constructible<tile<int*>, int const*>);
static_assert(!constructible<tile<int*>, float*>);
static_assert(!implicit<int*, tile<bool>> && constructible<tile<bool>, int*>);
static_assert(noexcept(tile<double, 4>(any<tile<float, 4>>())));

// [2.9.1] conversions of singleton tiles to scalars, explicit where they narrow
static_assert(implicit<tile<int>, int>);         // #tile-to-scalar
static_assert(implicit<tile<int, 1, 1>, long>);  // #tile-to-scalar
static_assert(implicit<tile<float, 1>, double>); // #tile-to-scalar
static_assert(implicit<tile<int*>, int const*>); // #tile-to-scalar
static_assert(!implicit<tile<double, 1>, float> && constructible<float, tile<double, 1>>);
static_assert(!implicit<tile<int>, short> && constructible<short, tile<int>>);
static_assert(!implicit<tile<int>, float> && constructible<float, tile<int>>);
static_assert(!constructible<int, tile<int, 2>>);
static_assert(!constructible<int, tile<int, 1, 2>>);
static_assert(constructible<int, tile<int> const>); // the operator should be const, which is not printed

// [2.9.1] deduction from a scalar
static_assert(same<decltype(ct::tile{2}), tile<int>>);
static_assert(same<decltype(ct::tile{2.5f}), tile<float>>);
static_assert(same<decltype(ct::tile(any<int const&>())), tile<int>>);
static_assert(same<decltype(ct::tile{any<int const*>()}), tile<int const*>>);
