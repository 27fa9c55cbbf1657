// One partition of a tensor span in memory: where its elements are and which are within the span; its loads
// and stores.
#pragma once

#include "cuda_tile/core/tensor_span.h"
#include "cuda_tile/ops/elements.h"
#include "cuda_tile/ops/memory_access.h"
#if !CUDA_TILE_ON_CUDA
#include "cuda_tile/platform/host_streaming.h"
#include "cuda_tile/platform/host_vectors.h"
#endif
#include "cuda_tile/view/checked_partition.h"
#include "cuda_tile/view/partition_vectors.h"

namespace cuda::tiles::detail {

/// [2.12.1] As many indices as dimensions, each convertible to the view's index type.
template <typename View, typename... Idx>
concept partition_indices = sizeof...(Idx) == View::view_shape_type::rank() &&
                            (scalar_convertible_to<Idx, typename View::index_type> && ...);

/// [2.12.1] Padding other than zero needs a basic floating point element.
template <view_padding Pad, typename E>
concept padding_for = Pad == view_padding::zero || is_basic_floating_point_v<E>;

template <view_padding Pad, typename E>
CUDA_TILE_API E padding_value() {
  if constexpr (Pad == view_padding::zero)
    return convert<E>(0);
  else if constexpr (Pad == view_padding::negative_zero)
    return elements::negate{}(convert<E>(0));
  else if constexpr (Pad == view_padding::positive_inf)
    return elements::infinity<E>();
  else if constexpr (Pad == view_padding::negative_inf)
    return elements::negate{}(elements::infinity<E>());
  else
    return elements::quiet_nan<E>();
}

/// Weak memory operations.
struct plain_access {
  template <unsigned Flags>
  static constexpr unsigned flags = Flags;
  template <typename E>
  CUDA_TILE_API static remove_cv_t<E> read(E* p) {
    return *p;
  }
  template <typename E>
  CUDA_TILE_API static void write(E* p, E value) {
    *p = value;
  }
};
/// Strong memory operations of an order and scope.
template <memory_order Order, thread_scope Scope>
struct atomic_access {
  template <unsigned Flags>
  static constexpr unsigned flags = checks::atomic_flags<Flags, Order, Scope>;
  template <typename E>
  CUDA_TILE_API static remove_cv_t<E> read(E* p) {
    return platform::atomic_load<static_cast<int>(Order), static_cast<int>(Scope)>(p);
  }
  template <typename E>
  CUDA_TILE_API static void write(E* p, E value) {
    platform::atomic_store<static_cast<int>(Order), static_cast<int>(Scope)>(p, value);
  }
};

/// Weak stores of whole rows, of which the caches keep nothing.
struct streaming_access : plain_access {};

template <typename Span, typename Shape>
struct partition {
  using element = typename Span::element_type;
  using mapping = typename Span::mapping_type;
  static constexpr size_t rank = Shape::rank();
  static constexpr size_t dims = rank == 0 ? 1 : rank; // arrays cannot be empty

  element* origin;
  size_t strides[dims];
  size_t valid[dims]; // lengths within the span, from 0 to those of Shape

  size_t elements = 1; // of the whole span

  CUDA_TILE_API partition(Span const& span, size_t const (&index)[dims])
      : origin{span.data_handle()}, strides{}, valid{} {
    CUDA_TILE_UNROLL
    for (size_t d = 0; d != rank; ++d) {
      size_t first = index[d] * length<Shape>(d);
      size_t extent = static_cast<size_t>(span.mapping().extents().extent(d));
      size_t left = first < extent ? extent - first : 0;
      elements *= extent;
      strides[d] = static_cast<size_t>(span.mapping().stride(d));
      valid[d] = left < length<Shape>(d) ? left : length<Shape>(d);
      origin += first * strides[d];
    }
  }

