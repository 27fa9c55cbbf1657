// [1.5.1] [1.8] User-defined types: extents, layouts, accessors and spans that meet the requirements.
#include "programs.h"

namespace mine {

/// Lengths 4 and n, with types unlike those of ct::extents.
struct extents {
  using rank_type = unsigned char;
  using index_type = short;
  short n;
  __tile__ __host__ __device__ static constexpr rank_type rank() { return 2; }
  __tile__ __host__ __device__ static constexpr rank_type rank_dynamic() { return 1; }
  __tile__ __host__ __device__ static constexpr decltype(sizeof(0)) static_extent(rank_type dim) {
    return dim == 0 ? 4 : ct::dynamic_extent;
  }
  __tile__ __host__ __device__ constexpr index_type extent(rank_type dim) const { return dim == 0 ? 4 : n; }
};
/// Lengths 4 and 8.
struct shape {
  using rank_type = int;
  using index_type = int;
  __tile__ __host__ __device__ static constexpr rank_type rank() { return 2; }
  __tile__ __host__ __device__ static constexpr rank_type rank_dynamic() { return 0; }
  __tile__ __host__ __device__ static constexpr decltype(sizeof(0)) static_extent(rank_type dim) {
    return dim == 0 ? 4 : 8;
  }
  __tile__ __host__ __device__ constexpr index_type extent(rank_type dim) const { return dim == 0 ? 4 : 8; }
};

template <typename E>
struct mapping;
/// Rows 100 elements apart.
struct layout {
  template <typename E>
  using mapping = mine::mapping<E>;
};
template <typename E>
struct mapping {
  using extents_type = E;
  using rank_type = typename E::rank_type;
  using index_type = typename E::index_type;
  using layout_type = layout;
  E lengths;
  __tile__ __host__ __device__ constexpr mapping(E const& e) : lengths{e} {}
  __tile__ __host__ __device__ static constexpr bool is_always_strided() { return true; }
  __tile__ __host__ __device__ static constexpr decltype(sizeof(0)) static_stride(rank_type dim) {
    return dim == 0 ? 100 : 1;
  }
  __tile__ __host__ __device__ constexpr index_type stride(rank_type dim) const { return dim == 0 ? 100 : 1; }
  __tile__ __host__ __device__ constexpr E const& extents() const { return lengths; }
};
/// The same without a member static_stride: the trait is specialised below.
struct other_layout;
struct other_mapping {
  using extents_type = shape;
  using rank_type = int;
  using index_type = int;
  using layout_type = other_layout;
  shape lengths;
  __tile__ __host__ __device__ static constexpr bool is_always_strided() { return true; }
  __tile__ __host__ __device__ constexpr index_type stride(rank_type) const { return 1; }
  __tile__ __host__ __device__ constexpr shape const& extents() const { return lengths; }
};
struct other_layout {
  template <typename E>
  using mapping = other_mapping;
};

template <typename E>
struct accessor {
  using element_type = E;
  using data_handle_type = E*;
  using reference = E&;
};

struct span {
  using mapping_type = mine::mapping<shape>;
  using accessor_type = mine::accessor<float>;
  using extents_type = shape;
  using layout_type = layout;
  using index_type = int;
  using rank_type = int;
  using element_type = float;
  using value_type = float;
  using data_handle_type = float*;
  using reference = float&;
  float* data;
  mapping_type map;
  accessor_type access;
  __tile__ __host__ __device__ data_handle_type data_handle() const { return data; }
  __tile__ __host__ __device__ mapping_type const& mapping() const { return map; }
  __tile__ __host__ __device__ accessor_type const& accessor() const { return access; }
};

} // namespace mine

template <>
struct cuda::tiles::layout_mapping_static_stride<mine::other_mapping> {
  __tile__ __host__ __device__ constexpr decltype(sizeof(0)) operator()(int) const noexcept { return 1; }
};
template <typename E>
inline constexpr bool cuda::tiles::enable_contiguous_accessor_policy<mine::accessor<E>> = true;

// [1.5.1] extents
static_assert(ct::extents_like<mine::extents> && !ct::shape_like<mine::extents>);
static_assert(ct::extents_like<mine::shape> && ct::shape_like<mine::shape> &&
              ct::shape_size_v<mine::shape> == 32);
static_assert(ct::same_shape<mine::shape, ct::shape<4, 8>> && !ct::same_shape<mine::extents, mine::extents>);
static_assert(ct::extents_equal(mine::extents{8}, mine::shape{}) &&
              !ct::extents_equal(mine::extents{7}, mine::shape{}));
static_assert(ct::extents_equal(ct::shape<4, 8>{}, mine::shape{}) &&
              mine::shape{} == ct::extents<long, 4, 8>{});
