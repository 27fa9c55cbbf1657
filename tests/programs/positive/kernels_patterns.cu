// Idioms of published kernels. Each kernel here shows one of them, and test_kernels.py checks its results.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuda_tile.h"
#include "same_names_a.h"
#include "same_names_b.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

// A float among the template arguments, and defaults
template <typename T, float E = 1e-06f, int N = 8>
__tile_global__ void float_argument(T* y) {
  ct::store(y + ct::iota<ct::tile<int, ct::shape<N>>>(), ct::full<ct::tile<T, ct::shape<N>>>(T(E)));
}
template __tile_global__ void float_argument<float>(float*);
template __tile_global__ void float_argument<float, 0.5f, 4>(float*);

// Names that headers might have used: names of functions, and single letters
template <typename T, int I, int J, int N, int M, int K, int S, int D, bool B, typename F>
__tile__ T letters(T x) {
  return x + I + J + N + M + K + S + D + B + static_cast<F>(0);
}
__tile_global__ void common_names(float* q, float* k, float cos, float sin, int exp, int log, int max) {
  float sum = cos + sin;
  int load = exp + log + max;
  int index = 0, shape = 1, tile = 2, size = 3;
  q[0] = letters<float, 0, 0, 0, 0, 0, 0, 1, true, float>(sum);
  k[0] = static_cast<float>(load + index + shape + tile + size);
}

// Both forms of every call
__tile_global__ void call_forms(float* x, float* y) {
  using square = ct::shape<4, 4>;
  x = ct::assume_aligned<4>(x);
  auto flat = ct::load(x + ct::iota<ct::tile<int, ct::shape<16>>>());
  auto a = ct::reshape<square>(flat);
  auto b = ct::reshape(flat, square{});
  auto c = ct::sum<1>(a) + ct::sum(b, 1_ic);
  auto d = ct::reduce_max<0>(a) + ct::reduce_min(b, 0_ic);
  auto e = ct::partial_sum<1>(a) - ct::partial_sum(b, 1_ic);
  auto f = ct::broadcast<square>(c) - ct::broadcast(c, square{});
  auto g = ct::permute<ct::dimension_map<1, 0>>(a) - ct::permute(b, ct::dimension_map{1_ic, 0_ic});
  auto h = ct::cat<0>(a, b) - ct::cat(a, b, 0_ic);
  auto i = ct::extract(h, ct::shape<4, 4>{}, 1, 0) - ct::extract(h, ct::shape<4, 4>{}, 1_ic, 0_ic);
  auto zero = ct::sum<0>(ct::sum<1>(ct::cat<0>(i, i))) + ct::sum<0>(ct::sum<1>(e + f + g));
  auto result = c + d + zero;
  ct::store(y + ct::reshape<square>(ct::iota<ct::tile<int, ct::shape<16>>>()), result);
}

// Padding as a template argument of a dependent view
template <typename View>
__tile__ auto dependent_padding(View view, int i) {
  auto zero = view.template load_masked<ct::view_padding::zero>(i);
  auto infinite = view.template load_masked<ct::view_padding::negative_inf>(i);
  return ct::max(zero, infinite) - ct::select(infinite == -INFINITY, ct::ones<decltype(zero)>(), zero - zero);
}
__tile_global__ void padding_argument(float* x, float* y, int n) {
  auto view = ct::partition_view{ct::tensor_span{x, ct::extents{n}}, ct::shape<8>{}};
  ct::store(y + ct::iota<ct::tile<int, ct::shape<8>>>(), dependent_padding(view, 0));
}

// Class template arguments deduced, with braces and parentheses, up to rank 5
__tile_global__ void deduction(int* x, int* y, int n) {
  ct::extents rows{n, 4};
  ct::extents mixed(n, 4_ic);
  auto right = ct::tensor_span(x, ct::layout_right_mapping(rows));
  auto left = ct::tensor_span{x, ct::layout_left_mapping{mixed}};
  auto a = ct::partition_view(right, ct::shape<2, 4>{}).load(0, 0);
  auto b = ct::partition_view{left, ct::shape<2, 4>{}}.load(0, 0);
  ct::partition_view five(ct::tensor_span(x, ct::extents(1, 1, 2, n, 2)), ct::shape<1, 1, 2, 2, 2>{});
  auto c = ct::reshape<ct::shape<2, 4>>(five.load(0, 0, 0, 0, 0));
  ct::store(y + ct::reshape<ct::shape<2, 4>>(ct::iota<ct::tile<int, ct::shape<8>>>()), 100 * a + 10 * b + c);
}

// Scalars in place of tiles, and vice versa
template <typename T>
__tile_global__ void scalars(T* x, T* y, int n) {
  T first = ct::load(x);
  auto third = ct::load(x + ct::full<ct::tile<int, ct::shape<>>>(2));
  float e = ct::exp(0.0f) + ct::sqrt(static_cast<float>(first));
  int whole = (int)ct::element_cast<int>(third);
  auto offset = ct::iota<ct::tile<int, ct::shape<4>>>();
  auto masked = ct::load_masked(x + offset, offset < n, T(0));
  ct::store(y + offset, masked);
  ct::store(y + 4, ct::element_cast<T>(e));
  ct::store(y + 5, static_cast<T>(static_cast<float>(whole)));
}
template __tile_global__ void scalars<float>(float*, float*, int);
template __tile_global__ void scalars<__half>(__half*, __half*, int);

