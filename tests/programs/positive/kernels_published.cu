// More idioms of published kernels: persistent loops, sizes as template arguments, local names for the API.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_tf32.h>
#include <cuda_tile.h>

#include <type_traits>

#ifndef PANEL
#define PANEL 16
#endif

template <typename T, int SIZE>
using tile_t = cuda::tiles::tile<T, cuda::tiles::shape<SIZE>>;

/// A load with a hint on it, through a view of any type and any number of indices
template <int LATENCY, typename View, typename... Indices>
__tile__ inline auto load_with_hint(View& view, Indices... indices) {
  typename View::view_tile_type value;
  if constexpr (LATENCY > 0) {
    [[cutile::hint(0, latency = LATENCY)]] value =
        view.template load_masked<cuda::tiles::view_padding::zero>(indices...);
  } else {
    value = view.template load_masked<cuda::tiles::view_padding::zero>(indices...);
  }
  return value;
}

/// A persistent matrix product, in which blocks loop over the tiles of C; hints whose values have the names
/// of their keys
template <typename T, int M, int N, int K, bool TRANSPOSE_B, int num_ctas, int occupancy, int LATENCY>
[[using cutile: hint(0, num_cta_in_cga = num_ctas, occupancy = occupancy)]]
__tile_global__ void persistent(const T* __restrict__ _A, const T* __restrict__ _B, float* __restrict__ _C,
                                int runtime_k, int /*unused*/) {
  namespace ct = cuda::tiles;
  runtime_k = ct::assume_bounded_below<0>(runtime_k);
  const T* A = ct::assume_aligned<4>(_A);
  const auto* B = ct::assume_aligned<4>(_B);
  auto* C = ct::assume_aligned<4>(_C);

  int start = ct::bid().x;
  int programs = ct::num_blocks().x;
  constexpr int tiles_m = (M + PANEL - 1) / PANEL;
  constexpr int tiles_n = (N + PANEL - 1) / PANEL;
  constexpr bool full = M % PANEL == 0 && N % PANEL == 0;
  using MmaType = std::conditional_t<std::is_same_v<T, float>, __nv_tf32, T>;
  using AccTile = ct::tile<float, ct::shape<PANEL, PANEL>>;

  auto pA = ct::partition_view{ct::tensor_span{A, ct::extents<uint32_t, M, K>{}}, ct::shape<PANEL, PANEL>{}};
  auto pC = ct::partition_view{ct::tensor_span{C, ct::extents<uint32_t, M, N>{}}, ct::shape<PANEL, PANEL>{}};
  for (auto tile_id : ct::irange(start, tiles_m * tiles_n, programs)) {
    int row = tile_id / tiles_n;
    int column = ct::min(tile_id % tiles_n, tiles_n - 1);
    AccTile acc = ct::zeros<AccTile>();
    for (auto k : ct::irange(0, ct::ceildiv(runtime_k, PANEL))) {
      auto a = ct::element_cast<MmaType>(load_with_hint<LATENCY>(pA, row, k));
      if constexpr (TRANSPOSE_B) {
        auto pB =
            ct::partition_view{ct::tensor_span{B, ct::extents<uint32_t, N, K>{}}, ct::shape<PANEL, PANEL>{}};
        auto b = ct::element_cast<MmaType>(ct::transpose(load_with_hint<0>(pB, column, k)));
        acc = ct::mma(a, b, acc);
      } else {
        auto pB =
            ct::partition_view{ct::tensor_span{B, ct::extents<uint32_t, K, N>{}}, ct::shape<PANEL, PANEL>{}};
        acc = ct::mma(a, ct::element_cast<MmaType>(load_with_hint<0>(pB, k, column)), acc);
      }
    }
    if constexpr (full)
      pC.store(acc, row, column);
    else
      pC.store_masked(acc, row, column);
  }
}
template __tile_global__ void persistent<float, 32, 16, 16, false, 1, 2, 4>(const float*, const float*,
                                                                            float*, int, int);
template __tile_global__ void persistent<__half, 20, 18, 24, true, 1, 1, 0>(const __half*, const __half*,
                                                                            float*, int, int);

/// Several functions in one kernel, modes as arguments, a mask from full tiles
template <typename T, int SIZE, int OP>
__tile_global__ void activate(const T* __restrict__ x, T* __restrict__ y, int n, float alpha, bool invert) {
  namespace ct = cuda::tiles;
  using namespace ct::literals;
  using TxN = tile_t<T, SIZE>;
  using f32xN = tile_t<float, SIZE>;
  using i32xN = tile_t<int, SIZE>;
  int base = ct::bid().x * SIZE;
  auto offsets = ct::full<i32xN>(base) + ct::iota<i32xN>();
  auto mask = offsets < ct::full<i32xN>(n);
  auto xf = ct::element_cast<float>(ct::load_masked(x + offsets, mask, ct::full<TxN>(T(-INFINITY))));
  auto zero = ct::zeros<f32xN>();
  f32xN out;
  if constexpr (OP == 0) {
    out = ct::select(xf > zero, xf, alpha * xf);
  } else if constexpr (OP == 1) {
    auto e = ct::exp(xf - ct::reduce_max(xf, 0_ic));
    out = ct::div(e, ct::sum(e, 0_ic), ct::round_approximate_t{}, ct::round_subnormals_to_zero_t{});
  } else {
    constexpr float scale = 2.0f;
    out = scale * ct::select(xf > zero, xf, zero);
  }
  if (invert)
    out = -out;
  ct::store_masked(y + offsets, ct::element_cast<T>(out), mask);
}
template __tile_global__ void activate<__nv_bfloat16, 8, 0>(const __nv_bfloat16*, __nv_bfloat16*, int, float,
                                                            bool);

/// The arguments of a kernel, passed by pointer
struct driver {
  float* y;
  int n;
  __tile__ void operator()() const {
    namespace ct = cuda::tiles;
    int i = ct::bid().x;
    if (i < n)
      y[i] = static_cast<float>(i * i);
  }
};
template <class Driver>
__tile_global__ void parallel_for(Driver const* what) {
  what->operator()();
}
template __tile_global__ void parallel_for<driver>(driver const*);

/// The whole API without a prefix
namespace unqualified {
using namespace cuda::tiles;

__tile_global__ void copy(float* x, float* y, int n) {
  auto from = tensor_span(x, extents<int, dynamic_extent>{n}, layout_left{});
  auto to = tensor_span(y, extents<int, dynamic_extent>{n}, layout_left{});
  partition_view(to, shape<8>{}).store_masked(partition_view(from, shape<8>{}).load_masked(bid().x), bid().x);
}
} // namespace unqualified