  template <size_t D>
  CUDA_TILE_API size_t stride() const {
    constexpr size_t known =
        layout_mapping_static_stride<mapping>{}(static_cast<typename mapping::rank_type>(D));
    return known == dynamic_extent ? strides[D] : known;
  }
  CUDA_TILE_API bool whole() const {
    bool all = true;
    for (size_t d = 0; d != rank; ++d)
      all = all && valid[d] == length<Shape>(d);
    return all;
  }
};
template <typename Span, typename Shape>
  requires(Shape::rank() == 0)
struct partition<Span, Shape> {
  using element = typename Span::element_type;
  element* origin;
  CUDA_TILE_API partition(Span const& span, detail::indices<>) : origin{span.data_handle()} {}
  CUDA_TILE_API bool whole() const { return true; }
};

// With one thread: nested loops, of which the innermost is plain where the stride is known to be 1.

/// Whether rows are copied in whole vectors: those of spans that have no gaps within them.
template <size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_CONSTEXPR bool copies_vectors() {
#if !CUDA_TILE_ON_CUDA && !CUDA_TILE_CHECKED
  if constexpr (D + 1 == Shape::rank())
    return is_same_v<Access, plain_access> &&
           layout_mapping_static_stride<typename P::mapping>{}(
               static_cast<typename P::mapping::rank_type>(D)) == 1 &&
           length<Shape>(D) * sizeof(E) % platform::vector_bytes == 0;
#endif
  return false;
}

template <bool Masked, size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_API void load_rows(P const& part, Shape shape, Access access, E* to, typename P::element* from,
                             E pad) {
  if constexpr (D == Shape::rank()) {
    *to = access.read(from);
#if !CUDA_TILE_ON_CUDA
  } else if constexpr (!Masked && copies_vectors<D, P, Shape, Access, E>()) {
    // The tile of the next block likely follows, and its beginning is not where a processor would look ahead.
    constexpr unsigned ahead = shape_size_v<Shape> == length<Shape>(D) ? 2048 : 0;
    platform::copy_vectors<length<Shape>(D) * sizeof(E), ahead>(to, from);
#endif
  } else {
    constexpr size_t step = length_product<Shape>(D + 1, Shape::rank());
    size_t const stride = part.template stride<D>();
    size_t const count = Masked ? part.valid[D] : length<Shape>(D);
    for (size_t i = 0; i != count; ++i)
      load_rows<Masked, D + 1>(part, shape, access, to + i * step, from + i * stride, pad);
    if constexpr (Masked)
      for (size_t i = count * step; i < length<Shape>(D) * step; ++i)
        to[i] = pad;
  }
}

template <bool Masked, size_t D, typename P, typename Shape, typename Access, typename E>
CUDA_TILE_API void store_rows(P const& part, Shape shape, Access access, typename P::element* to,
                              E const* from) {
  if constexpr (D == Shape::rank()) {
    access.write(to, *from);
#if !CUDA_TILE_ON_CUDA
  } else if constexpr (is_same_v<Access, streaming_access> && D + 1 == Shape::rank()) {
    platform::stream<length<Shape>(D) * sizeof(E)>(to, from);
  } else if constexpr (!Masked && copies_vectors<D, P, Shape, Access, E>()) {
    platform::copy_vectors<length<Shape>(D) * sizeof(E)>(to, from);
#endif
  } else {
    constexpr size_t step = length_product<Shape>(D + 1, Shape::rank());
    size_t const stride = part.template stride<D>();
    size_t const count = Masked ? part.valid[D] : length<Shape>(D);
    for (size_t i = 0; i != count; ++i)
      store_rows<Masked, D + 1>(part, shape, access, to + i * stride, from + i * step);
  }
}

// With several threads: each slot finds its own place.

/// Offset in memory of the element with row-major index i; `inside` becomes false where it is beyond the
/// span.
template <size_t D, typename Shape, typename P>
CUDA_TILE_API size_t element_offset(P const& part, unsigned i, bool& inside) {
  if constexpr (D == Shape::rank()) {
    return 0;
  } else {
    constexpr unsigned step = static_cast<unsigned>(length_product<Shape>(D + 1, Shape::rank()));
    size_t k = i / step;
    inside = inside && k < part.valid[D];
    return k * part.template stride<D>() + element_offset<D + 1, Shape>(part, i % step, inside);
  }
}

template <typename Access, typename Span, typename Shape>
inline constexpr bool accesses_vectors = is_same_v<Access, plain_access> && access_vector<Span, Shape>() > 1;

template <bool Masked, typename Span, typename Shape, typename Access>
CUDA_TILE_API auto load_partition(partition<Span, Shape> const& part, Access access,
                                  typename Span::value_type pad) {
  using E = typename Span::value_type;
  using D = distribution_of<Shape>;
  tile<E, Shape> result;
  checks::define(result);
  checks::before_partition_access<Access::template flags<checks::reads>, Masked, Shape>(part);
  if constexpr (platform::block_threads == 1) {
#if !CUDA_TILE_ON_CUDA
    if constexpr (!is_same_v<typename Span::element_type, typename Span::value_type const>)
      platform::last_loaded = part.origin;
#endif
    if (!Masked || part.whole())
      load_rows<false, 0>(part, Shape{}, access, result.slots, part.origin, pad);
    else
      load_rows<true, 0>(part, Shape{}, access, result.slots, part.origin, pad);
    checks::after_partition_access<Access::template flags<checks::reads>>(part);
    return result;
  } else {
    unsigned const t = platform::thread();
    if constexpr (accesses_vectors<Access, Span, Shape>) {
      constexpr unsigned vector = access_vector<Span, Shape>();
      if (is_vectorisable<vector>(part)) {
        CUDA_TILE_UNROLL
        for (unsigned s = 0; s < D::slots; s += vector) {
          bool inside = true;
          size_t offset = element_offset<0, Shape>(part, D::index(t, s), inside);
          if (!Masked || inside) {
            platform::load_aligned<16>(result.slots + s, part.origin + offset);
          } else {
            CUDA_TILE_UNROLL
            for (unsigned j = 0; j < vector; ++j)
              result.slots[s + j] = pad;
          }
        }
        return result;
      }
    }
    CUDA_TILE_UNROLL
    for (unsigned s = 0; s < D::slots; ++s) {
      bool inside = true;
      size_t offset = element_offset<0, Shape>(part, D::index(t, s), inside);
      result.slots[s] = !Masked || inside ? access.read(part.origin + offset) : pad;
    }
    return result;
  }
}

#if !CUDA_TILE_ON_CUDA
/// Rows without gaps that are long enough to be stored past the caches.
template <typename Access, typename Span, typename Shape>
inline constexpr bool can_stream = false;
template <typename Span, typename Shape>
  requires(Shape::rank() != 0 && platform::has_streaming_stores)
inline constexpr bool can_stream<plain_access, Span, Shape> =
    layout_mapping_static_stride<typename Span::mapping_type>{}(
        static_cast<typename Span::rank_type>(Shape::rank() - 1)) == 1 &&
    length<Shape>(Shape::rank() - 1) * sizeof(typename Span::value_type) % 64 == 0;

/// Whether the span is large, all rows of this partition lie at multiples of 16 bytes, and they were not just
/// loaded.
template <typename P>
CUDA_TILE_API bool is_worth_streaming(P const& part) {
  constexpr size_t size = sizeof(typename P::element);
  size_t places = reinterpret_cast<size_t>(part.origin);
  for (size_t d = 0; d + 1 < P::rank; ++d)
    places |= part.strides[d] * size;
  return part.elements * size >= platform::streaming_bytes && places % 16 == 0 &&
         part.origin != platform::last_loaded;
}
#endif

/// With several threads: what this one holds, in vectors where that can be.
template <bool Masked, typename Span, typename Shape, typename Access>
CUDA_TILE_API void store_slots(partition<Span, Shape> const& part, Access access,
                               tile<typename Span::value_type, Shape> const& value) {
  using D = distribution_of<Shape>;
  unsigned const t = platform::thread();
  if constexpr (accesses_vectors<Access, Span, Shape>) {
    constexpr unsigned vector = access_vector<Span, Shape>();
    if (is_vectorisable<vector>(part)) {
      CUDA_TILE_UNROLL
      for (unsigned s = 0; s < D::slots; s += vector) {
        bool inside = true;
        size_t offset = element_offset<0, Shape>(part, D::index(t, s), inside);
        if (!Masked || inside)
          platform::store_aligned<16>(part.origin + offset, value.slots + s);
      }
      return;
    }
  }
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; ++s) {
    bool inside = true;
    size_t offset = element_offset<0, Shape>(part, D::index(t, s), inside);
    if (!Masked || inside)
      access.write(part.origin + offset, operand_value(value, s));
  }
}

template <bool Masked, typename Span, typename Shape, typename Access>
CUDA_TILE_API void store_partition(partition<Span, Shape> const& part, Access access,
                                   tile<typename Span::value_type, Shape> const& value) {
  checks::require_defined_inside<Masked, Shape>(part, value);
  checks::before_partition_access<Access::template flags<checks::writes>, Masked, Shape>(part);
  if constexpr (platform::block_threads == 1) {
#if !CUDA_TILE_ON_CUDA
    if constexpr (can_stream<Access, Span, Shape>)
      if ((!Masked || part.whole()) && is_worth_streaming(part))
        return store_rows<false, 0>(part, Shape{}, streaming_access{}, part.origin, value.slots);
#endif
    if (!Masked || part.whole())
      store_rows<false, 0>(part, Shape{}, access, part.origin, value.slots);
    else
      store_rows<true, 0>(part, Shape{}, access, part.origin, value.slots);
  } else {
    platform::barrier();
    if (distribution_of<Shape>::first(platform::thread()))
      store_slots<Masked>(part, access, value);
    platform::barrier();
  }
}

} // namespace cuda::tiles::detail
