// Matrix products whose sums stay where they are: factors are packed straight from memory, step by step, and
// multiplied when enough steps have come together for sums to stay in registers.
#pragma once

#include "cuda_tile/loops/arithmetic.h"
#include "cuda_tile/loops/chunks.h"

namespace cuda_tile::inline CUDA_TILE_ABI::loops {

/// Sums (M x N, for each batch) of products of L (M x K) and R (K x N), which are added to what the sums
/// begin with. With `Together`, several steps are multiplied at once.
template <typename C, typename L, typename R, unsigned Batches, unsigned M, unsigned N, unsigned K,
          bool Together>
class product_sums {
  static constexpr unsigned lanes = ct::detail::block_lanes<C>;
  static constexpr bool fits_vectors = N >= lanes;
  using arithmetic = typename choose_arithmetic<C, L, R, fits_vectors, K>::type;
  using F = typename arithmetic::factor;
  static constexpr unsigned per_step = arithmetic::per_step;
  static constexpr unsigned columns = fits_vectors ? ct::detail::block_shape<C, N>::columns : N;
  static constexpr unsigned most = 256 * per_step;
  static constexpr unsigned depth = Together && Batches == 1 && K < most ? most : K;
  /// So that rows are not in the same set of the first cache.
  static constexpr unsigned pitch = depth + 64 / static_cast<unsigned>(sizeof(F));

  struct left_chunk {
    alignas(64) F rows[M * pitch];
    bool is_exact;
  };
  struct right_chunk {
    alignas(64) F panels[N * depth]; // of `columns` columns
    bool is_exact;
    C corrections[arithmetic::has_corrections ? N : 1]; // what sums begin with, or is added to them
  };
  shared_chunks<left_chunk> left;
  shared_chunks<right_chunk> right;
  unsigned filled = 0, chunk = 0; // how much of the present chunk is packed, and its number
  bool is_zero;                   // whether the sums begin with zeros, which are not there yet

public:
  explicit product_sums(bool begins_with_zeros) : is_zero(begins_with_zeros) {}

  /// All blocks with this line pack the same, in so many steps.
  CUDA_TILE_API void share_left(unsigned number, line at, long long steps) {
    left.share(number, at, (steps * K + depth - 1) / depth);
  }
  CUDA_TILE_API void share_right(unsigned number, line at, long long steps) {
    right.share(number, at, (steps * K + depth - 1) / depth);
  }

  CUDA_TILE_API void add(C* sums, matrices<L> const& a, matrices<R> const& b) {
    for (unsigned batch = 0; batch < Batches; ++batch) {
      if (filled == 0)
        begin();
      if (left.packs && (batch == 0 || a.step != 0))
        left.present->is_exact &=
            arithmetic::template pack_left<M, K>(left.present->rows + filled, pitch, a.at(batch));
      if (right.packs && (batch == 0 || b.step != 0))
        for (unsigned j = 0; j < N; j += columns)
          right.present->is_exact &= arithmetic::template pack_right<K, columns>(
              right.present->panels + j * depth + filled * columns, right.present->corrections + j,
              b.at(batch).part(0, j));
      if ((filled += K) == depth)
        multiply(sums + batch * M * N);
    }
    if (filled == 0)
      is_zero = false;
  }

  /// Multiplies what is packed.
  CUDA_TILE_API void finish(C* sums) {
    if (filled != 0)
      multiply(sums);
    else if (is_zero)
      for (unsigned i = 0; i < Batches * M * N; ++i)
        sums[i] = C{};
  }

private:
  CUDA_TILE_API void begin() {
    left.begin(chunk);
    right.begin(chunk);
    if (left.packs)
      left.present->is_exact = true;
    if (right.packs)
      right.present->is_exact = true;
    if (arithmetic::has_corrections && right.packs)
      for (C& each : right.present->corrections)
        each = C{};
  }

  [[gnu::noinline]] void multiply(C* sums) {
    left.end();
    right.end();
    if (left.present->is_exact && right.present->is_exact)
      multiply_by<arithmetic>(sums);
    else
      multiply_by<typename arithmetic::otherwise>(sums);
    filled = 0;
    ++chunk;
  }

  template <typename Arithmetic>
  CUDA_TILE_API void multiply_by(C* sums) {
    constexpr C zeros[columns]{};
    for (unsigned j = 0; j < N; j += columns) {
      C const* corrections = arithmetic::has_corrections ? right.present->corrections + j : zeros;
      for (unsigned i = 0; arithmetic::has_corrections && !is_zero && i < M; ++i)
        for (unsigned l = 0; l < columns; ++l)
          sums[i * N + j + l] = ct::elements::add{}(sums[i * N + j + l], corrections[l]);
      auto from = is_zero ? ct::detail::addend<C>{corrections, 0} : ct::detail::addend<C>{sums + j, N};
      F const* panel = right.present->panels + j * depth;
      if constexpr (fits_vectors)
        ct::detail::multiply_rows<Arithmetic, M, columns / lanes>(0, M, sums + j, N, from, left.present->rows,
                                                                  pitch, panel, filled / per_step);
      else
        multiply_narrow(sums, from, panel);
    }
  }

  void multiply_narrow(C* sums, ct::detail::addend<C> from, F const* panel) {
    for (unsigned i = 0; i < M; ++i)
      for (unsigned j = 0; j < N; ++j) {
        C sum = -C{};
        for (unsigned k = 0; k < filled; ++k)
          sum = ct::detail::multiply_add<C>(left.present->rows[i * pitch + k],
                                            panel[(k / per_step * N + j) * per_step + k % per_step], sum);
        sums[i * N + j] = ct::elements::add{}(from.row(i)[j], sum);
      }
  }
};

} // namespace cuda_tile::inline CUDA_TILE_ABI::loops
