// Checks accesses to a partition in checked builds [2.12.1]. Empty in other builds.
#pragma once

#include "cuda_tile/checked/access.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {
template <size_t D, typename Shape, typename P>
CUDA_TILE_API size_t element_offset(P const& part, unsigned i); // tile/partition.h
template <size_t D, typename Shape, typename P>
CUDA_TILE_API int count_inside(P const& part, unsigned i);
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail

namespace cuda::tiles::inline CUDA_TILE_ABI::checks {

#if CUDA_TILE_CHECKED

#if CUDA_TILE_CHECKED_FULLY

/// Whether different indices lead to different elements; true if this cannot be determined for a large span.
template <typename Mapping>
bool is_injective(Mapping const& mapping) {
  constexpr size_t rank = static_cast<size_t>(Mapping::extents_type::rank());
  size_t strides[rank + 1] = {}, lengths[rank + 1] = {}, count = 0;
  for (size_t d = 0; d != rank; ++d) {
    size_t length =
        static_cast<size_t>(mapping.extents().extent(static_cast<typename Mapping::rank_type>(d)));
    if (length == 0)
      return true;
    if (length == 1)
      continue;
    size_t stride = static_cast<size_t>(mapping.stride(static_cast<typename Mapping::rank_type>(d))),
           at = count++;
    for (; at != 0 && strides[at - 1] > stride; --at)
      strides[at] = strides[at - 1], lengths[at] = lengths[at - 1];
    strides[at] = stride, lengths[at] = length;
  }
  // In ascending order, each stride must exceed the reach of all smaller ones.
  size_t reach = 0;
  bool nested = true;
  for (size_t i = 0; i != count; ++i) {
    nested = nested && strides[i] > reach;
    reach += strides[i] * (lengths[i] - 1);
  }
  constexpr size_t most = 1 << 16;
  if (nested || reach >= most)
    return nested || (count != 0 && strides[0] != 0);
  // If the reach is small, visit each element.
  unsigned char visited[most] = {};
  size_t size = 1;
  for (size_t i = 0; i != count; ++i)
    size *= lengths[i];
  if (size > most)
    return false;
  for (size_t n = 0; n != size; ++n) {
    size_t rest = n, place = 0;
    for (size_t i = 0; i != count; ++i) {
      place += rest % lengths[i] * strides[i];
      rest /= lengths[i];
    }
    if (visited[place]++)
      return false;
  }
  return true;
}

#else

/// Not checked here: each thread would have to visit all elements.
template <typename Mapping>
CUDA_TILE_API bool is_injective(Mapping const&) {
  return true;
}

#endif

/// Whether different indices may lead to one element; layouts of the API must not allow it.
template <typename Layout>
inline constexpr bool may_overlap = false;

/// Reports a span of which different indices lead to one element.
template <typename Span>
CUDA_TILE_API void require_injective(Span const& span) {
  if constexpr (!may_overlap<typename Span::layout_type>)
    if (!checks::is_injective(span.mapping()))
      checks::report(cuda_tile_not_injective, "partition_view", 0);
}

/// Whether an integer is another one as an I.
template <typename I, typename T>
CUDA_TILE_API bool is_another_as(T i) {
  if constexpr (detail::is_integral_scalar_v<T>)
    return detail::convert<T>(detail::convert<I>(i)) != i;
  else
    return false;
}
template <typename Span>
CUDA_TILE_API size_t extent_of(Span const& span, size_t d) {
  return static_cast<size_t>(
      span.mapping().extents().extent(static_cast<typename Span::mapping_type::rank_type>(d)));
}

/// Checks the indices of a chunk of a span, where chunks begin S apart.
template <typename S, typename Span, typename... Idx>
CUDA_TILE_API void before_partition(Span const& span, Idx... idx) {
  using index = typename Span::index_type;
  size_t d = 0;
  auto check = [&](auto given) {
    auto const i = detail::convert<index>(given);
    size_t const count = (checks::extent_of(span, d) + detail::length<S>(d) - 1) / detail::length<S>(d);
    if (checks::is_another_as<index>(given))
      checks::report(cuda_tile_partition_bounds, "partition_view", 0, given, d, count);
    else if (i < index(0) || static_cast<size_t>(i) >= count)
      checks::report(cuda_tile_partition_bounds, "partition_view", 0, i, d, count);
    ++d;
  };
  (checks::before_conversion<index>(idx), ...);
  (check(idx), ...);
  checks::require_injective(span);
}

/// Checks the index, or the tile of indices, of a gather and scatter view along dimension d: one beyond the
/// span must not name an element once it is converted to the span's index type.
template <typename Span, typename T>
CUDA_TILE_API void before_gathering(Span const& span, size_t d, T const& indices) {
  using index = typename Span::index_type;
  using shape = tile_shape_t<T>;
  checks::before_conversion<index>(indices);
  for (unsigned s = 0; s < detail::distribution_of<shape>::slots; ++s)
    if (auto const i = detail::operand_value(indices, s);
        checks::is_another_as<index>(i) &&
        static_cast<size_t>(detail::convert<index>(i)) < checks::extent_of(span, d))
      return checks::report<shape>(cuda_tile_partition_bounds, "gather_scatter_view", position<shape>(s), i,
                                   d, checks::extent_of(span, d));
}

#if CUDA_TILE_CHECKED_FULLY

template <bool Masked, size_t D, typename Shape, typename P>
CUDA_TILE_API void add_rows(access_runs<Shape>& runs, P const& part, typename P::element* at,
                            unsigned position) {
  if constexpr (D == Shape::rank()) {
    runs.add(at, position);
  } else {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<Shape>(D + 1, Shape::rank()));
    size_t const stride = part.template stride<D>();
    size_t const count = Masked ? part.valid[D] : detail::length<Shape>(D);
    if (D + 1 == Shape::rank() && stride == 1 && count != 0)
      return runs.add(at, position, count);
    for (size_t i = 0; i != count; ++i)
      checks::add_rows<Masked, D + 1>(runs, part, at + i * stride,
                                      position + static_cast<unsigned>(i) * step);
  }
}

