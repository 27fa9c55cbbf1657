// Kernels that do what ends a process, for test_faults.py.
#include "cuda_tile.h"
#include <cstdio>
#include <cstring>
namespace ct = cuda::tiles;
using ints = ct::tile<int, ct::shape<64>>;

__tile_global__ void count(int* x) { x[ct::bid().x] = 7; }
__tile_global__ void raw_store(int* x) {
  if (ct::bid().x == 2)
    *x = 1;
}
__tile_global__ void tile_load(const int* x, int* out) {
  ct::store(out + ct::iota<ints>(), ct::load(x + ct::iota<ints>()));
}
__tile_global__ void copy(int* x, const int* from) { std::memcpy(x, from, 4096); }
__tile_global__ void divide(int* x, int n) { *x = 5 / n; }

__tile__ int depth(int n, volatile int* x) {
  volatile char much[1 << 20]; // of which little is touched: this runs over soon
  much[0] = static_cast<char>(n);
  return n == -1 ? 0 : depth(n + 1, x) + *x + much[0];
}
__tile_global__ void recurse(int* x) { *x = depth(0, x); }

__tile_global__ void large_tiles(const double* x, double* out) {
  using tile = ct::tile<double, ct::shape<1 << 24>>;
  auto i = ct::iota<ct::tile<int, ct::shape<1 << 24>>>();
  tile kept[24];
  for (int k = 0; k < 24; ++k)
    kept[k] = ct::load(x + i) * double(k);
  for (int k = 23; k > 0; --k)
    kept[0] = kept[0] + kept[k];
  ct::store(out + i, kept[0]);
}

// Not to be left: the C library is at work.
__tile_global__ void print(const char* text) { printf("%s\n", text); }
__tile_global__ void call(int* x) { reinterpret_cast<void (*)(int*)>(x[0])(x); }

__tile_global__ void endless(volatile int* x) {
  x[0] = 1;
  if (ct::bid().x == ct::num_blocks().x - 1)
    while (true) {
    }
}
__tile_global__ void endless_barriers(int* x) {
  *static_cast<volatile int*>(x) = 1; // compilers may keep what follows in registers
  while (true)
    ct::store(x + ct::iota<ints>(), ct::load(x + ct::iota<ints>()) + 1);
}
