// Blocks that share memory, with and without an order between their accesses.
#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;

using ints = ct::tile<int, ct::shape<64>>;
constexpr ct::memory_order_relaxed_t relaxed;
constexpr ct::memory_order_acquire_t acquire;
constexpr ct::memory_order_release_t release;
constexpr ct::memory_order_acq_rel_t acq_rel;

// ---- without an order

__tile_global__ void all_write(int* out) { ct::store(out + ct::iota<ints>(), ct::full<ints>(1)); }
__tile_global__ void neighbours_overlap(int* out) {
  ct::store(out + int(ct::bid().x) * 63 + ct::iota<ints>(), ct::full<ints>(1));
}
__tile_global__ void read_while_written(const int* in, int* out) {
  int b = int(ct::bid().x);
  ct::store(out + b, ct::load(in + (b + 1) % int(ct::num_blocks().x)));
}
__tile_global__ void plain_and_atomic(int* count) {
  if (ct::bid().x == 0)
    ct::store(count, 5);
  else
    ct::atomic_add(count, 1, relaxed);
}
__tile_global__ void views_overlap(float* data, int n) {
  ct::partition_view view{ct::tensor_span{data, ct::extents{n}}, ct::shape{16_ic}};
  view.store_masked(ct::zeros<ct::tile<float, ct::shape<16>>>(), ct::bid().x / 2);
}
__device__ int own_count, own_flags[64];
__tile_global__ void count_in_own_variable() { ct::store(&own_count, ct::load(&own_count) + 1); }
__tile_global__ void read_own_variable_while_written() {
  int* const p = own_flags;
  if (ct::bid().x == 0)
    ct::store(p + ct::iota<ints>(), ct::full<ints>(1));
  else
    ct::load(p + 5);
}

/// Block 0 publishes a value and the others wait for it. Correct if Flag is released and acquired.
template <int Store, int Load, int Scope>
__tile_global__ void publish(int* flag, int* value, int* out) {
  constexpr auto store_order = static_cast<ct::memory_order>(Store);
  constexpr auto load_order = static_cast<ct::memory_order>(Load);
  constexpr auto scope = static_cast<ct::thread_scope>(Scope);
  if (ct::bid().x == 0) {
    ct::store(value, 42);
    ct::atomic_store<store_order, scope>(flag, 1);
  } else {
    while (ct::atomic_load<load_order, scope>(flag) == 0) {
    }
    ct::store(out + int(ct::bid().x), ct::load(value));
  }
}

// ---- with an order

__tile_global__ void own_parts(const int* in, int* out) {
  auto i = int(ct::bid().x) * 64 + ct::iota<ints>();
  ct::store(out + i, ct::load(in + i) + ct::load(in));
}
__tile_global__ void histogram(const int* in, int* counts) {
  auto i = int(ct::bid().x) * 64 + ct::iota<ints>();
  ct::atomic_add(counts + ct::load(in + i), ct::full<ints>(1), relaxed);
}
__tile_global__ void locked(int* lock, int* data) {
  while (ct::atomic_compare_exchange(lock, 0, 1, acquire) != 0) {
  }
  auto i = ct::iota<ints>();
  ct::store(data + i, ct::load(data + i) + 1);
  ct::atomic_store(lock, 0, release);
}
__device__ int own_lock;
__tile_global__ void locked_by_own_variable(int* data) {
  while (ct::atomic_compare_exchange(&own_lock, 0, 1, acquire) != 0) {
  }
  ct::store(data, ct::load(data) + 1);
  ct::atomic_store(&own_lock, 0, release);
}
__device__ unsigned char own_bytes[64];
__tile_global__ void own_parts_of_own_variable() {
  unsigned char* const p = own_bytes + int(ct::bid().x);
  ct::store(p, static_cast<unsigned char>(ct::load(p) + 1));
}
/// The last block to finish sums the results of the others.
__tile_global__ void last_block_sums(int* parts, int* finished, int* out) {
  int n = int(ct::num_blocks().x);
  ct::store(parts + int(ct::bid().x), int(ct::bid().x));
  if (ct::atomic_add(finished, 1, acq_rel) == n - 1) {
    auto i = ct::iota<ints>();
    auto j = ct::select(i < n, i, ct::zeros<ints>());
    ct::store(out + ct::zeros<ct::tile<int, ct::shape<1>>>(),
              ct::sum(ct::select(i < n, ct::load(parts + j), ct::zeros<ints>()), 0_ic));
  }
}
/// Each block adds to the result of the previous block.
__tile_global__ void chained_scan(int* flags, int* sums) {
  int b = int(ct::bid().x), before = 0;
  if (b != 0) {
    while (ct::atomic_load(flags + (b - 1), acquire) == 0) {
    }
    before = ct::load(sums + (b - 1));
  }
  ct::store(sums + b, before + b);
  ct::atomic_store(flags + b, 1, release);
}
__tile_global__ void handed_on(int* flags, int* value) {
  int b = int(ct::bid().x);
  if (b != 0)
    while (ct::atomic_load(flags + (b - 1), acquire) == 0) {
    }
  ct::store(value, ct::load(value) + 1);
  ct::atomic_store(flags + b, 1, release);
}

// ---- waits that cannot end

__tile_global__ void wait_for_nobody(int* flag) {
  while (ct::atomic_load(flag, acquire) == 0) {
  }
}
__tile_global__ void lock_twice(int* lock) {
  for (int i = 0; i < 2; ++i)
    while (ct::atomic_xchg(lock, 1, acquire) != 0) {
    }
  ct::atomic_store(lock, 0, release);
}
__tile_global__ void wait_for_each_other(int* flags) {
  int b = int(ct::bid().x);
  while (ct::atomic_load(flags + 1 - b, acquire) == 0) {
  }
  ct::atomic_store(flags + b, 1, release);
}
/// Ends, although it reads one location many times.
__tile_global__ void wait_a_while(int* count, int n) {
  for (int i = 0; i < n; ++i)
    ct::atomic_load(count, acquire);
  ct::atomic_add(count, 1, relaxed);
}
