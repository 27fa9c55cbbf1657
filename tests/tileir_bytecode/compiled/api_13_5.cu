// What the API of 13.4 and 13.5 adds, for test_compiled.py. NVRTC 13.5.37 made api_13_5.tileir of this file,
// and tileirdisasm 13.5.37 api_13_5.txt of that.
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tile.h>

namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename E, auto... N>
using tile = ct::tile<E, ct::shape<N...>>;

template <typename E, auto N>
__tile__ auto at(E* p) {
  return p + ct::iota<tile<int, N>>();
}

__tile_global__ void views(float* p, float* out, int const* rows, int i, int j) {
  auto span =
      ct::tensor_span{p, ct::layout_strided_mapping{ct::extents{8_ic, 10_ic}, ct::strides{10_ic, 1_ic}}};
  ct::strided_view overlapping{span, ct::shape{4_ic, 2_ic}, ct::strides{3_ic, 1_ic}};
  auto x = overlapping.load_masked(ct::view_padding_nan_t{}, i, j);
  overlapping.atomic_add_masked(x, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}, i, j);
  ct::gather_scatter_view<decltype(span), ct::shape<4, 2>, 0> gathered{span, ct::shape{4_ic, 2_ic}, 0_ic};
  auto chosen = ct::load(at<int const, 4>(rows));
  auto y = gathered.load(chosen, j);
  gathered.store_masked(x + y, chosen, i);
  ct::partition_view{span, ct::shape{4_ic, 2_ic}}.atomic_sub(y, ct::memory_order_relaxed_t{},
                                                             ct::thread_scope_block_t{}, i, j);
}

__tile_global__ void numbers(float* p, double const* q, short const* n, bool* b, unsigned char* bytes) {
  auto x = ct::load(at<float, 16>(p));
  auto wide = ct::load(at<double const, 16>(q));
  x = ct::exp(x, ct::round_approximate_t{}) + ct::tanh(x) + ct::powi(x, ct::load(at<short const, 16>(n)));
  x = x + ct::element_cast<float>(wide, ct::round_toward_positive_t{});
  auto whole = ct::element_cast<int>(wide, ct::saturate_finite_t{});
  ct::store(at<bool, 16>(b), ~ct::load(at<bool, 16>(b)) | (ct::load(at<bool, 16>(b)) << (whole != whole)));
  ct::store(at<float, 16>(p), x + ct::element_cast<float>(ct::max_element<0>(x)));
  ct::store(at<unsigned char, 8>(bytes), ct::repack<unsigned char, 0>(ct::element_cast<__nv_fp4_e2m1>(x)));
  auto powers = ct::element_cast<__nv_fp8_e8m0>(x, ct::round_toward_zero_t{});
  ct::store(at<unsigned char, 16>(bytes), ct::element_bitcast<unsigned char>(powers));
  tile<float, 4> listed{{1.0f, 2.0f, 4.0f, -0.0f}};
  ct::store(at<float, 16>(p), ct::insert(x, listed, 1));
}

__tile_global__ void product(__nv_fp8_e4m3 const* a, __nv_fp8_e8m0 const* s, float* out) {
  auto whole = [](auto* p, auto rows, auto columns) {
    return ct::reshape(ct::load(p + ct::iota<tile<int, rows * columns>>()), ct::shape<rows, columns>{});
  };
  auto lhs = whole(a, 16_ic, 64_ic);
  auto rhs = ct::permute(lhs, ct::dimension_map<1, 0>{});
  auto lhs_scale = whole(s, 16_ic, 2_ic);
  auto rhs_scale = ct::permute(lhs_scale, ct::dimension_map<1, 0>{});
  auto r = ct::scaled_mma(lhs, lhs_scale, rhs, rhs_scale, ct::zeros<tile<float, 16, 16>>());
  ct::store(out + ct::iota<tile<int, 256>>(), ct::reshape(r, ct::shape<256>{}));
}

__tile_global__ void control(int* p, int n) {
  int kept[8] = {};
  for (int i = 0; i < n; ++i) {
    if (p[i] == 3)
      return;
    kept[p[i] & 7] += i;
  }
  switch (n) {
  case 1:
    p[0] += kept[p[1] & 7];
  case 2:
    p[1] += 10;
    break;
  default:
    p[2] = 5;
  }
}
