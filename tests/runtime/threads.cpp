// Warps, atomic updates, groups of threads, and how kernels end.
#include "program.h"

#include <cassert>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <numeric>

namespace cg = cooperative_groups;

namespace {

void shuffles(int* out) { // a row for each function
  const int lane = threadIdx.x, n = blockDim.x;
  out[0 * n + lane] = __shfl_sync(0xffffffff, lane * 10, lane + 5);
  out[1 * n + lane] = __shfl_sync(0xffffffff, lane * 10, 1, 8);
  out[2 * n + lane] = __shfl_up_sync(0xffffffff, lane, 3, 16);
  out[3 * n + lane] = __shfl_down_sync(0xffffffff, lane, 3, 16);
  out[4 * n + lane] = __shfl_xor_sync(0xffffffff, lane, 5);
  out[5 * n + lane] = static_cast<int>(__ballot_sync(0xffffffff, lane % 3 == 0));
  out[6 * n + lane] = static_cast<int>(__match_any_sync(0xffffffff, lane % 4));
  out[7 * n + lane] = __reduce_max_sync(0xffffffff, lane == 7 ? 99 : -lane);
  out[8 * n + lane] = __any_sync(0xffffffff, lane == 31) + 2 * __all_sync(0xffffffff, lane >= 0);
  if (lane % 2) // only some lanes, in a loop of their own
    for (int i = 0; i != 3; ++i)
      out[9 * n + lane] = __shfl_sync(0xaaaaaaaa, lane + i, 3);
  else
    out[9 * n + lane] = static_cast<int>(__activemask());
  __syncwarp();
  const double d = __shfl_sync(0xffffffff, lane + 0.5, 4);
  out[10 * n + lane] = static_cast<int>(2 * d);
}

void left_out(int* out) { // of their own masks, which CUDA does not define; a GPU runs the lanes together
  const unsigned lane = threadIdx.x;
  out[lane] = __popc(__ballot_sync((1u << lane) - 1, lane % 3 == 0)); // of the lanes before this one
  out[32 + lane] = __shfl_up_sync(0xffff, static_cast<int>(lane), 16);
  __syncthreads();
}

void many_warps(unsigned* out) { // each warp sums its lanes, then the first sums the warps
  __shared__ unsigned sums[32];
  unsigned value = threadIdx.x + threadIdx.y * blockDim.x;
  const unsigned rank = value;
  for (int width = 16; width; width /= 2)
    value += __shfl_down_sync(0xffffffff, value, width);
  if (rank % 32 == 0)
    sums[rank / 32] = value;
  __syncthreads();
  if (rank < 32) {
    const unsigned warps = blockDim.x * blockDim.y / 32;
    value = rank < warps ? sums[rank] : 0;
    for (int width = 16; width; width /= 2)
      value += __shfl_down_sync(0xffffffff, value, width);
    if (rank == 0)
      out[blockIdx.x] = value;
  }
}

struct Atomics {
  int add, sub, smallest, largest, bits_or, bits_and, bits_xor;
  unsigned inc, dec, exchanged;
  unsigned long long wide;
  float sum;
  double real;
  __half half;
  int locked, lock;
};
void atomics(Atomics* a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&a->add, i);
  atomicSub(&a->sub, 1);
  atomicMin(&a->smallest, -i);
  atomicMax(&a->largest, i);
  atomicOr(&a->bits_or, 1 << i % 20);
  atomicAnd(&a->bits_and, ~(1 << i % 20));
  atomicXor(&a->bits_xor, i);
  atomicInc(&a->inc, 9);
  atomicDec(&a->dec, 9);
  atomicExch(&a->exchanged, 5u);
  atomicAdd(&a->wide, 1ull << 32);
  atomicAdd(&a->sum, 1.0f);
  atomicAdd_block(&a->real, 0.5);
  if (i < 8)
    atomicAdd(&a->half, __half(0.5f));
  while (atomicCAS(&a->lock, 0, 1) != 0) {
  }
  a->locked += 1;
  __threadfence();
  atomicExch(&a->lock, 0);
}

void hand_over(int* turn, int* order) { // each thread waits for the one behind it
  const int i = static_cast<int>(threadIdx.x);
  while (atomicAdd(turn, 0) != static_cast<int>(blockDim.x) - 1 - i) {
  }
  order[i] = atomicAdd(turn, 1);
}

