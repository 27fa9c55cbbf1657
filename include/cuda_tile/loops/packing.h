// Copies of the factors of products, in the order in which they are multiplied.
#pragma once

#include "cuda_tile/one_thread/mma/units.h"
#include "cuda_tile/tileir/tiles.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

namespace ct = cuda::tiles;

/// A matrix in memory, or in a tile: element (i, j) lies at from[i * row_step + j * column_step], if i and j
/// are below the counts; others are the padding.
template <typename E>
struct matrix {
  E const* from;
  long long row_step, column_step, rows, columns;
  E padding;

  /// The part that begins at (i, j).
  CUDA_TILE_API matrix part(unsigned i, unsigned j) const {
    return {from + i * row_step + j * column_step, row_step, column_step, rows - i, columns - j, padding};
  }
};

/// Matrices of a batch, `step` elements apart, of which `count` exist. Those that stay may be read later, as
/// nothing writes there before the loop ends; and some are the same in each round of the loop.
template <typename E>
struct matrices {
  matrix<E> first;
  long long step, count;
  bool stay = false, same = false;

  CUDA_TILE_API matrix<E> at(unsigned batch) const {
    matrix<E> found = first;
    found.from += batch * step;
    if (batch >= count)
      found.rows = found.columns = 0;
    return found;
  }
};

template <unsigned Count, typename F, typename E>
CUDA_TILE_API void copy_row(F* to, E const* from) {
  if constexpr (!ct::detail::is_same_v<E, F>)
    ct::detail::convert_elements<Count>(to, from);
  else if constexpr (Count * sizeof(E) % ct::platform::vector_bytes == 0)
    ct::platform::copy_vectors<Count * sizeof(E)>(to, from);
  else
    __builtin_memcpy(to, from, Count * sizeof(E));
}

/// The first `count` elements of a row of `Columns`: several at once as far as they go.
template <unsigned Columns, typename F, typename E>
CUDA_TILE_API void copy_part(F* to, E const* from, unsigned count) {
  constexpr unsigned at_once = Columns < 16 ? Columns : 16;
  unsigned i = 0;
  for (; i + at_once <= count; i += at_once)
    copy_row<at_once>(to + i, from + i);
  for (; i < count; ++i)
    to[i] = ct::detail::convert<F>(from[i]);
}

/// One step of transposing a square of vectors: exchanges its parts that are `Distance` off the diagonal.
template <unsigned Distance, unsigned Lanes, typename V>
CUDA_TILE_API void transpose_vectors(V (&x)[Lanes]) {
  if constexpr (Distance < Lanes) {
#pragma GCC unroll 32
    for (unsigned i = 0; i < Lanes; ++i)
      if ((i & Distance) == 0) {
        V const a = x[i], b = x[i + Distance];
        x[i] = ct::platform::shuffle_lanes(
            a, b, [](unsigned l) { return l & Distance ? Lanes + (l ^ Distance) : l; });
        x[i + Distance] = ct::platform::shuffle_lanes(
            a, b, [](unsigned l) { return l & Distance ? Lanes + l : l ^ Distance; });
      }
    transpose_vectors<2 * Distance, Lanes>(x);
  }
}

/// Rows x Columns elements that `read(i, j)` gives: those of column j from row i on, as many as a vector has.
/// Those of row i from column j on are written to place(i, j).
template <unsigned Rows, unsigned Columns, typename Place, typename Read>
CUDA_TILE_API void transpose(Place place, Read read) {
  using V = decltype(read(0u, 0u));
  constexpr unsigned lanes = sizeof(V) / sizeof(V{}[0]);
  for (unsigned j = 0; j < Columns; j += lanes)
    for (unsigned i = 0; i < Rows; i += lanes) {
      V square[lanes];
#pragma GCC unroll 32
      for (unsigned l = 0; l < lanes; ++l)
        square[l] = read(i, j + l);
      transpose_vectors<1>(square);
#pragma GCC unroll 32
      for (unsigned l = 0; l < lanes; ++l)
        ct::platform::store_vector(place(i + l, j), square[l]);
    }
}
template <unsigned Rows, unsigned Columns, typename F>
inline constexpr bool fits_squares = sizeof(F) >= 4 && Rows % (ct::platform::vector_bytes / sizeof(F)) == 0 &&
                                     Columns % (ct::platform::vector_bytes / sizeof(F)) == 0;

/// Rows x Columns elements, of which those of a column are neighbours.
template <unsigned Rows, unsigned Columns, typename F, typename E>
CUDA_TILE_API void pack_columns(F* to, unsigned pitch, matrix<E> const& x) {
  if constexpr (fits_squares<Rows, Columns, F>) {
    using V = ct::platform::vector<F>;
    if constexpr (ct::detail::is_same_v<E, F>) {
      transpose<Rows, Columns>([=](unsigned i, unsigned j) { return to + i * pitch + j; },
                               [&](unsigned i, unsigned j) {
                                 return ct::platform::load_vector<V>(x.from + i + j * x.column_step);
                               });
    } else { // conversions within the unrolled loops would take compilers seconds
      constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(F);
      alignas(sizeof(V)) F converted[lanes * Rows];
      for (unsigned j = 0; j < Columns; j += lanes) {
        for (unsigned l = 0; l < lanes; ++l)
          copy_row<Rows>(converted + l * Rows, x.from + (j + l) * x.column_step);
        transpose<Rows, lanes>(
            [=](unsigned i, unsigned l) { return to + i * pitch + j + l; },
            [&](unsigned i, unsigned l) { return ct::platform::load_vector<V>(converted + l * Rows + i); });
      }
    }
  } else {
    for (unsigned j = 0; j < Columns; ++j)
      for (unsigned i = 0; i < Rows; ++i)
        to[i * pitch + j] = ct::detail::convert<F>(x.from[i + j * x.column_step]);
  }
}

