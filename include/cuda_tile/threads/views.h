// Memory by views with several threads a block: up to 16 bytes at a time where neighbours in a tile are
// neighbours in memory, aligned, and either all within the span or all beyond it. Each access tests both
// conditions once, alike for all threads, so masks cost something only at the edges of a span.
#pragma once

#include "cuda_tile/checked/partition.h"
#include "cuda_tile/core/layouts.h"
#include "cuda_tile/threads/exchange.h"
#include "cuda_tile/threads/pointer_vectors.h"
#include "cuda_tile/tile/memory_elements.h"
#include "cuda_tile/tile/partition.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How many elements a thread accesses at once; 1 if it cannot.
template <typename Span, typename Shape, typename Access>
CUDA_TILE_CONSTEXPR unsigned access_vector() {
  if constexpr (Shape::rank() == 0 || !is_same_v<Access, plain_access>) {
    return 1;
  } else {
    constexpr size_t stride = layout_mapping_static_stride<typename Span::mapping_type>{}(
        static_cast<typename Span::rank_type>(Shape::rank() - 1));
    return stride == 1 ? vector_length<typename Span::value_type, Shape>() : 1;
  }
}

/// The partition from element i on. Each bit of an element's index belongs to its thread or to its slot, so
/// an element's place is the sum of a thread's place and a slot's place, and the latter is the same in all
/// threads.
template <size_t D, typename Shape, typename P>
CUDA_TILE_API void move_to(P& part, unsigned i) {
  if constexpr (D != Shape::rank()) {
    constexpr unsigned step = static_cast<unsigned>(detail::length_product<Shape>(D + 1, Shape::rank()));
    unsigned const k = i / step;
    part.origin += k * part.template stride<D>();
    part.valid[D] = k < part.valid[D] ? part.valid[D] - k : 0;
    detail::move_to<D + 1, Shape>(part, i % step);
  }
}

/// How a thread's vectors are accessed: all of them whole, since all elements are inside; each of them whole
/// or not at all; or element by element.
enum class vectors { whole, whole_or_none, by_elements };

/// access.at<Vector, Kind>(slot, address, how many elements are inside) for each Vector of this thread's
/// elements; `part` begins at the first.
template <unsigned Vector, bool Masked, vectors Kind, typename D, typename Span, typename Shape,
          typename Access>
CUDA_TILE_API void for_each_vector(partition<Span, Shape> const& part, Access const& access) {
  CUDA_TILE_UNROLL
  for (unsigned s = 0; s < D::slots; s += Vector) {
    unsigned const i = D::index(0, s);
    access.template at<Vector, Kind>(s, part.origin + detail::element_offset<0, Shape>(part, i),
                                     Masked ? detail::count_inside<0, Shape>(part, i)
                                            : static_cast<int>(Vector));
  }
}

/// The same for as many elements at once as possible, `Vector` or one, after access.begin<Vector>(address of
/// the first). D says which elements this thread holds.
template <unsigned Vector, bool Masked, typename D, typename Span, typename Shape, typename Access>
CUDA_TILE_API void access_slots(partition<Span, Shape> const& part, Access const& access) {
  partition<Span, Shape> own = part;
  detail::move_to<0, Shape>(own, D::index(platform::thread(), 0));
  own.origin = access.template begin<Vector>(own.origin);
  if constexpr (Vector == 1) {
    detail::for_each_vector<1, Masked, vectors::by_elements, D>(own, access);
  } else {
    constexpr size_t last = Shape::rank() - 1;
    bool const aligned = part.places % (Vector * sizeof(typename Span::value_type)) == 0;
    bool const ends_with_vector = part.valid[last] == length<Shape>(last) || part.row % Vector == 0;
    if (aligned && (!Masked || part.whole()))
      detail::for_each_vector<Vector, false, vectors::whole, D>(own, access);
    else if (Masked && aligned && ends_with_vector)
      detail::for_each_vector<Vector, true, vectors::whole_or_none, D>(own, access);
    else
      detail::for_each_vector<Vector, Masked, vectors::by_elements, D>(own, access);
  }
}

template <typename T, typename Access>
struct slot_loads {
  using element = typename T::element_type;
  T& to;
  Access access;
  element pad;
  template <unsigned Vector, typename E>
  CUDA_TILE_API E* begin(E* origin) const {
    return origin;
  }
  template <unsigned Vector, vectors Kind, typename E>
  CUDA_TILE_API void at(unsigned s, E* from, int inside) const {
    if constexpr (Vector == 1) {
      to.slots[s] = inside > 0 ? detail::read_element(access, from) : pad;
    } else if constexpr (Kind == vectors::whole) {
      platform::load_aligned<Vector * sizeof(E)>(to.slots + s, from);
    } else {
      platform::load_first<Vector, Kind == vectors::whole_or_none, element>(to.slots + s, from, inside, pad);
    }
  }
};

