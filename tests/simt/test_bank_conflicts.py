"""Staged operands of matrix products: which banks of shared memory the threads of a warp meet in, by the
places that the header computes."""

from __future__ import annotations

import pytest

import pycuda_tile as pct

SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::detail;

/// The most words of one bank that lanes [first, first + count) access at once, at `address`, in bytes.
template <unsigned Bytes, typename Address>
constexpr unsigned words_of_a_bank(unsigned first, unsigned count, Address address) {{
  unsigned words[32][32] = {{}}, counts[32] = {{}}, most = 0;
  for (unsigned lane = first; lane < first + count; ++lane)
    for (unsigned byte = 0; byte < (Bytes < 4 ? 4 : Bytes); byte += 4) {{
      unsigned const word = (address(lane) + byte) / 4, bank = word % 32;
      bool seen = false;
      for (unsigned i = 0; i < counts[bank]; ++i)
        seen = seen || words[bank][i] == word;
      if (!seen)
        words[bank][counts[bank]++] = word;
      most = counts[bank] > most ? counts[bank] : most;
    }}
  return most;
}}

/// How many times as long as its bytes need an access of a warp takes. Of up to 4 bytes all lanes access at
/// once, of 8 half of them, of 16 a quarter.
template <unsigned Bytes, typename Address>
constexpr unsigned turns(Address address) {{
  constexpr unsigned count = Bytes <= 4 ? 32 : 128 / Bytes;
  unsigned most = 1;
  for (unsigned first = 0; first < 32; first += count) {{
    unsigned const words = words_of_a_bank<Bytes>(first, count, address);
    most = words > most ? words : most;
  }}
  return most;
}}

/// Stores of Step elements F of tile T from each slot of a warp's threads; `place` says where, in elements.
template <unsigned Step, typename F, typename T, typename Place>
constexpr unsigned turns_of_stores(unsigned warp, Place place) {{
  using D = typename T::distribution;
  unsigned most = 1;
  for (unsigned s = 0; s < D::slots; s += Step) {{
    auto const address = [&](unsigned lane) {{
      return place(D::index(warp * 32 + lane, s)) * static_cast<unsigned>(sizeof(F));
    }};
    unsigned const seen = turns<Step * sizeof(F)>(address);
    most = seen > most ? seen : most;
  }}
  return most;
}}

template <typename Way, typename L, typename R, typename A>
struct checked {{
  using P = product<L, R, A>;
  using staged = staged_product<Way, P>;
  static constexpr unsigned width = staged::width;
  using left = staged_matrix<typename Way::left, width>;
  using right = staged_matrix<typename Way::right, staged::right_columns>;
  static_assert(width == P::inner, "a whole operand is staged: indices are those of the tile");

  /// Stores of 2 or 4 elements to a segment meet if the threads' neighbours are not as many as those that
  /// they accumulate.
  static constexpr unsigned allowed = Way::chunk != 0 && R::distribution::vector != P::run ? 2 : 1;

  static constexpr bool stores() {{
    constexpr unsigned left_step = least(L::distribution::vector, left::per_segment);
    constexpr unsigned right_step =
        least(R::distribution::vector, least(right::per_segment, staged::order::together));
    for (unsigned warp = 0; warp < P::warps; ++warp) {{
      if (turns_of_stores<left_step, typename Way::left, L>(
              warp, [](unsigned i) {{ return left::place(i / P::inner, i % P::inner); }}) != 1)
        return false;
      if (turns_of_stores<right_step, typename Way::right, R>(warp, [](unsigned i) {{
            return right::place(Way::row_place(i / P::columns), staged::order::place(i % P::columns));
          }}) > allowed)
        return false;
    }}
    return true;
  }}

  static constexpr bool loads() {{
    constexpr unsigned cell = sizeof(typename Way::cell);
    constexpr unsigned left_bytes = cell == 4 ? 16 : 8;
    constexpr unsigned right_bytes = Way::chunk != 0 ? 16 : Way::template served<P> * cell;
    auto const left_place = [](unsigned lane) {{
      staged_index const at = Way::left_index(lane);
      return left::place(at.row, at.column) * static_cast<unsigned>(sizeof(typename Way::left));
    }};
    auto const right_place = [](unsigned lane) {{
      staged_index const at = Way::template right_index<P>(lane);
      return right::place(at.row, at.column) * static_cast<unsigned>(sizeof(typename Way::right));
    }};
    return turns<left_bytes>(left_place) == 1 && turns<right_bytes>(right_place) == 1;
  }}
}};

template <typename E, unsigned M, unsigned N, unsigned K>
using checked_tiles =
    checked<multiply_by_units<E, E>, ct::tile<E, ct::shape<M, K>>, ct::tile<E, ct::shape<K, N>>,
            ct::tile<typename matrix_unit<E, E>::sum, ct::shape<M, N>>>;

/// Of float, whose loads of operands are a few words that many lanes share.
template <typename E, unsigned M, unsigned N, unsigned K>
using staged_floats = checked<multiply_by_fma<E>, ct::tile<E, ct::shape<M, K>>, ct::tile<E, ct::shape<K, N>>,
                              ct::tile<E, ct::shape<M, N>>>;

{asserts}
__tile_global__ void nothing() {{}}
"""

TYPES = ["__half", "__nv_bfloat16", "__nv_tf32", "__nv_fp8_e5m2", "signed char", "double"]
SHAPES = [(64, 64, 32), (128, 64, 32), (128, 128, 64), (64, 32, 128), (64, 128, 16), (256, 128, 64)]
BYTES = {"__half": 2, "__nv_bfloat16": 2, "__nv_tf32": 4, "double": 8}


@pytest.mark.parametrize("threads", [128, 256])
def test_staging_is_free_of_bank_conflicts(threads):
    asserts = []
    for element in TYPES:
        for m, n, k in SHAPES:
            if k * BYTES.get(element, 1) < 32 or (m + n) * k * BYTES.get(element, 1) > 96 * 1024:
                continue
            kind = f"checked_tiles<{element}, {m}, {n}, {k}>"
            asserts += [f'static_assert({kind}::stores(), "stores of {kind}");']
            asserts += [f'static_assert({kind}::loads(), "loads of {kind}");']
    asserts += [
        f"static_assert(staged_floats<{element}, 64, 64, 32>::stores());" for element in ("float", "double")
    ]
    options = ("-fconstexpr-ops-limit=10000000000", "-fconstexpr-loop-limit=10000000")
    source = SOURCE.format(asserts="\n".join(asserts))
    pct.build(source, target="emulated", num_threads=threads, options=options).kernel("nothing")