/// Elements of any steps, of which some may be missing.
template <unsigned Rows, unsigned Columns, typename F, typename E>
[[gnu::noinline]] void pack_part(F* to, unsigned pitch, matrix<E> const& x) {
  F const padding = ct::detail::convert<F>(x.padding);
  for (unsigned i = 0; i < Rows; ++i) {
    long long const left = i < x.rows ? x.columns : 0;
    unsigned const count = left < 0 ? 0 : left < Columns ? static_cast<unsigned>(left) : Columns;
    E const* from = x.from + i * x.row_step;
    F* row = to + i * pitch;
    if (x.column_step == 1)
      copy_part<Columns>(row, from, count);
    else
      for (unsigned j = 0; j < count; ++j)
        row[j] = ct::detail::convert<F>(from[j * x.column_step]);
    for (unsigned j = count; j < Columns; ++j)
      row[j] = padding;
  }
}

/// The first Rows x Columns elements, converted to F; rows of `to` are `pitch` apart.
template <unsigned Rows, unsigned Columns, typename F, typename E>
CUDA_TILE_API void pack(F* to, unsigned pitch, matrix<E> const& x) {
  bool const is_whole = x.rows >= Rows && x.columns >= Columns;
  if (is_whole && x.column_step == 1) {
    for (unsigned i = 0; i < Rows; ++i) {
      E const* from = x.from + i * x.row_step;
      // Of the next step or panel: the processor does not see that these follow.
      for (unsigned line = 0; line < Columns * sizeof(E); line += 64)
        __builtin_prefetch(reinterpret_cast<char const*>(from + Columns) + line);
      copy_row<Columns>(to + i * pitch, from);
    }
  } else if (is_whole && x.row_step == 1) {
    pack_columns<Rows, Columns>(to, pitch, x);
  } else {
    pack_part<Rows, Columns>(to, pitch, x);
  }
}

/// Rows of Columns elements, `step` bytes apart, as units of 32 bits that hold Count neighbours of a column,
/// and of which the bits of `flipped` are flipped. Unit (i, j) and those after it in its row, a vector of
/// them, are written to place(i, j).
template <unsigned Count, unsigned Rows, unsigned Columns, typename F, typename Place>
CUDA_TILE_API void pack_rows_of_units(Place place, void const* rows, long long step, unsigned flipped) {
  constexpr unsigned row_bytes = Columns * sizeof(F);
  constexpr unsigned most_ahead = row_bytes < 256 ? 64 : 4096 / row_bytes / Count * Count;
  constexpr unsigned ahead = Rows < most_ahead ? Rows : most_ahead; // rows of this step, or of the next one
  auto const* from = static_cast<unsigned char const*>(rows);
  for (unsigned i = 0; i < Rows; i += Count) {
    for (unsigned p = 0; p < Count; ++p)
      for (unsigned line = 0; line < row_bytes; line += 64)
        __builtin_prefetch(from + (ahead + i + p) * step + line);
    ct::detail::pack_row_of_units<Count, Columns, ct::detail::bits_t<F>>(
        [&](unsigned j) { return place(i / Count, j); }, from + i * step, step, flipped);
  }
}

/// The same for the first Rows x Columns elements, wherever they lie.
template <unsigned Count, unsigned Rows, unsigned Columns, typename F, typename E, typename Place>
CUDA_TILE_API void pack_units(Place place, matrix<E> const& x, unsigned flipped = 0) {
  static_assert(Count * sizeof(F) == sizeof(unsigned) && Rows % Count == 0);
  bool const is_whole = x.rows >= Rows && x.columns >= Columns;
  if (sizeof(E) == sizeof(F) && is_whole && x.column_step == 1)
    return loops::pack_rows_of_units<Count, Rows, Columns, F>(
        place, x.from, x.row_step * static_cast<long long>(sizeof(F)), flipped);
  constexpr unsigned width = Columns < 64 / sizeof(F) ? Columns : 64 / sizeof(F);
  for (unsigned j = 0; j < Columns; j += width) {
    auto const part = [&](unsigned i, unsigned l) { return place(i, j + l); };
    matrix<E> const columns = x.part(0, j);
    if constexpr (sizeof(E) == sizeof(F) && fits_squares<Rows / Count, width, unsigned>)
      if (is_whole && x.row_step == 1) {
        using V = ct::platform::vector<unsigned>;
        transpose<Rows / Count, width>(part, [&](unsigned i, unsigned l) {
          return ct::platform::load_vector<V>(columns.from + i * Count + l * x.column_step) ^ flipped;
        });
        continue;
      }
    alignas(64) F rows[Rows * width];
    loops::pack<Rows, width>(rows, width, columns);
    loops::pack_rows_of_units<Count, Rows, width, F>(part, rows, width * sizeof(F), flipped);
  }
}
/// The same into rows of Columns units.
template <unsigned Count, unsigned Rows, unsigned Columns, typename F, typename E>
CUDA_TILE_API void pack_units(unsigned* to, matrix<E> const& x, unsigned flipped = 0) {
  loops::pack_units<Count, Rows, Columns, F>([=](unsigned i, unsigned j) { return to + i * Columns + j; }, x,
                                             flipped);
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