struct Ordered {
  int add, sub;
  unsigned smallest, largest, bits_or, bits_xor, bits_and;
  double sum;
  unsigned long long tickets;
  float locked;
  int lock;
  volatile int turn;
};
void ordered_atomics(Ordered* a) { // functions that name an order, and some of them a scope
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  __nv_atomic_fetch_add(&a->add, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_sub(&a->sub, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_min(&a->smallest, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(&a->largest, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(&a->bits_or, 1 << i % 20, __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(&a->bits_xor, i, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(&a->bits_and, ~(1 << i % 20), __NV_ATOMIC_RELAXED);
  __nv_atomic_add(&a->sum, 0.5, __NV_ATOMIC_RELAXED);
  auto ticket = __nv_atomic_load_n(&a->tickets, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(&a->tickets, &ticket, ticket + 1, true, __NV_ATOMIC_SEQ_CST,
                                         __NV_ATOMIC_RELAXED)) {
  }
  while (__nv_atomic_exchange_n(&a->lock, 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) != 0) {
  }
  float locked;
  __nv_atomic_load(&a->locked, &locked, __NV_ATOMIC_RELAXED);
  locked += 1;
  __nv_atomic_store(&a->locked, &locked, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_store_n(&a->lock, 0, __NV_ATOMIC_RELEASE);
  if (blockIdx.x == 0) { // the threads of a block take turns, the last one first
    while (__nv_atomic_load_n(&a->turn, __NV_ATOMIC_ACQUIRE) != static_cast<int>(blockDim.x) - 1 - i) {
    }
    __nv_atomic_fetch_add(&a->turn, 1, __NV_ATOMIC_RELEASE);
  }
}

void hand_over_by_loads(volatile int* turn, int* order) { // the same without atomic operations
  const int i = static_cast<int>(threadIdx.x), mine = static_cast<int>(blockDim.x) - 1 - i;
  if (i % 2)
    while (*turn != mine)
      __threadfence();
  else
    while (__ldcv(const_cast<int*>(turn)) != mine) {
    }
  order[i] = mine;
  *turn = mine + 1;
}

void groups(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int rank = static_cast<int>(block.thread_rank());
  out[rank] = cg::reduce(tile, rank, cg::plus<int>());
  out[64 + rank] = static_cast<int>(tile.meta_group_rank() * 100 + tile.thread_rank());
  out[128 + rank] = tile.shfl(rank, 2);
  out[192 + rank] = cg::inclusive_scan(tile, 1) * 10 + cg::exclusive_scan(tile, 1);
  if (rank % 4 == 1) {
    const auto some = cg::coalesced_threads();
    out[256 + rank] = static_cast<int>(some.size() * 100 + some.thread_rank());
  }
  block.sync();
}

void grid_steps(int* values, int* out, int n) { // each step reads what other blocks wrote in the one before
  const auto grid = cg::this_grid();
  const auto i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step != 10; ++step) {
    const int next = values[(i + 1) % n];
    grid.sync();
    values[i] = next;
    grid.sync();
  }
  out[i] = grid.is_valid() && grid.size() == static_cast<unsigned>(n);
}

void no_grid() { cg::this_grid().sync(); }
void asserts(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }
void traps() { __trap(); }
void throws() { throw 1; }
void overflows(int n, int* out) {
  volatile char frame[100000];
  frame[n % 7] = 1;
  if (n != 0)
    overflows(n - 1, out);
  *out += frame[0];
}

THREADS(shuffles);
THREADS(left_out);
THREADS(many_warps);
THREADS(atomics);
THREADS(ordered_atomics);
THREADS(hand_over);
THREADS(hand_over_by_loads);
THREADS(groups);
THREADS(grid_steps);
THREADS(no_grid);
THREADS(asserts);
THREADS(traps);
THREADS(throws);
THREADS(overflows);

using program::launch;

} // namespace

CASE(threads_shuffles) {
  int* out = on_device(std::vector<int>(11 * 32));
  CHECK_CUDA(launch(shuffles, 1, 32, 0, nullptr, out));
  const auto got = to_host(out, 11 * 32);
  const auto at = [&](int row, int lane) { return got[row * 32 + lane]; };
  for (int lane = 0; lane != 32; ++lane) {
    CHECK(at(0, lane) == (lane + 5) % 32 * 10);
    CHECK(at(1, lane) == (lane / 8 * 8 + 1) * 10);
    CHECK(at(2, lane) == (lane % 16 < 3 ? lane : lane - 3));
    CHECK(at(3, lane) == (lane % 16 > 12 ? lane : lane + 3));
    CHECK(at(4, lane) == (lane ^ 5));
    CHECK(static_cast<unsigned>(at(5, lane)) == 0x49249249);
    CHECK(static_cast<unsigned>(at(6, lane)) == 0x11111111u << lane % 4);
    CHECK(at(7, lane) == 99);
    CHECK(at(8, lane) == 3);
    CHECK(lane % 2 ? at(9, lane) == 5 : static_cast<unsigned>(at(9, lane)) == 0x55555555);
    CHECK(at(10, lane) == 9);
  }
}

CASE(threads_lanes_that_masks_leave_out) {
  int* out = on_device(std::vector<int>(64));
  CHECK_CUDA(launch(left_out, 1, 32, 0, nullptr, out));
  const auto got = to_host(out, 64);
  for (int lane = 0; lane != 32; ++lane)
    CHECK(got[lane] == (lane + 2) / 3 && got[32 + lane] == lane % 16);
}

CASE(threads_many_warps) {
  unsigned* out = on_device(std::vector<unsigned>(3));
  CHECK_CUDA(launch(many_warps, 3, dim3(32, 32), 0, nullptr, out));
  CHECK(to_host(out, 3) == std::vector<unsigned>(3, 1024 * 1023 / 2));
}

CASE(threads_atomics) {
  Atomics start{};
  start.bits_and = -1;
  Atomics* a = on_device(std::vector<Atomics>{start});
  CHECK_CUDA(launch(atomics, 4, 250, 0, nullptr, a));
  const Atomics got = to_host(a, 1)[0];
  const int n = 1000;
  int of_xor = 0;
  for (int i = 0; i != n; ++i)
    of_xor ^= i;
  CHECK(got.add == n * (n - 1) / 2 && got.sub == -n && got.smallest == 1 - n && got.largest == n - 1);
  CHECK(got.bits_or == (1 << 20) - 1 && got.bits_and == ~((1 << 20) - 1) && got.bits_xor == of_xor);
  CHECK(got.inc == n % 10 && got.dec == 0 && got.exchanged == 5);
  CHECK(got.wide == static_cast<unsigned long long>(n) << 32 && got.sum == n && got.real == n / 2.0);
  CHECK(static_cast<float>(got.half) == 4 && got.locked == n && got.lock == 0);
}

CASE(threads_ordered_atomics) {
  Ordered start{};
  start.smallest = start.bits_and = ~0u;
  Ordered* a = on_device(std::vector<Ordered>{start});
  CHECK_CUDA(launch(ordered_atomics, 4, 250, 0, nullptr, a));
  const Ordered got = to_host(a, 1)[0];
  const int n = 1000;
  unsigned of_xor = 0;
  for (unsigned i = 0; i != n; ++i)
    of_xor ^= i;
  CHECK(got.add == n * (n - 1) / 2 && got.sub == -n && got.smallest == 0 && got.largest == n - 1);
  CHECK(got.bits_or == (1u << 20) - 1 && got.bits_and == ~((1u << 20) - 1) && got.bits_xor == of_xor);
  CHECK(got.sum == n / 2.0 && got.tickets == n && got.locked == n && got.lock == 0 && got.turn == 250);
}

CASE(threads_wait_for_each_other) {
  int *turn = on_device(std::vector<int>(1)), *order = on_device(std::vector<int>(40));
  CHECK_CUDA(launch(hand_over, 1, 40, 0, nullptr, turn, order));
  const auto got = to_host(order, 40);
  for (int i = 0; i != 40; ++i)
    CHECK(got[i] == 39 - i);
  turn = on_device(std::vector<int>(1)), order = on_device(std::vector<int>(40));
  CHECK_CUDA(launch(hand_over_by_loads, 1, 40, 0, nullptr, turn, order));
  CHECK(to_host(order, 40) == got);
}

CASE(threads_groups) {
  int* out = on_device(std::vector<int>(5 * 64));
  CHECK_CUDA(launch(groups, 1, 64, 0, nullptr, out));
  const auto got = to_host(out, 5 * 64);
  for (int i = 0; i != 64; ++i) {
    CHECK(got[i] == 8 * (i / 8 * 8) + 28);
    CHECK(got[64 + i] == i / 8 * 100 + i % 8);
    CHECK(got[128 + i] == i / 8 * 8 + 2);
    CHECK(got[192 + i] == (i % 8 + 1) * 10 + i % 8);
    CHECK(got[256 + i] == (i % 4 == 1 ? 800 + i % 32 / 4 : 0));
  }
}

CASE(threads_cooperative_grid) {
  const int blocks = 6, n = blocks * 32;
  std::vector<int> start(n);
  std::iota(start.begin(), start.end(), 0);
  int *values = on_device(start), *out = on_device(std::vector<int>(n));
  int count = n;
  void* arguments[] = {&values, &out, &count};
  CHECK_CUDA(cudaLaunchCooperativeKernel(grid_steps, blocks, 32, arguments));
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto got = to_host(values, n);
  for (int i = 0; i != n; ++i)
    CHECK(got[i] == (i + 10) % n);
  CHECK(to_host(out, n) == std::vector<int>(n, 1));
  int multiprocessors = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  CHECK_ERROR(cudaErrorCooperativeLaunchTooLarge,
              cudaLaunchCooperativeKernel(grid_steps, 32 * multiprocessors + 1, 32, arguments));
}

CASE(threads_no_cooperative_grid) {
  CHECK_CUDA(launch(no_grid, 1, 1, 0, nullptr));
  CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

CASE(threads_assert) {
  CHECK_CUDA(launch(asserts, 1, 32, 0, nullptr, 32));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(launch(asserts, 1, 32, 0, nullptr, 7));
  CHECK_ERROR(cudaErrorAssert, cudaDeviceSynchronize());
}

CASE(threads_trap) {
  CHECK_CUDA(launch(traps, 1, 1, 0, nullptr));
  CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

CASE(threads_throw) {
  CHECK_CUDA(launch(throws, 1, 1, 0, nullptr));
  CHECK_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
}

CASE(threads_stack) {
  int* out = on_device(std::vector<int>(1));
  CHECK_CUDA(launch(overflows, 1, 1, 0, nullptr, 5, out));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(launch(overflows, 1, 1, 0, nullptr, 1000, out));
  CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}
