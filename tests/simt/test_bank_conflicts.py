"""Bank conflicts of staged operands of matrix products, determined from the places that the header
computes."""

from __future__ import annotations

from itertools import product

import pytest
from cases import PORTIONS, portion_of
from holds import broken

SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::detail;

/// The largest number of words in one bank that lanes [first, first + count) access at `address`, in bytes.
template <unsigned Bytes, typename Address>
constexpr unsigned words_of_a_bank(unsigned first, unsigned count, Address address) {
  unsigned words[32][32] = {}, counts[32] = {}, most = 0;
  for (unsigned lane = first; lane < first + count; ++lane)
    for (unsigned byte = 0; byte < (Bytes < 4 ? 4 : Bytes); byte += 4) {
      unsigned const word = (address(lane) + byte) / 4, bank = word % 32;
      bool seen = false;
      for (unsigned i = 0; i < counts[bank]; ++i)
        seen = seen || words[bank][i] == word;
      if (!seen)
        words[bank][counts[bank]++] = word;
      most = counts[bank] > most ? counts[bank] : most;
    }
  return most;
}

/// How many times longer than its bytes need an access of a warp takes. With up to 4 bytes all lanes access
/// at once, with 8 half of them, with 16 a quarter.
template <unsigned Bytes, typename Address>
constexpr unsigned turns(Address address) {
  constexpr unsigned count = Bytes <= 4 ? 32 : 128 / Bytes;
  unsigned most = 1;
  for (unsigned first = 0; first < 32; first += count) {
    unsigned const words = words_of_a_bank<Bytes>(first, count, address);
    most = words > most ? words : most;
  }
  return most;
}

/// Stores of Step elements F from each slot of a warp's threads, distributed by D, at `place`, in elements.
template <unsigned Step, typename F, typename D, typename Place>
constexpr unsigned turns_of_stores(unsigned warp, Place place) {
  unsigned most = 1;
  for (unsigned s = 0; s < D::slots; s += Step) {
    auto const address = [&](unsigned lane) {
      return place(D::index(warp * 32 + lane, s)) * static_cast<unsigned>(sizeof(F));
    };
    unsigned const seen = turns<Step * sizeof(F)>(address);
    most = seen > most ? seen : most;
  }
  return most;
}

template <typename Product, typename L, typename R, typename W>
struct checked {
  using staging = typename Product::right_staging;
  static constexpr unsigned slice = k_loop<Product, W>::slice;
  using left = typename Product::left_staging::template matrix<slice>;
  using right = typename staging::template matrix<slice>;
  using left_element = typename left::element_type;
  using right_element = typename right::element_type;
  using fragments = typename Product::fragments;
  static constexpr bool by_columns = is_same_v<right, swizzled_matrix<right_element, slice>>;
  using held = conditional_t<by_columns, distribution_of<transposed_shape<typename R::shape_type>>,
                             typename R::distribution>;
  static_assert(slice == W::k, "a whole operand is staged: indices are those of the tile");

  /// Stores of 2 or 4 elements to a segment of a row meet if the threads' neighbours are not as many as those
  /// that they accumulate; those to columns if they are of 4 bytes, or of 8 to rows of 32.
  static constexpr unsigned bytes = held::vector * sizeof(right_element);
  static constexpr bool meet = by_columns ? bytes < 8 || (bytes < 16 && right::segments < 4)
                                          : fragments::group != 0 && held::vector != W::run;
  static constexpr unsigned allowed = meet ? 2 : 1;

  static constexpr bool stores() {
    constexpr unsigned left_step = least(L::distribution::vector, left::per_segment);
    constexpr unsigned right_step =
        least(held::vector,
              by_columns ? right::per_segment : least(right::per_segment, staging::order::contiguous));
    for (unsigned warp = 0; warp < W::warps; ++warp) {
      if (turns_of_stores<left_step, left_element, typename L::distribution>(
              warp, [](unsigned i) { return left::place(i / W::k, i % W::k); }) != 1)
        return false;
      if (turns_of_stores<right_step, right_element, held>(warp, place_of_right) > allowed)
        return false;
    }
    return true;
  }