// Parameters that are reassigned, and a null pointer that stays null
__tile_global__ void reassigned(const float* __restrict__ x, const float* __restrict__ bias,
                                float* __restrict__ y, int n) {
  x = ct::assume_aligned(x, 4_ic);
  bias = ct::assume_aligned<4>(bias);
  y = ct::assume_aligned(y, 4_ic);
  x += n;
  n = ct::assume_bounded_below(n, 0_ic);
  y[0] = x[0] + (bias != nullptr ? bias[0] : 0.0f);
}

// Raw reads and stores in program order, with tile operations between them
__tile_global__ void raw_accesses(int* x) {
  auto offset = ct::iota<ct::tile<int, ct::shape<4>>>();
  x[0] = 1;
  ct::store(x + 1 + offset, ct::load(x + offset) + 1);
  *(x + 5) = x[1] + x[4];
  x[6] = static_cast<int>(ct::sum<0>(ct::load(x + offset)));
}

// Loops that end early or never begin, and an early return
__tile_global__ void control_flow(int* y, int n) {
  int sum = 0;
  for (auto i : ct::irange(0, 100)) {
    if (i == n)
      break;
    if (i % 2 == 1)
      continue;
    sum = sum + i;
  }
  for (int i : ct::irange(5, 2))
    sum = sum + 1000 * i;
  y[ct::bid().x] = sum;
  if (ct::bid().x == 0)
    return;
  y[ct::bid().x] = -1;
}

// Tiles declared first and assigned later
__tile_global__ void assigned_later(float* y, int n) {
  ct::tile<float, ct::shape<4>> a, b;
  ct::tile<float, ct::shape<4>> many[2];
  if (n > 0)
    a = ct::ones<decltype(a)>();
  else
    a = ct::zeros<decltype(a)>();
  b = a;
  for (int i : ct::irange(0, 3))
    b = b + static_cast<float>(i);
  many[0] = a;
  many[1] = b;
  ct::store(y + ct::iota<ct::tile<int, ct::shape<4>>>(), many[0] + 10.0f * many[1]);
}

// Hints: two in one attribute, on a declaration, on statements, with template parameters as values
template <int Occupancy, int Latency>
[[cutile::hint(0, occupancy = Occupancy), cutile::hint(900, occupancy = 2, num_cta_in_cga = 1)]]
__tile_global__ void hinted(float* x);
template <int Occupancy, int Latency>
__tile_global__ void hinted(float* x) {
  auto offset = ct::iota<ct::tile<int, ct::shape<4>>>();
  ct::tile<float, ct::shape<4>> y;
  [[cutile::hint(0, latency = Latency), cutile::hint(900, latency = 2)]] y = ct::load(x + offset);
  [[cutile::hint(0, latency = Latency, allow_tma = false)]] ct::store(x + offset, y + 1.0f);
}
template __tile_global__ void hinted<2, 4>(float*);

// Helpers that headers define under one name, in namespaces and as overloads
__tile_global__ void same_names(float* y, int* z) {
  y[0] = first::helper(1.0f) + second::helper(1.0f);
  z[0] = round_up(5, 4);
  y[1] = round_up(4.5f);
}

// Limits and infinities from the standard headers, unqualified integers
__tile_global__ void standard_names(float* y, uint32_t n, uint64_t m, int8_t s, size_t z) {
  auto index = ct::iota<ct::tile<uint32_t, ct::shape<4>>>();
  float lowest = std::numeric_limits<float>::lowest();
  auto padded = ct::select(index < n, ct::full<ct::tile<float, ct::shape<4>>>(1.0f),
                           ct::full<ct::tile<float, ct::shape<4>>>(-INFINITY));
  if constexpr (std::is_same_v<decltype(lowest), float>)
    padded = ct::max(padded, lowest);
  ct::store(y + index, padded + static_cast<float>(m + z + static_cast<uint64_t>(s)));
}

// Single pointers that are __restrict__, and sums with them, of which g++ deduces types that are, too
__tile_global__ void restricted(const float* __restrict__ x, float* __restrict__ y, int n) {
  float first = ct::load(x) + ct::load(x + 1);
  float second = ct::load_masked(x + n, n < 3) + ct::load_masked(x + n, n > 3, 10.0f);
  ct::store(y, first);
  ct::store_masked(y + 1, second, true);
  ct::atomic_add(y + 2, ct::atomic_load(x + 2, ct::memory_order_relaxed_t{}), ct::memory_order_relaxed_t{});
  auto places = ct::full<ct::tile<float*, ct::shape<2>>>(y + 3) + ct::iota<ct::tile<int, ct::shape<2>>>();
  ct::store(places, ct::load(ct::broadcast(x + 2, ct::shape<2>{})));
}
