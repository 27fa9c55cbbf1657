// Matrix multiplication with one thread on AMX, the matrix unit of Intel's processors: bfloat16 accumulated
// in float, and 8 bit integers in int, in blocks of 16 x 16 accumulators. The right operand is interleaved as
// the instructions expect it; the left one is read in place.
#pragma once

#include "cuda_tile/core/elements.h"
#include "cuda_tile/one_thread/mma/cpu.h"
#include "cuda_tile/platform/host_amx.h"

namespace cuda::tiles::inline CUDA_TILE_ABI::detail {

/// How elements L and R are multiplied, summed as C.
template <typename C, typename L, typename R>
struct amx_product {
  static constexpr bool exists = false;
};

template <typename L, typename R>
  requires(is_8bit_integer<L> && is_8bit_integer<R>)
struct amx_product<int, L, R> {
  static constexpr bool exists = platform::amx::has_int8;
  template <unsigned Sums, unsigned Left, unsigned Right>
  static void add() {
    platform::amx::add_products_of_int8<Sums, Left, Right, is_signed_v<L>, is_signed_v<R>>();
  }
  template <unsigned Count, typename E>
  static bool are_exact(E const*) {
    return true;
  }
};

/// Subnormal operands and sums are zeros on AMX, but not in a product of tiles. None occurs where each factor
/// is 0 or at least 2^-50 and each accumulator 0 or at least 2^-100: bfloat16 has 8 digits, so these factors
/// are multiples of 2^-57, products multiples of 2^-114, and accumulators, with 24 digits, of 2^-123. A sum
/// of multiples of 2^-123 is one, too, and remains one when it is rounded, since floats are coarser only
/// where they are larger. So no sum lies between 0 and 2^-123, while subnormal numbers are below 2^-126.
template <>
struct amx_product<float, __nv_bfloat16, __nv_bfloat16> {
  static constexpr bool exists = platform::amx::has_bfloat16;
  template <unsigned Sums, unsigned Left, unsigned Right>
  static void add() {
    platform::amx::add_products_of_bfloat16<Sums, Left, Right>();
  }
  template <unsigned Count>
  static bool are_exact(__nv_bfloat16 const* x) {
    return are_zero_or_above<Count, unsigned short, (127 - 50) << 7>(x);
  }
  template <unsigned Count>
  static bool are_exact(float const* x) {
    return are_zero_or_above<Count, unsigned, (127u - 100) << 23>(x);
  }

private:
  template <unsigned Count, typename Bits, Bits Least, typename E>
  static bool are_zero_or_above(E const* x) {
    // Zero becomes the greatest number.
    using V = platform::vector<Bits>;
    constexpr unsigned lanes = platform::vector_bytes / static_cast<unsigned>(sizeof(Bits));
    constexpr Bits least = static_cast<Bits>((Least << 1) - 1), greatest = static_cast<Bits>(~Bits(0));
    V seen = greatest - V{};
    for (unsigned i = 0; i + lanes <= Count; i += lanes) {
      V now = (platform::load_vector<V>(x + i) << 1) - 1;
      seen = now < seen ? now : seen;
    }
    bool all = platform::is_zero((platform::vector<long long>)(seen < least));
    for (unsigned i = Count - Count % lanes; i < Count; ++i)
      all &= static_cast<Bits>((platform::bit_cast<Bits>(x[i]) << 1) - 1) >= least;
    return all;
  }
};

/// to = from + a b for Rows x Columns AMX tiles of accumulators, which are AMX's tiles 0 to 3. Rows of a have
/// `depth` bytes; consecutive tiles of b are `panel` bytes apart.
template <unsigned Rows, unsigned Columns, typename Product, typename C>
CUDA_TILE_API void multiply_amx_block(C* to, C const* from, unsigned n, void const* a, void const* b,
                                      unsigned depth, unsigned panel) {
  namespace amx = platform::amx;
  constexpr unsigned side = amx::tile_rows;
  auto left = static_cast<char const*>(a), right = static_cast<char const*>(b);
  unsigned const stride = n * static_cast<unsigned>(sizeof(C));
  amx::load<0>(from, stride);
  if constexpr (Columns == 2)
    amx::load<1>(from + side, stride);
  if constexpr (Rows == 2)
    amx::load<2>(from + side * n, stride);
  if constexpr (Rows == 2 && Columns == 2)
    amx::load<3>(from + side * n + side, stride);
  for (unsigned k = 0; k < depth; k += amx::row_bytes) {
    amx::load<4>(left + k, depth);
    amx::load<6>(right + k * side, amx::row_bytes);
    Product::template add<0, 4, 6>();
    if constexpr (Columns == 2) {
      amx::load<7>(right + panel + k * side, amx::row_bytes);
      Product::template add<1, 4, 7>();
    }
    if constexpr (Rows == 2) {
      amx::load<5>(left + side * depth + k, depth);
      Product::template add<2, 5, 6>();
    }
    if constexpr (Rows == 2 && Columns == 2)
      Product::template add<3, 5, 7>();
  }
  amx::store<0>(to, stride);
  if constexpr (Columns == 2)
    amx::store<1>(to + side, stride);
  if constexpr (Rows == 2)
    amx::store<2>(to + side * n, stride);
  if constexpr (Rows == 2 && Columns == 2)
    amx::store<3>(to + side * n + side, stride);
}

/// result (M x N) = acc + a (M x K) b (K x N), or false where AMX may not be used or would not be exact.
template <unsigned M, unsigned N, unsigned K, typename C, typename L, typename R>
CUDA_TILE_API bool multiply_with_amx(C* result, C const* acc, L const* a, R const* b) {
  namespace amx = platform::amx;
  using product = amx_product<C, L, R>;
  constexpr unsigned side = amx::tile_rows, rows = M >= 2 * side ? 2 : 1, columns = N >= 2 * side ? 2 : 1;
  // The rows of b that an instruction multiplies for one accumulator are interleaved, column by column.
  constexpr unsigned interleave = static_cast<unsigned>(sizeof(C) / sizeof(R));
  constexpr unsigned depth = K * static_cast<unsigned>(sizeof(L)), panel = side * K;
  if (!amx::is_permitted() || !product::template are_exact<M * K>(a) ||
      !product::template are_exact<K * N>(b) || !product::template are_exact<M * N>(acc))
    return false;
  alignas(64) R packed[K * N]; // panels of 16 columns
  for (unsigned j = 0; j < N; j += side)
    for (unsigned k = 0; k < K; k += interleave)
      for (unsigned i = 0; i < side; ++i)
        for (unsigned p = 0; p < interleave; ++p)
          packed[j * K + (k * side) + i * interleave + p] = b[(k + p) * N + j + i];
  amx::configure(amx::full_tiles());
  for (unsigned j = 0; j < N; j += columns * side)
    for (unsigned i = 0; i < M; i += rows * side)
      detail::multiply_amx_block<rows, columns, product>(result + i * N + j, acc + i * N + j, N, a + i * K,
                                                         packed + j * K, depth,
                                                         panel * static_cast<unsigned>(sizeof(R)));
  amx::release();
  return true;
}

namespace multiplications {

/// Where the system does not permit the use of AMX, or its result would not be exact, `cpu` multiplies
/// instead.
struct cpu_amx {
  static constexpr mma_unit unit = mma_unit::amx;

  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes() {
    using LE = tile_element_t<L>;
    using AE = tile_element_t<A>;
    if constexpr (amx_product<AE, LE, tile_element_t<R>>::exists)
      return matrix<A>::rows >= platform::amx::tile_rows && matrix<A>::columns >= platform::amx::tile_rows &&
             matrix<L>::columns * sizeof(LE) >= platform::amx::row_bytes;
    else
      return false;
  }
  template <typename L, typename R, typename A>
  CUDA_TILE_CONSTEXPR static bool takes_no_accumulator() {
    return false;
  }

  template <typename L, typename R, typename A>
  CUDA_TILE_API static A multiply_add(L const& lhs, R const& rhs, A const& acc) {
    return detail::multiply_batches<cpu_amx, A>(lhs, rhs, acc.slots);
  }

  template <unsigned M, unsigned N, unsigned K, typename A, typename L, typename R>
  CUDA_TILE_API static void multiply_matrix(A* result, A const* acc, L const* a, R const* b) {
    if (!detail::multiply_with_amx<M, N, K>(result, acc, a, b))
      cpu::multiply_matrix<M, N, K>(result, acc, a, b);
  }
};

} // namespace multiplications
} // namespace cuda::tiles::inline CUDA_TILE_ABI::detail
