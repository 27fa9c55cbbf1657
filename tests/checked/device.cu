// Kernels for checks in blocks of several threads. Each kernel runs on 64 elements per block.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;
using ints = ct::tile<int, ct::shape<64>>;

__device__ int table[64];

template <typename T>
__tile__ auto own(T* p) {
  return p + (int(ct::bid().x) * 64 + ct::iota<ints>());
}

__tile_global__ void copy(const int* x, int* out) { ct::store(own(out), ct::load(own(x))); }

__tile_global__ void copy_first(const int* x, int* out, int n) {
  auto mask = int(ct::bid().x) * 64 + ct::iota<ints>() < n;
  ct::store_masked(own(out), ct::load_masked(own(x), mask, 0), mask);
}

__tile_global__ void add(const int* x, int* out) { ct::store(own(out), ct::load(own(x)) + 1); }

__tile_global__ void divide(const int* x, int* out) { ct::store(own(out), 100 / ct::load(own(x))); }

__tile_global__ void shift(const int* x, int* out) { ct::store(own(out), 1 << ct::load(own(x))); }

__tile_global__ void bounded(const int* x, int* out) {
  ct::store(own(out), ct::assume_bounded(ct::load(own(x)), 0_ic, 100_ic));
}

__tile_global__ void blocked(const int* x, int* out) {
  ct::store(own(out), ct::assume_blocked(ct::load(own(x)), ct::shape{8_ic}));
}

__tile_global__ void strided(const int* x, int* out) {
  ct::store(own(out), ct::assume_divisible_strided<4, 4, 0>(ct::load(own(x))));
}

__tile_global__ void update(const int* x, int* out) {
  ct::atomic_add<ct::memory_order::relaxed>(own(out), ct::load(own(x)));
}

__tile_global__ void write_input(const int* x, int* out) {
  ct::store(own(const_cast<int*>(x)), ct::load(own(out)));
}

__tile_global__ void partition(const int* x, int* out, int n) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{n}}, ct::shape{64_ic}};
  auto values = from.load(ct::bid().x);
  ct::store(own(out), values);
}

__tile_global__ void partition_store(const int* x, int* out, int n) {
  ct::partition_view to{ct::tensor_span{out, ct::extents{n}}, ct::shape{64_ic}};
  to.store_masked(ct::load(own(x)), ct::bid().x);
}

__tile_global__ void through_table(const int* x, int* out) {
  auto i = ct::iota<ints>();
  int* p = table;
  ct::store(p + i, ct::load(own(x)));
  ct::store(own(out), ct::load(p + i));
}

__tile_global__ void read_table(int* out) {
  int* p = table;
  ct::store(out + ct::iota<ints>(), ct::load(p + ct::iota<ints>()));
}

__tile_global__ void twice(const int* x, int* out) {
  auto a = ct::load(own(x));
  auto b = a + 1;
  auto c = b + 1;
  ct::store(own(out), c);
}

__tile_global__ void either(const int* x, int* out, int n, int which) {
  ct::partition_view p{ct::tensor_span{out, ct::extents{n}}, ct::shape{64_ic}};
  if (which == 0)
    ct::store(own(out), p.load_masked(ct::bid().x));
  else
    p.store_masked(ct::load(own(out)), ct::bid().x);
}
