// Matrix multiplication with one thread by register blocks: the accumulators of a few rows and columns stay
// in vector registers throughout the loop over the inner dimension.
//
// The right operand is packed in panels as wide as a register block. Both operands are converted before they
// are multiplied: floating point to the accumulator's type, 8 bit integers to 16 bits, which processors
// multiply and add in pairs. So a "step" below is one k of the product, or two for integers.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/platform/host_vectors.h"
#include "cuda_tile/tile/matrix.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How elements are multiplied and summed as C.
template <typename C>
struct block_arithmetic {
  using factor = C;
  static constexpr unsigned per_step = 1;
  using sums = platform::vector<C>;
  static sums splat(factor const* a) { return *a - sums{}; }
  static sums add(sums a, sums b) { return a + b; }
  static sums add_products(sums a, factor const* b, sums c) {
    return platform::multiply_add_vectors(a, platform::load_vector<sums>(b), c);
  }
};
template <>
struct block_arithmetic<int> {
  using factor = short;
  static constexpr unsigned per_step = 2;
  using sums = platform::vector<int>;
  static platform::vector<short> splat(factor const* a) {
    int pair;
    __builtin_memcpy(&pair, a, sizeof pair);
    return (platform::vector<short>)(pair - sums{});
  }
  static sums add(sums a, sums b) { return platform::add_lanes(a, b); }
  static sums add_products(platform::vector<short> a, factor const* b, sums c) {
    return platform::add_products_of_pairs(a, platform::load_vector<platform::vector<short>>(b), c);
  }
};

/// How many sums a vector holds.
template <typename C>
inline constexpr unsigned block_lanes = platform::vector_bytes / static_cast<unsigned>(sizeof(C));
/// The sums, a row of the right operand and one value of the left one fit into the registers.
template <unsigned Vectors>
inline constexpr unsigned most_block_rows = platform::vector_registers == 32 && Vectors < 4 ? 8 : 6;

/// Six rows of four vectors take two fifths fewer loads for each product than eight rows of two.
template <typename C, unsigned N>
struct block_shape {
  static constexpr unsigned most = platform::vector_bytes == 64 ? 4 : 2;
  static constexpr unsigned vectors = N >= most * block_lanes<C> ? most : N >= 2 * block_lanes<C> ? 2 : 1;
  static constexpr unsigned columns = vectors * block_lanes<C>;
};

/// What a product is added to. Rows are `stride` apart; a stride of 0 serves for zeros, where all rows are
/// the same.
template <typename C>
struct addend {
  C const* from;
  unsigned stride;
  C const* row(unsigned i) const { return from + i * stride; }
  addend beginning_at(unsigned i) const { return {row(i), stride}; }
  /// What the sums of a row begin with: no sum of floats is changed by -0.
  static platform::vector<C> start(unsigned) { return -platform::vector<C>{}; }
};
/// One with a number for each row besides, which is added to all sums of the row.
template <typename C>
struct addend_of_rows {
  addend<C> sums;
  C const* rows;
  C const* row(unsigned i) const { return sums.row(i); }
  addend_of_rows beginning_at(unsigned i) const { return {sums.beginning_at(i), rows + i}; }
  platform::vector<C> start(unsigned i) const { return rows[i] - platform::vector<C>{}; }
};

/// What is brought into the second cache while a block is multiplied, `step` bytes with each four steps.
struct fetched {
  char const* from;
  unsigned step;
};