  static constexpr unsigned place_of_right(unsigned i) {
    if constexpr (by_columns)
      return staging::template place<slice>(0, i % W::k, staging::order::place(i / W::k));
    else
      return staging::template place<slice>(0, fragments::row_place(i / W::n),
                                            staging::order::place(i % W::n));
  }
};

template <typename L, typename R, typename A, bool Transposed>
using by_units =
    mma_sync_product<typename L::element_type, typename R::element_type, Transposed, warp_tile<L, R, A>>;

template <typename L, typename R, typename A, bool Transposed>
struct of_units : checked<by_units<L, R, A, Transposed>, L, R, warp_tile<L, R, A>> {
  static constexpr bool loads() {
    using product = by_units<L, R, A, Transposed>;
    using load = typename product::fragments;
    using staging = typename product::right_staging;
    using left = typename of_units::left;
    constexpr unsigned run = warp_tile<L, R, A>::run;
    constexpr unsigned word = sizeof(typename product::word), per_load = load::template per_load<run>;
    constexpr unsigned left_bytes = word == 4 ? 16 : 8;
    constexpr unsigned right_bytes = load::group == 0 ? per_load * word : left_bytes;
    auto const left_place = [](unsigned lane) {
      return left::place(product::left_row(lane), product::left_k(lane)) *
             static_cast<unsigned>(sizeof(typename product::left));
    };
    auto const right_place = [](unsigned lane) {
      staged_index const at = load::template lane_index<run>(lane);
      return staging::template place<of_units::slice>(0, at.k, at.column) *
             static_cast<unsigned>(sizeof(typename product::right));
    };
    return turns<left_bytes>(left_place) == 1 && turns<right_bytes>(right_place) == 1;
  }
};

template <typename E, bool Transposed, unsigned M, unsigned N, unsigned K>
using tiles = of_units<ct::tile<E, ct::shape<M, K>>, ct::tile<E, ct::shape<K, N>>,
                       ct::tile<typename instruction_types<E, E>::sum, ct::shape<M, N>>, Transposed>;

/// Products by multiply-add: a thread loads a segment of a row, and neighbouring columns.
template <typename E, unsigned M, unsigned N, unsigned K>
using tile_of_floats =
    warp_tile<ct::tile<E, ct::shape<M, K>>, ct::tile<E, ct::shape<K, N>>, ct::tile<E, ct::shape<M, N>>>;
template <typename E, unsigned M, unsigned N, unsigned K>
struct floats : checked<fma_product<E, tile_of_floats<E, M, N, K>>, ct::tile<E, ct::shape<M, K>>,
                        ct::tile<E, ct::shape<K, N>>, tile_of_floats<E, M, N, K>> {
  static constexpr bool loads() {
    using W = tile_of_floats<E, M, N, K>;
    using share = fma_share<E, W>;
    auto const left_place = [](unsigned lane) {
      return floats::left::place(share::row(lane), 0) * static_cast<unsigned>(sizeof(E));
    };
    auto const right_place = [](unsigned lane) {
      return floats::right::place(0, share::column(lane)) * static_cast<unsigned>(sizeof(E));
    };
    constexpr unsigned right_bytes = least(W::run * static_cast<unsigned>(sizeof(E)), 16);
    return turns<16>(left_place) == 1 && turns<right_bytes>(right_place) == 1;
  }
};

#if CUDA_TILE_WARP_GROUPS
/// What warp groups multiply: stores alone, since instructions read what they take.
template <typename E, bool LeftKRows, bool RightKRows, unsigned M, unsigned N, unsigned K>
struct groups {
  using L = ct::tile<E, ct::shape<M, K>>;
  using R = ct::tile<E, ct::shape<K, N>>;
  using A = ct::tile<typename instruction_types<E, E>::sum, ct::shape<M, N>>;
  using W = warp_tile<L, R, A>;
  using product = wgmma_product<E, E, LeftKRows, RightKRows, W>;
  using left = typename product::left_staging::template staging<0, K, L>;
  using right = typename product::right_staging::template staging<0, K, R>;
  static_assert(multiplications::wgmma::takes<L, R, A>() && k_loop<product, W>::slice == K);

