// Copies of the factors of products, in the order in which they are multiplied.
#pragma once

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

/// Matrices of a batch, `step` elements apart, of which `count` exist.
template <typename E>
struct matrices {
  matrix<E> first;
  long long step, count;

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
    for (unsigned i = 0; i < Count; ++i)
      to[i] = ct::detail::convert<F>(from[i]);
  else if constexpr (Count * sizeof(E) % ct::platform::vector_bytes == 0)
    ct::platform::copy_vectors<Count * sizeof(E)>(to, from);
  else
    __builtin_memcpy(to, from, Count * sizeof(E));
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
template <unsigned Rows, unsigned Columns, typename F, typename Read>
CUDA_TILE_API void transpose(F* to, unsigned pitch, Read read) {
  using V = ct::platform::vector<F>;
  constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(F);
  for (unsigned j = 0; j < Columns; j += lanes)
    for (unsigned i = 0; i < Rows; i += lanes) {
      V square[lanes];
#pragma GCC unroll 32
      for (unsigned l = 0; l < lanes; ++l)
        square[l] = read(i, j + l);
      transpose_vectors<1>(square);
#pragma GCC unroll 32
      for (unsigned l = 0; l < lanes; ++l)
        ct::platform::store_vector(to + (i + l) * pitch + j, square[l]);
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
      transpose<Rows, Columns>(to, pitch, [&](unsigned i, unsigned j) {
        return ct::platform::load_vector<V>(x.from + i + j * x.column_step);
      });
    } else { // conversions within the unrolled loops would take compilers seconds
      constexpr unsigned lanes = ct::platform::vector_bytes / sizeof(F);
      alignas(sizeof(V)) F converted[lanes * Rows];
      for (unsigned j = 0; j < Columns; j += lanes) {
        for (unsigned l = 0; l < lanes; ++l)
          copy_row<Rows>(converted + l * Rows, x.from + (j + l) * x.column_step);
        transpose<Rows, lanes>(to + j, pitch, [&](unsigned i, unsigned l) {
          return ct::platform::load_vector<V>(converted + l * Rows + i);
        });
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
      for (unsigned j = 0; j < count; ++j)
        row[j] = ct::detail::convert<F>(from[j]);
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

/// Lanes of the first or the second half of both, in turn.
template <unsigned Half, typename V>
CUDA_TILE_API V interleave(V a, V b) {
  constexpr unsigned lanes = sizeof(V) / sizeof(a[0]);
  return ct::platform::shuffle_lanes(a, b,
                                     [](unsigned l) { return (l % 2) * lanes + Half * (lanes / 2) + l / 2; });
}

/// The vectors `from` and those at the next multiples of `step` bytes, of Count rows in all, as units of 32
/// bits that hold an E of each row. The bits of `flipped` are flipped.
template <unsigned Count, unsigned Bytes, typename E>
CUDA_TILE_API void interleave_rows(unsigned* to, unsigned char const* from, long long step,
                                   unsigned flipped) {
  using pair = ct::platform::vector<unsigned short, Bytes>;
  using units = ct::platform::vector<unsigned, Bytes>;
  pair pairs[Count];
  if constexpr (Count == 4) {
    using V = ct::platform::vector<E, Bytes>;
    auto row = [&](unsigned p) { return ct::platform::load_vector<V>(from + p * step); };
    pairs[0] = (pair)loops::interleave<0>(row(0), row(1));
    pairs[1] = (pair)loops::interleave<0>(row(2), row(3));
    pairs[2] = (pair)loops::interleave<1>(row(0), row(1));
    pairs[3] = (pair)loops::interleave<1>(row(2), row(3));
  } else {
    for (unsigned p = 0; p < Count; ++p)
      pairs[p] = ct::platform::load_vector<pair>(from + p * step);
  }
  units const flips = flipped - units{};
  constexpr unsigned lanes = Bytes / sizeof(unsigned);
  for (unsigned p = 0; p < Count; p += 2) {
    auto const first = (units)loops::interleave<0>(pairs[p], pairs[p + 1]) ^ flips;
    auto const second = (units)loops::interleave<1>(pairs[p], pairs[p + 1]) ^ flips;
    ct::platform::store_vector(to + p * lanes, first);
    ct::platform::store_vector(to + (p + 1) * lanes, second);
  }
}

/// The same for Columns elements of each row.
template <unsigned Count, unsigned Columns, typename E>
CUDA_TILE_API void pack_row_of_units(unsigned* to, unsigned char const* from, long long step,
                                     unsigned flipped) {
  constexpr unsigned row = Columns * sizeof(E);
  constexpr unsigned bytes = row < ct::platform::vector_bytes ? row : ct::platform::vector_bytes;
  if constexpr (bytes % 16 == 0 && row % bytes == 0) {
    for (unsigned at = 0; at < row; at += bytes)
      loops::interleave_rows<Count, bytes, E>(to + at / sizeof(E), from + at, step, flipped);
  } else {
    for (unsigned j = 0; j < Columns; ++j) {
      unsigned unit = 0;
      for (unsigned p = 0; p < Count; ++p) {
        E element;
        __builtin_memcpy(&element, from + p * step + j * sizeof(E), sizeof element);
        unit |= static_cast<unsigned>(element) << (8 * sizeof(E) * p);
      }
      to[j] = unit ^ flipped;
    }
  }
}

/// The first Rows x Columns elements, such that Count neighbours of a column make a unit of 32 bits, of which
/// the bits of `flipped` are flipped; rows of units have Columns of these.
template <unsigned Count, unsigned Rows, unsigned Columns, typename F, typename E>
CUDA_TILE_API void pack_units(unsigned* to, matrix<E> const& x, unsigned flipped = 0) {
  static_assert(Count * sizeof(F) == sizeof(unsigned) && Rows % Count == 0);
  bool const is_whole = x.rows >= Rows && x.columns >= Columns;
  if constexpr (sizeof(E) == sizeof(F) && fits_squares<Rows / Count, Columns, unsigned>)
    if (is_whole && x.row_step == 1) {
      using V = ct::platform::vector<unsigned>;
      return transpose<Rows / Count, Columns>(to, Columns, [&](unsigned i, unsigned j) {
        return ct::platform::load_vector<V>(x.from + i * Count + j * x.column_step) ^ flipped;
      });
    }
  alignas(64) F rows[Rows * Columns];
  bool const in_place = sizeof(E) == sizeof(F) && is_whole && x.column_step == 1;
  if (!in_place)
    loops::pack<Rows, Columns>(rows, Columns, x);
  auto const* from = in_place ? reinterpret_cast<unsigned char const*>(x.from)
                              : reinterpret_cast<unsigned char const*>(rows);
  long long const step = (in_place ? x.row_step : Columns) * static_cast<long long>(sizeof(F));
  using bits = ct::detail::conditional_t<sizeof(F) == 1, unsigned char, unsigned short>;
  constexpr unsigned ahead = Rows < 64 ? Rows : 64; // rows of this step, or of the next one
  for (unsigned i = 0; i < Rows; i += Count) {
    for (unsigned p = 0; p < Count; ++p)
      __builtin_prefetch(from + (ahead + i + p) * step);
    loops::pack_row_of_units<Count, Columns, bits>(to + i / Count * Columns, from + i * step, step, flipped);
  }
}

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