/// to[Rows][Vectors vectors] = acc + a b, for `steps` steps; rows of `to` and of a are to_stride and a_stride
/// apart. `acc` is added last, so that it and `to` can be fetched meanwhile. This is a function of its own
/// because compilers then keep all sums in registers.
template <typename Arithmetic, unsigned Rows, unsigned Vectors, typename C, typename Addend, typename F>
__attribute__((noinline)) void multiply_block(C* to, unsigned to_stride, Addend acc, F const* a,
                                              unsigned a_stride, F const* b, unsigned steps, fetched ahead) {
  using sums = typename Arithmetic::sums;
  constexpr unsigned lanes = block_lanes<C>, per_step = Arithmetic::per_step;
  sums c[Rows][Vectors];
  for (unsigned i = 0; i < Rows; ++i) {
    __builtin_prefetch(acc.row(i));
    for (unsigned v = 0; v < Vectors; ++v) {
      if (v * platform::vector_bytes % 64 == 0) // a cache line
        __builtin_prefetch(to + i * to_stride + v * lanes, 1);
      c[i][v] = acc.start(i);
    }
  }
  // A core that runs two threads is limited by instruction issue, and counting every step would take a tenth
  // of its issue slots.
  constexpr unsigned width = Vectors * lanes * per_step;
  size_t const between_rows = a_stride; // numbers of 32 bits would be extended anew for each row
  F const* const end = b + size_t(steps) * width;
  auto const step = [&] {
    for (unsigned i = 0; i < Rows; ++i) {
      auto factor = Arithmetic::splat(a + i * between_rows);
      for (unsigned v = 0; v < Vectors; ++v)
        c[i][v] = Arithmetic::add_products(factor, b + v * lanes * per_step, c[i][v]);
    }
    a += per_step;
    b += width;
  };
  // A step of wide blocks reads much, and has issue slots left. Not for integers: g++ would add those of four
  // steps in an order that needs more registers than there are.
  if constexpr (Vectors >= 4 && per_step == 1)
    for (; end - b >= 4 * width; ahead.from += ahead.step) {
      __builtin_prefetch(ahead.from, 0, 2);
#pragma GCC unroll 4
      for (unsigned s = 0; s < 4; ++s)
        step();
    }
#pragma GCC unroll 4
  while (b != end)
    step();
  for (unsigned i = 0; i < Rows; ++i)
    for (unsigned v = 0; v < Vectors; ++v)
      platform::store_vector(to + i * to_stride + v * lanes,
                             Arithmetic::add(platform::load_vector<sums>(acc.row(i) + v * lanes), c[i][v]));
}

/// multiply_block for the rows [begin, end) of M: as many at a time as the registers hold, and the remainder
/// in fours, as fewer would leave the processor waiting for sums. `next` is the panel that follows, or null.
template <typename Arithmetic, unsigned M, unsigned Vectors, typename C, typename Addend, typename F>
CUDA_TILE_API void multiply_rows(unsigned begin, unsigned end, C* to, unsigned to_stride, Addend acc,
                                 F const* a, unsigned a_stride, F const* b, unsigned steps,
                                 void const* next = nullptr) {
  constexpr unsigned most = most_block_rows<Vectors>, rows = M < most ? M : most;
  constexpr unsigned in_fours = M % rows == 0 ? 0 : M % rows == 4 ? 4 : 8;
  static_assert(M >= in_fours && (M - in_fours) % rows == 0);
  auto const ahead = [=](unsigned i) {
    constexpr unsigned line = 64; // so slow, fetching is not in the way
    unsigned const bytes = steps * Vectors * platform::vector_bytes, at = i / rows * (steps / 4) * line;
    return next && at < bytes ? fetched{static_cast<char const*>(next) + at, line}
                              : fetched{reinterpret_cast<char const*>(b), 0};
  };
  unsigned i = begin;
  for (; i < end && i < M - in_fours; i += rows)
    detail::multiply_block<Arithmetic, rows, Vectors>(to + i * to_stride, to_stride, acc.beginning_at(i),
                                                      a + i * a_stride, a_stride, b, steps, ahead(i));
  if constexpr (in_fours != 0)
    for (; i < end; i += 4)
      detail::multiply_block<Arithmetic, 4, Vectors>(to + i * to_stride, to_stride, acc.beginning_at(i),
                                                     a + i * a_stride, a_stride, b, steps, ahead(i));
}

/// Packs `Steps` steps of a block's columns in the order in which they are read.
template <unsigned N, unsigned Steps, typename C, typename F, typename R>
CUDA_TILE_API void pack_columns(F* to, R const* b) {
  constexpr unsigned columns = block_shape<C, N>::columns, per_step = block_arithmetic<C>::per_step;
  for (unsigned k = 0; k < Steps; ++k) {
    __builtin_prefetch(b + (k + 24) * per_step * N); // rows are too far apart for the hardware prefetcher
    for (unsigned j = 0; j < columns; ++j)
      for (unsigned p = 0; p < per_step; ++p)
        to[(k * columns + j) * per_step + p] = detail::convert<F>(b[(k * per_step + p) * N + j]);
  }
}