  /// Threads hold 8 neighbours and store 16 bytes at once, or less after a transposition. If a warp holds
  /// less of a row, stores may conflict.
  template <typename S>
  static constexpr unsigned allowed =
      S::D::vector == 8 && (S::step * sizeof(E) == 16 || S::step <= 2) ? 1 : 2;

  template <typename S>
  static constexpr unsigned turns_of() {
    unsigned most = 1;
    for (unsigned warp = 0; warp < platform_warps; ++warp) {
      unsigned seen = 1;
      if (S::by_words) {
        for (unsigned s = 0; s < S::D::slots; s += 4)
          for (unsigned e = 0; e < 2; ++e) {
            unsigned const now = turns<2>([&](unsigned lane) {
              return S::place(S::transposed_lane_index(warp * 32 + lane, s) | S::D::index(0, e)) *
                     static_cast<unsigned>(sizeof(E));
            });
            seen = now > seen ? now : seen;
          }
      } else {
        seen = turns_of_stores<S::step, E, typename S::D>(warp, S::place);
      }
      most = seen > most ? seen : most;
    }
    return most;
  }
  static constexpr unsigned platform_warps = ct::platform::block_threads / 32;
  static constexpr bool stores() {
    return turns_of<left>() <= allowed<left> && turns_of<right>() <= allowed<right>;
  }
};
#endif
"""

TYPES = ["__half", "__nv_bfloat16", "__nv_tf32", "__nv_fp8_e5m2", "signed char", "double"]
SHAPES = [(64, 64, 32), (128, 64, 32), (128, 128, 64), (64, 32, 128), (64, 128, 16), (256, 128, 64)]
BYTES = {"__half": 2, "__nv_bfloat16": 2, "__nv_tf32": 4, "double": 8}


def _staged_products():
    for element, (m, n, k) in product(TYPES, SHAPES):
        if k * BYTES.get(element, 1) < 32 or (m + n) * k * BYTES.get(element, 1) > 96 * 1024:
            continue
        yield from (f"tiles<{element}, {transposed}, {m}, {n}, {k}>" for transposed in ("false", "true"))
        if element == "double":
            yield from (f"floats<{e}, {m}, {n}, {k}>" for e in ("float", "double"))


@pytest.mark.parametrize("portion", PORTIONS)
@pytest.mark.parametrize("threads", [128, 256])
def test_staging_is_free_of_bank_conflicts(threads, portion):
    kinds = portion_of(list(_staged_products()), portion, 2, threads // 256)
    conditions = {f"{what} of {kind}": f"{kind}::{what}()" for kind in kinds for what in ("stores", "loads")}
    assert broken(SOURCE, conditions, threads) == []


# m, n, and bytes of k.
GROUP_SHAPES = [(64, 64, 128), (128, 128, 128), (128, 256, 64), (64, 32, 256), (256, 64, 128)]


@pytest.mark.parametrize("threads", [128, 256])
@pytest.mark.wide
def test_what_warp_groups_take_is_staged_free_of_bank_conflicts(threads):
    conditions = {}
    for element in ("__half", "__nv_tf32", "__nv_fp8_e4m3", "signed char"):
        for m, n, bytes_of_k in GROUP_SHAPES:
            size = BYTES.get(element, 1)
            if not 16 <= m * n // threads <= 128 or (size == 4 and bytes_of_k < 128):
                continue
            for left in (False, True) if size == 2 else (False,):
                for right in (False, True):
                    kind = f"groups<{element}, {left}, {right}, {m}, {n}, {bytes_of_k // size}>".lower()
                    conditions[f"stores of {kind}"] = f"{kind}::stores()"
    assert broken(SOURCE, conditions, threads, ("-DCUDA_TILE_WARP_GROUPS=1",)) == []