static_assert(!ct::tile_shape<mine::shape>); // [1.6.2] a tile's is a ct::extents
static_assert(ct::shape_broadcastable_to<mine::shape, ct::shape<2, 4, 8>>);
static_assert(same<ct::shape_broadcast_t<mine::shape, ct::shape<2, 1, 1>>, ct::shape<2, 4, 8>>);
static_assert(same<ct::shape_broadcast_t<mine::shape, mine::shape>, ct::shape<4, 8>>);
static_assert(same<decltype(ct::assume_blocked(any<tile<int, 4, 8>>(), mine::shape{})), tile<int, 4, 8>>);

template <typename Rank, typename Index, typename Extent>
struct almost {
  using rank_type = Rank;
  using index_type = Index;
  __tile__ static constexpr Rank rank() { return 1; }
  __tile__ static constexpr Rank rank_dynamic() { return 0; }
  __tile__ static constexpr Extent static_extent(Rank) { return 4; }
  __tile__ constexpr Index extent(Rank) const { return 4; }
};
static_assert(ct::extents_like<almost<int, int, decltype(sizeof(0))>>);
static_assert(!ct::extents_like<almost<int, int, int>>);                   // static_extent yields no size_t
static_assert(!ct::extents_like<almost<float, int, decltype(sizeof(0))>>); // ranks are integers
static_assert(!ct::extents_like<almost<int, float, decltype(sizeof(0))>>); // so are lengths

// [1.8.1] layouts
static_assert(ct::layout_mapping<mine::mapping<mine::extents>> &&
              ct::layout_mapping<mine::mapping<ct::shape<4>>>);
static_assert(ct::layout_mapping<mine::other_mapping>);
static_assert(ct::layout_mapping_static_stride<mine::mapping<mine::shape>>{}(0) == 100);
static_assert(ct::layout_mapping_equal(mine::mapping{mine::extents{8}}, mine::mapping{mine::shape{}}));
static_assert(ct::layout_mapping<ct::layout_right_mapping<mine::extents>>);
static_assert(ct::layout_right_mapping<mine::shape>::static_stride(0) == 8);
static_assert(ct::layout_left_mapping<mine::shape>::static_stride(1) == 4);
static_assert(ct::layout_right_padded_mapping<mine::shape, 16>::static_stride(0) ==
              16); // #padding-of-own-extents
static_assert(ct::layout_right_mapping<mine::extents>::static_stride(0) == ct::dynamic_extent);
static_assert(ct::layout_strided_mapping<mine::shape, ct::extents<int, 9, 1>>::static_stride(0) == 9);
struct not_strided : mine::mapping<mine::shape> {
  struct layout_type {
    template <typename E>
    using mapping = not_strided;
  };
  __tile__ __host__ __device__ static constexpr bool is_always_strided() { return false; }
};
static_assert(!ct::layout_mapping<not_strided>); // #not-strided
struct other_index : mine::other_mapping {
  using index_type = long;
};
static_assert(!ct::layout_mapping<other_index>);

// [1.8.2] accessors
static_assert(ct::accessor_policy<mine::accessor<int>> && ct::accessor_policy<mine::accessor<int const>>);
struct not_enabled : mine::accessor<int> {};
static_assert(!ct::accessor_policy<not_enabled>);
struct no_reference : mine::accessor<int> {
  using reference = int;
};
template <>
inline constexpr bool cuda::tiles::enable_contiguous_accessor_policy<no_reference> = true;
static_assert(!ct::accessor_policy<no_reference>);

// [1.8.3] spans
static_assert(ct::tensor_span_like<mine::span> && ct::storeable_tensor_span<mine::span>);
using mixed = ct::tensor_span<int, mine::extents, mine::layout, mine::accessor<int>>;
static_assert(ct::tensor_span_like<mixed> && mixed::rank() == 2 && same<mixed::index_type, short>);
static_assert(same<decltype(ct::tensor_span{any<int*>(), mine::extents{8}, mine::layout{}}),
                   ct::tensor_span<int, mine::extents, mine::layout>>);
static_assert(same<decltype(ct::tensor_span{any<float*>(), mine::mapping{mine::shape{}}}),
                   ct::tensor_span<float, mine::shape, mine::layout>>);
struct other_value : mine::span {
  using value_type = double;
};
static_assert(!ct::tensor_span_like<other_value>);

// [2.12.1] views of them
using view = ct::partition_view<mine::span, ct::shape<2, 2>>;
static_assert(same<view::index_type, int> && same<view::view_tile_type, tile<float, 2, 2>>);
static_assert(same<decltype(any<view>().load_masked(0, 0)), tile<float, 2, 2>>);
static_assert(same<decltype(any<view>().store(any<tile<float, 2, 2>>(), 0, 0)), void>);
static_assert(same<decltype(any<ct::partition_view<mixed, ct::shape<4, 4>>>().load(0, 1)), tile<int, 4, 4>>);