/// How much of the operands is multiplied at a time.
template <typename C, unsigned M, unsigned N, unsigned K>
struct block_depth {
  static constexpr unsigned per_step = block_arithmetic<C>::per_step;
  /// A panel, the packed columns of a block, is read from the L2 cache at no cost; with deep panels, sums are
  /// added to the result less often.
  static constexpr unsigned panel_bytes = block_shape<C, N>::vectors == 4 ? 64 * 1024 : 32 * 1024;
  static constexpr unsigned step_bytes = block_shape<C, N>::columns * static_cast<unsigned>(sizeof(C));
  static constexpr unsigned most = panel_bytes / step_bytes * per_step;
  static constexpr unsigned depth = K < most ? K : most;
  static constexpr unsigned steps = depth / per_step;
  /// Rows of the left operand that stay in the L2 cache while all panels are used.
  static constexpr unsigned group_bytes = 128 * 1024;
  static constexpr unsigned row_bytes = depth * static_cast<unsigned>(sizeof(C)) / per_step;
  static constexpr unsigned rows = most_block_rows<block_shape<C, N>::vectors>;
  static constexpr unsigned fitting = (group_bytes / row_bytes + rows - 1) / rows * rows;
  static constexpr unsigned group = M < fitting + rows ? M : fitting;
  static constexpr unsigned panels = M > group ? N / block_shape<C, N>::columns : 1;
};

/// result (M x N) = acc + a (M x K) b (K x N), with factors of type F; N is a multiple of a block's columns
/// and K of a step; acc is null for zeros. Panels are packed once, and kept if there is more than one group
/// of rows.
template <unsigned M, unsigned N, unsigned K, typename C, typename F, typename R>
CUDA_TILE_API void multiply_packed(C* result, C const* acc, F const* a, R const* b) {
  using part = block_depth<C, M, N, K>;
  constexpr unsigned columns = block_shape<C, N>::columns, panel = part::depth * columns;
  alignas(64) F packed[part::panels * panel];
  constexpr C zeros[columns]{};
  for (unsigned k = 0; k < K; k += part::depth)
    for (unsigned i = 0, end; i < M; i = end) {
      // Rows too few for a block of their own join the group before them.
      end = M - i < part::group + part::rows ? M : i + part::group;
      for (unsigned j = 0; j < N; j += columns) {
        F* to = packed + (part::panels > 1 ? j / columns * panel : 0);
        if (i == 0)
          detail::pack_columns<N, part::steps, C>(to, b + k * N + j);
        C const* from = k == 0 ? acc : result;
        addend<C> sums = from == nullptr ? addend<C>{zeros, 0} : addend<C>{from + j, N};
        detail::multiply_rows<block_arithmetic<C>, M, block_shape<C, N>::vectors>(i, end, result + j, N, sums,
                                                                                  a + k, K, to, part::steps);
      }
    }
}

/// Calls f with a pointer to the elements of `from` converted to E; they are not copied if E is their type.
template <typename E, unsigned Size, typename T, typename F>
CUDA_TILE_API void with_converted(T const* from, F f) {
  if constexpr (is_same_v<E, T>) {
    f(from);
  } else {
    E converted[Size];
    for (unsigned i = 0; i < Size; ++i)
      converted[i] = detail::convert<E>(from[i]);
    f(converted);
  }
}

template <typename C, unsigned N, unsigned K>
inline constexpr bool fits_blocks =
    N >= platform::vector_bytes / sizeof(C) && K >= block_arithmetic<C>::per_step;

/// result (M x N) = acc + a (M x K) b (K x N), summed as C, for sizes that satisfy fits_blocks; acc may be
/// null, for zeros, if A is C.
template <unsigned M, unsigned N, unsigned K, typename C, typename A, typename L, typename R>
CUDA_TILE_API void multiply_blocks(A* result, A const* acc, L const* a, R const* b) {
  using F = typename block_arithmetic<C>::factor;
  detail::with_converted<F, M * K>(a, [&](F const* factors) {
    if constexpr (is_same_v<A, C>) {
      detail::multiply_packed<M, N, K>(result, acc, factors, b);
    } else {
      C sums[M * N];
      detail::with_converted<C, M * N>(
          acc, [&](C const* from) { detail::multiply_packed<M, N, K>(sums, from, factors, b); });
      for (unsigned i = 0; i < M * N; ++i)
        result[i] = detail::convert<A>(sums[i]);
    }
  });
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