/// Whether element `position` of a partition lies in the span.
template <size_t D, typename Shape, typename P>
CUDA_TILE_API bool is_inside(P const& part, unsigned position) {
  if constexpr (D == Shape::rank()) {
    return true;
  } else {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<Shape>(D + 1, Shape::rank()));
    return position / step < part.valid[D] && checks::is_inside<D + 1, Shape>(part, position % step);
  }
}

/// Checks the elements of a value that are stored.
template <bool Masked, typename Shape, typename P, typename T>
CUDA_TILE_API void require_defined_inside(P const& part, T const& value) {
  if (value.undefined == all_defined)
    return;
  for (unsigned s = 0; s < T::distribution::size; ++s)
    if (checks::is_undefined(value, s) && (!Masked || checks::is_inside<0, Shape>(part, s)))
      return checks::report<Shape>(cuda_tile_uninitialized_tile, "a store to a partition", s);
}

#endif

/// Called before the elements of a partition are accessed.
template <unsigned Flags, bool Masked, typename Shape, typename P>
CUDA_TILE_API void before_partition_access(P const& part) {
  char const* function = (Flags & writes) != 0 ? "a store to a partition" : "a load of a partition";
  if (!Masked && !part.whole())
    checks::report<Shape>(cuda_tile_unmasked_partition, function, 0);
  access_runs<Shape> runs{function, sizeof(*part.origin), Flags};
#if CUDA_TILE_CHECKED_FULLY
  if (Masked && !part.whole())
    checks::add_rows<true, 0>(runs, part, part.origin, 0);
  else
    checks::add_rows<false, 0>(runs, part, part.origin, 0);
#else
  for (unsigned s = 0; s < detail::distribution_of<Shape>::slots; ++s) {
    unsigned const i = position<Shape>(s);
    if (!Masked || detail::count_inside<0, Shape>(part, i) > 0)
      runs.add(part.origin + detail::element_offset<0, Shape>(part, i), i);
  }
#endif
  runs.flush();
}

#if CUDA_TILE_CHECKED_FULLY

/// Called after an atomic load of a partition's first element; covers the whole partition.
template <unsigned Flags, typename P>
CUDA_TILE_API void after_partition_access(P const& part) {
  if constexpr ((Flags & (acquires | block_scope)) == acquires)
    platform::current_block->checks->acquired(platform::current_block, part.origin);
}

#endif

#else

template <typename Span>
CUDA_TILE_API void require_injective(Span const&) {}
template <typename S, typename Span, typename... Idx>
CUDA_TILE_API void before_partition(Span const&, Idx...) {}
template <typename Span, typename T>
CUDA_TILE_API void before_gathering(Span const&, size_t, T const&) {}
template <unsigned Flags, bool Masked, typename Shape, typename P>
CUDA_TILE_API void before_partition_access(P const&) {}

#endif

#if !CUDA_TILE_CHECKED_FULLY

template <bool Masked, typename Shape, typename P, typename T>
CUDA_TILE_API void require_defined_inside(P const&, T const&) {}
template <unsigned Flags, typename P>
CUDA_TILE_API void after_partition_access(P const&) {}

#endif

} // namespace cuda::tiles::inline CUDA_TILE_ABI::checks
