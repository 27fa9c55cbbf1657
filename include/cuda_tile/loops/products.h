// Matrix products whose sums stay where they are: factors are packed straight from memory, step by step, and
// multiplied when enough steps have come together for sums to stay in registers.
#pragma once

#include "cuda_tile/loops/amx.h"
#include "cuda_tile/loops/chunks.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// With rows so far apart, places in a tile still have 32 bits.
inline constexpr long long most_between_rows = 1 << 20;

/// Sums (M x N, for each batch) of products of L (M x K) and R (K x N), which are added to what the sums
/// begin with. With `Together`, several steps are multiplied at once.
template <typename C, typename L, typename R, unsigned Batches, unsigned M, unsigned N, unsigned K,
          bool Together>
class product_sums {
  static constexpr unsigned lanes = ct::detail::block_lanes<C>;
  static constexpr bool fits_vectors = N >= lanes;
  using arithmetic = ct::detail::remove_cvref_t<decltype(*choose_arithmetic<C, L, R, M, N, K>())>;
  using F = typename arithmetic::factor;
  static constexpr unsigned per_step = arithmetic::per_step;
  static constexpr bool has_tiles = uses_tiles<arithmetic>;
  static constexpr unsigned columns = ct::detail::block_shape<C, N>::columns;
  /// Wide panels are read from the second cache, however deep, and sums are added up less often if they are
  /// deep. Both factors are to fit into half of a cache of 1 MiB.
  static constexpr bool is_deep =
      columns == 4 * lanes && per_step == 1 && (M + N) * sizeof(F) * 512 <= 512 * 1024;
  static constexpr unsigned most = (is_deep ? 512 : 256) * per_step;
  static constexpr unsigned depth = Together && Batches == 1 && K < most ? most : K;
  /// So deep, chunks are worth multiplying where the left factor is not packed.
  static constexpr unsigned enough = 64 * per_step;
  /// Whether factors may be multiplied where they are.
  static constexpr bool takes_left =
      requires { requires arithmetic::takes_left; } && !Together && K * sizeof(F) <= 512;
  static constexpr bool takes_right =
      requires { requires arithmetic::takes_right; } && !Together && N == columns;
  /// The same of rows that lie apart.
  static constexpr bool takes_left_rows =
      requires { requires arithmetic::takes_left_rows; } && Together && Batches == 1;
  /// Longer rows are not to be in the same set of the first cache.
  static constexpr unsigned pitch =
      takes_left || has_tiles ? depth : depth + 64 / static_cast<unsigned>(sizeof(F));

  struct left_chunk {
    alignas(64) F rows[M * pitch];
    bool is_exact;
    C corrections[arithmetic::has_corrections ? M : 1]; // what the sums of the rows begin with
  };
  struct right_chunk {
    alignas(64) F panels[(fits_vectors ? N : columns) * depth]; // of `columns` columns
    bool is_exact;
  };
  shared_chunks<left_chunk> left;
  shared_chunks<right_chunk> right;
  F const *rows, *panels;         // of the present chunks, or factors that lie as packed ones do
  unsigned row_distance = pitch;  // of rows
  unsigned filled = 0, chunk = 0; // how much of the present chunk is packed, and its number
  bool is_zero;                   // whether the sums begin with zeros, which are not there yet
  bool as_rows = false;           // whether the left factor of the present chunk is not packed
  bool has_left = false;          // whether a left factor that is always the same is packed

public:
  explicit product_sums(bool begins_with_zeros) : is_zero(begins_with_zeros) {}

  /// All blocks with this line pack the same, in so many steps.
  CUDA_TILE_API void share_left(unsigned number, line at, long long steps) {
    left.share(number, at, (steps * K + depth - 1) / depth);
  }
  CUDA_TILE_API void share_right(unsigned number, line at, long long steps) {
    right.share(number, at, (steps * K + depth - 1) / depth);
  }