template <typename T, typename Access>
struct slot_stores {
  T const& value;
  Access access;
  /// Instructions add a constant offset to one address; without opaque(), compilers would compute an address
  /// for each store.
  template <unsigned Vector, typename E>
  CUDA_TILE_API E* begin(E* origin) const {
    if constexpr (Vector == 1)
      return origin;
    else
      return platform::opaque(origin);
  }
  template <unsigned Vector, vectors Kind, typename E>
  CUDA_TILE_API void at(unsigned s, E* to, int inside) const {
    if constexpr (Vector == 1) {
      if (inside > 0)
        detail::write_element(access, to, detail::operand_value(value, s));
    } else if constexpr (Kind == vectors::whole) {
      platform::store_global<Vector * sizeof(E)>(to, value.slots + s);
    } else {
      platform::store_first<Vector, Kind == vectors::whole_or_none>(to, value.slots + s, inside);
    }
  }
};

/// This thread's elements of the partition; those beyond the span become `pad`.
template <bool Masked, typename T, typename Span, typename Shape, typename Access>
CUDA_TILE_API void load_slots(T& to, partition<Span, Shape> const& part, Access access,
                              typename Span::value_type pad) {
  detail::access_slots<access_vector<Span, Shape, Access>(), Masked, distribution_of<Shape>>(
      part, slot_loads<T, Access>{to, access, pad});
}

/// Which elements a thread stores, Vector of E at once. Where a thread holds twice as many neighbours, as
/// with floats in a matrix, each store would fill only halves of sectors of 32 bytes, the unit in which
/// memory is written. So neighbouring threads exchange elements, and two of them fill a sector.
template <typename E, typename Shape, unsigned Vector>
struct stored_distribution {
  using held = distribution_of<Shape>;
  static constexpr unsigned slots = held::slots;
  static constexpr bool exchanges = Vector * sizeof(E) == 16 && Vector != held::vector &&
                                    held::bits.thread[0] == detail::log2_of(held::vector);
  static constexpr unsigned lane_bit = exchanges ? 1 : 0, slot_bit = exchanges ? Vector : 0;

  CUDA_TILE_CONSTEXPR static unsigned index(unsigned t, unsigned slot) {
    return held::index((t & ~lane_bit) | ((slot & slot_bit) != 0 ? lane_bit : 0),
                       (slot & ~slot_bit) | ((t & lane_bit) != 0 ? slot_bit : 0));
  }
};

/// Where several threads hold the same elements, the first one stores them.
template <bool Masked, typename E, typename Span, typename Shape, typename Access>
CUDA_TILE_API void store_slots(partition<Span, Shape> const& part, Access access,
                               tile<E, Shape> const& value) {
  constexpr unsigned vector = access_vector<Span, Shape, Access>();
  using D = stored_distribution<E, Shape, vector>;
  using stores = slot_stores<tile<E, Shape>, Access>;
  bool const is_first = distribution_of<Shape>::first(platform::thread());
  if constexpr (D::exchanges) {
    auto exchanged = value;
    detail::exchange_with_lane<D::lane_bit, D::slot_bit, D::slots>(exchanged.slots);
    if (is_first)
      detail::access_slots<vector, Masked, D>(part, stores{exchanged, access});
  } else if (is_first) {
    detail::access_slots<vector, Masked, D>(part, stores{value, access});
  }
}

template <bool Masked, typename Access, typename Span, typename Shape>
CUDA_TILE_API partition_tile<Span, Shape> load_partition(Access access, partition<Span, Shape> const& part,
                                                         typename Span::value_type pad) {
  partition_tile<Span, Shape> result;
  checks::before_partition_access<checks::access_flags<Access, checks::reads>, Masked, Shape>(part);
  detail::load_slots<Masked>(result, part, access, pad);
  return result;
}

template <bool Masked, typename Access, typename Span, typename Shape>
CUDA_TILE_API void store_partition(Access access, partition<Span, Shape> const& part,
                                   partition_tile<Span, Shape> const& value) {
  checks::before_partition_access<checks::access_flags<Access, checks::writes>, Masked, Shape>(part);
  auto const& elements = detail::normal(value);
  platform::barrier();
  detail::store_slots<Masked>(part, access, elements);
  platform::barrier();
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
