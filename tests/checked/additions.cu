// Ways to undefined behaviour of what 13.4 and 13.5 add. Arguments decide whether it happens.
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename T, unsigned... N>
using tile = ct::tile<T, ct::shape<N...>>;
using pair = tile<int, 2>;
using relaxed = ct::memory_order_relaxed_t;
using device = ct::thread_scope_device_t;

__tile_global__ void bool_shift(const bool* x, int count, bool* out) {
  auto i = ct::iota<pair>();
  ct::store(out + i, ct::load(x + i) << count >> 0);
}
__tile_global__ void insert(int i, int* out) {
  auto at = ct::iota<tile<int, 4>>();
  ct::store(out + at, ct::insert(at, ct::zeros<pair>(), i));
}
__tile_global__ void strided(int* data, int n, int i, int what) {
  ct::strided_view view{ct::tensor_span{data, ct::extents{n}}, ct::shape<4>{}, ct::strides{3_ic}};
  auto ones = ct::ones<tile<int, 4>>();
  if (what == 0)
    view.store_masked(view.load_masked(i), i);
  if (what == 1)
    view.store(ones, i);
  if (what == 2)
    view.atomic_xor(ones, relaxed{}, device{}, i);
  if (what == 3)
    view.atomic_xor_masked(ones, relaxed{}, device{}, i);
  if (what == 4)
    view.atomic_add_masked(ones, relaxed{}, device{}, i);
}
__tile_global__ void gathered(int* data, int rows, const int* places, int column, int what) {
  ct::gather_scatter_view view{ct::tensor_span{data, ct::extents{rows, 4}}, ct::shape<2, 2>{}, 0_ic};
  auto at = ct::load(places + ct::iota<pair>());
  auto ones = ct::ones<tile<int, 2, 2>>();
  if (what == 0)
    view.store_masked(ones, at, column);
  if (what == 1)
    view.store(ones, at, column);
  if (what == 2)
    ct::store(data + ct::iota<pair>(), ct::reshape<ct::shape<2>>(ct::sum<1>(view.load(at, column))));
  if (what == 3)
    ct::store(data + ct::iota<pair>(), ct::reshape<ct::shape<2>>(ct::sum<1>(view.load_masked(at, column))));
}
__tile_global__ void cast(double x, int* out) { *out = ct::element_cast<int>(x, ct::saturate_none_t{}); }
__tile_global__ void static_steps(int* out) { *out = static_cast<int>(ct::strides{3, 4_ic}.stride(*out)); }
template <typename I>
__tile__ void at(int* data, I i, int what) {
  ct::tensor_span span{data, ct::extents{2, 4}}; // its index type is uint32_t
  auto ones = ct::ones<tile<int, 2, 4>>();
  if (what == 0)
    ct::strided_view{span, ct::shape<2, 4>{}, ct::strides{1_ic, 3_ic}}.store_masked(ones, 0, i);
  if (what == 1)
    ct::gather_scatter_view{span, ct::shape<2, 4>{}, 0_ic}.store_masked(ones, ct::iota<tile<I, 2>>() + i, 0);
  if (what == 2)
    ct::gather_scatter_view{span, ct::shape<2, 4>{}, 0_ic}.store_masked(ones, ct::iota<pair>(), i);
}
__tile_global__ void at_long(int* data, int64_t i, int what) { at(data, i, what); }
__tile_global__ void at_int(int* data, int i, int what) { at(data, i, what); }
__tile_global__ void scaled(float scale, float* out) {
  using e4m3 = __nv_fp8_e4m3;
  using e2m1 = __nv_fp4_e2m1;
  auto left = ct::full<tile<e4m3, 2, 1>>(e4m3(scale));
  auto right = ct::ones<tile<e4m3, 1, 2>>();
  auto sum = ct::scaled_mma(ct::ones<tile<e2m1, 2, 16>>(), left, ct::ones<tile<e2m1, 16, 2>>(), right,
                            ct::zeros<tile<float, 2, 2>>());
  ct::store(out + ct::iota<tile<int, 4>>(), ct::reshape<ct::shape<4>>(sum));
}