  /// Rows of the sums are `row_step` apart.
  CUDA_TILE_API void add(matrices<L> const& a, matrices<R> const& b, C* sums, long long row_step = N) {
    bool const as_left = takes_left && lie_as_packed<M, K>(a, sums, row_step);
    bool const as_right = takes_right && lie_as_packed<K, N>(b, sums, row_step);
    for (unsigned batch = 0; batch < Batches; ++batch) {
      C* const to = sums + batch * M * N;
      matrix<L> const x = a.at(batch);
      if (as_rows && filled != 0 && !follow(x)) {
        if (filled < enough || left.is_shared() || right.is_shared()) {
          pack_taken();
        } else {
          multiply(to, static_cast<unsigned>(row_step));
          is_zero = false;
        }
      }
      if (filled == 0)
        begin_chunk(x, a.stay);
      if (as_rows) {
        take_rows(x);
      } else if (as_left) {
        take_left(x);
      } else if (left.packs && !(a.same && has_left) && (batch == 0 || a.step != 0)) {
        pack(*left.present, x);
        has_left = true;
      }
      if (as_right)
        take_right(b.at(batch));
      else if (right.packs && (batch == 0 || b.step != 0))
        pack(*right.present, b.at(batch));
      if ((filled += K) == depth)
        multiply(to, static_cast<unsigned>(row_step));
    }
    if (Together && filled == 0)
      is_zero = false;
  }

  /// Multiplies what is packed.
  CUDA_TILE_API void finish(C* sums, long long row_step = N) {
    if (filled != 0)
      multiply(sums, static_cast<unsigned>(row_step));
    else if (is_zero)
      for (unsigned i = 0; i < Batches * M; ++i)
        for (unsigned j = 0; j < N; ++j)
          sums[i * row_step + j] = C{};
  }

private:
  /// Whether factors without gaps lie apart from the sums, which are made while they are read.
  template <unsigned Rows, unsigned Columns, typename E>
  CUDA_TILE_API static bool lie_as_packed(matrices<E> const& x, C const* sums, long long row_step) {
    auto const end_of = [](auto const* from, long long count) {
      return reinterpret_cast<unsigned long long>(from + count);
    };
    matrix<E> const& first = x.first;
    return first.column_step == 1 && first.row_step == Columns && first.rows >= Rows &&
           first.columns >= Columns && x.count >= Batches &&
           (end_of(first.from, (Batches - 1) * x.step + Rows * Columns) <= end_of(sums, 0) ||
            end_of(sums, (Batches * M - 1) * row_step + N) <= end_of(first.from, 0));
  }

  CUDA_TILE_API void begin_chunk(matrix<L> const& x, bool stays) {
    as_rows = takes_left_rows && (stays || K == depth) && are_rows(x);
    if (as_rows)
      left.begin_own();
    else
      left.begin(chunk);
    right.begin(chunk);
    rows = left.present->rows;
    row_distance = pitch;
    panels = right.present->panels;
  }

  CUDA_TILE_API static bool are_rows(matrix<L> const& x) {
    return x.column_step == 1 && 0 < x.row_step && x.row_step <= most_between_rows && x.rows >= M &&
           x.columns >= K;
  }
  /// Whether these rows go on where those that the chunk has end.
  CUDA_TILE_API bool follow(matrix<L> const& x) const {
    return are_rows(x) && x.row_step == row_distance && static_cast<void const*>(x.from) == rows + filled;
  }
  CUDA_TILE_API void take_rows(matrix<L> const& x) {
    if constexpr (takes_left_rows) {
      if (filled == 0) {
        rows = reinterpret_cast<F const*>(x.from);
        row_distance = static_cast<unsigned>(x.row_step);
        begin_left(*left.present);
      }
      if constexpr (arithmetic::has_corrections)
        arithmetic::template correct<M, K>(left.present->corrections, rows + filled, row_distance);
    }
  }
  /// Packs what was taken, as the next rows lie elsewhere.
  [[gnu::noinline]] void pack_taken() {
    unsigned const taken = filled;
    for (filled = 0; filled < taken; filled += K)
      pack(*left.present, {reinterpret_cast<L const*>(rows) + filled, row_distance, 1, M, K, L{}});
    rows = left.present->rows;
    row_distance = pitch;
    as_rows = false;
  }

  CUDA_TILE_API void take_left(matrix<L> const& x) {
    if constexpr (takes_left) {
      rows = reinterpret_cast<F const*>(x.from);
      left.present->is_exact = true;
    }
  }
  CUDA_TILE_API void take_right(matrix<R> const& x) {
    if constexpr (takes_right) {
      panels = x.from;
      right.present->is_exact = true;
    }
  }

  CUDA_TILE_API static void begin_left(left_chunk& chunk) {
    chunk.is_exact = true;
    for (C& each : chunk.corrections)
      each = C{};
  }
  CUDA_TILE_API void pack(left_chunk& to, matrix<L> const& x) {
    if (filled == 0)
      begin_left(to);
    if constexpr (has_tiles)
      to.is_exact &= arithmetic::template pack_left<M, K>(to.rows + filled * arithmetic::side,
                                                          depth * arithmetic::side, x);
    else
      to.is_exact &= arithmetic::template pack_left<M, K>(to.rows + filled, pitch, to.corrections, x);
  }
  CUDA_TILE_API void pack(right_chunk& to, matrix<R> const& x) {
    if (filled == 0)
      to.is_exact = true;
    if constexpr (has_tiles)
      to.is_exact &= arithmetic::template pack_right<K, N>(to.panels + filled * arithmetic::side,
                                                           depth * arithmetic::side, x);
    else
      for (unsigned j = 0; j < N; j += columns) {
        matrix<R> part = x.part(0, j);
        if (!fits_vectors && part.columns > N)
          part.columns = N;
        to.is_exact &=
            arithmetic::template pack_right<K, columns>(to.panels + j * depth + filled * columns, part);
      }
  }

  [[gnu::noinline]] void multiply(C* sums, unsigned distance) {
    unsigned const row_step =
        Together ? distance : N; // only sums of several rounds are made where they are stored
    left.end();
    right.end();
    bool const is_exact = left.present->is_exact && right.present->is_exact;
    if constexpr (has_tiles) {
      unsigned const done = Together ? filled : depth;
      if (is_exact && ct::platform::amx::is_permitted())
        arithmetic::template multiply<M, N, depth>(sums, row_step, is_zero, rows, panels, done);
      else
        arithmetic::template multiply_otherwise<M, N, depth>(sums, row_step, is_zero, rows, panels, done);
    } else if (is_exact)
      multiply_by<arithmetic>(sums, row_step);
    else
      multiply_by<typename arithmetic::otherwise>(sums, row_step);
    next_chunk();
  }
  /// Compilers make better loops of a number that they know.
  CUDA_TILE_API unsigned steps() const { return (Together ? filled : depth) / per_step; }
  CUDA_TILE_API unsigned left_pitch() const { return takes_left_rows ? row_distance : pitch; }
  CUDA_TILE_API void next_chunk() {
    filled = 0;
    ++chunk;
  }

  template <typename Arithmetic>
  CUDA_TILE_API void multiply_by(C* sums, unsigned row_step) {
    ct::platform::note_mma<static_cast<unsigned>(ct::detail::mma_unit::blocks)>();
    if constexpr (!fits_vectors)
      return multiply_narrow<Arithmetic>(sums, row_step);
    constexpr C zeros[columns]{};
    for (unsigned j = 0; j < N; j += columns) {
      auto from = is_zero ? ct::detail::addend<C>{zeros, 0} : ct::detail::addend<C>{sums + j, row_step};
      F const* panel = panels + j * depth;
      void const* const next = j + columns < N ? panel + columns * depth : right.next();
      multiply_panel<Arithmetic>(sums + j, row_step, from, panel, next);
    }
  }
  template <typename Arithmetic>
  CUDA_TILE_API void multiply_panel(C* to, unsigned row_step, ct::detail::addend<C> from, F const* panel,
                                    void const* next) {
    auto const multiply = [&](auto addend) {
      ct::detail::multiply_rows<Arithmetic, M, columns / lanes>(0, M, to, row_step, addend, rows,
                                                                left_pitch(), panel, steps(), next);
    };
    if constexpr (arithmetic::has_corrections)
      multiply(ct::detail::addend_of_rows<C>{from, left.present->corrections});
    else
      multiply(from);
  }

  /// Sums of rows that are shorter than a vector: in whole ones, of which the first N are kept.
  template <typename Arithmetic>
  void multiply_narrow(C* sums, unsigned row_step) {
    alignas(64) C whole[M * columns]{};
    for (unsigned i = 0; i < M && !is_zero; ++i)
      for (unsigned j = 0; j < N; ++j)
        whole[i * columns + j] = sums[i * row_step + j];
    multiply_panel<Arithmetic>(whole, columns, {whole, columns}, panels, right.next());
    for (unsigned i = 0; i < M; ++i)
      for (unsigned j = 0; j < N; ++j)
        sums[i * row_step + j] = whole[i * columns + j];
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
