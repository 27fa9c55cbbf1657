// Groups of threads beyond a block and a warp; barriers, pipelines and atomic objects of <cuda/...>.
#include "program.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <numeric>

namespace {

namespace cg = cooperative_groups;

int sum_by_halves(const cg::thread_group& group, int* shared, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned width = group.size() / 2; width != 0; width /= 2) {
    shared[rank] = value;
    group.sync();
    if (rank < width)
      value += shared[rank + width];
    group.sync();
  }
  return value;
}
void sums_of_groups(int* sums) {
  static thread_local int shared[128];
  const cg::thread_block block = cg::this_thread_block();
  const int rank = static_cast<int>(block.thread_rank()), all = sum_by_halves(block, shared, rank);
  const cg::thread_group part = cg::tiled_partition(cg::thread_group(block), 16);
  const cg::thread_group quarter = cg::tiled_partition(part, 4);
  const int of_part = sum_by_halves(quarter, shared + rank / 4 * 4, rank);
  if (rank == 0)
    sums[0] = all;
  if (quarter.thread_rank() == 0)
    sums[1 + rank / 4] = of_part;
  cg::this_thread().sync();
}

void sums_of_warps(int* sums) {
  static thread_local cg::block_tile_memory<160> memory;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory)); // the last is incomplete
  const int rank = static_cast<int>(cg::this_thread_block().thread_rank());
  for (int round = 0; round != 3; ++round) {
    const int sum = cg::reduce(tile, rank + round, cg::plus<int>());
    const int before = cg::exclusive_scan(tile, 1);
    sums[rank] = sum + 10000 * before;
  }
  if (!tile.any(rank == 63) != (tile.meta_group_rank() != 0) ||
      tile.all(rank != 5) != (tile.meta_group_rank() != 0))
    sums[rank] = -1;
}

void reverse_three_times(int* values) {
  static thread_local cuda::barrier<cuda::thread_scope_block> barrier;
  static thread_local int shared[128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round != 3; ++round) {
    cuda::memcpy_async(cg::this_thread_block(), shared, values, cuda::aligned_size_t<4>(sizeof shared),
                       barrier);
    barrier.arrive_and_wait();
    auto token = barrier.arrive();
    values[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
    barrier.wait(std::move(token));
    barrier.wait_parity(true); // each round has an even and an odd phase
    if (threadIdx.x == 7 && round == 2)
      barrier.arrive_and_drop();
  }
}

void reverse_parts(const int* in, int* out, int parts) {
  static thread_local cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  static thread_local int shared[2][32];
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int part = 0, begun = 0; part != parts; ++part) {
    for (; begun < parts && begun < part + 2; ++begun) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, shared[begun % 2], in + begun * 32, sizeof shared[0], pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[part * 32 + static_cast<int>(threadIdx.x)] = shared[part % 2][31 - threadIdx.x];
    pipeline.consumer_release();
  }
}

void count_and_wait(int* most) {
  static thread_local cuda::atomic<int, cuda::thread_scope_block> flag;
  cuda::atomic_ref<int, cuda::thread_scope_device>(*most).fetch_max(static_cast<int>(threadIdx.x),
                                                                    cuda::memory_order_relaxed);
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 9)
    flag.store(1, cuda::std::memory_order_release);
  while (threadIdx.x == 0 && flag.load() != 1) {
  }
}

struct Sixteen {
  long long low, high;
};
void exchange_structures(Sixteen* values) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  values[threadIdx.x] = tile.shfl_xor(values[threadIdx.x], 3);
}

THREADS(sums_of_groups);
THREADS(sums_of_warps);
THREADS(reverse_three_times);
THREADS(reverse_parts);
THREADS(count_and_wait);
THREADS(exchange_structures);

using program::launch;

std::vector<int> counted(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

} // namespace

CASE(groups_of_any_kind) {
  int* const sums = on_device(std::vector<int>(33));
  CHECK_CUDA(launch(sums_of_groups, 2, 128, 0, nullptr, sums));
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto found = to_host(sums, 33);
  CHECK(found[0] == 127 * 64);
  for (int i = 0; i != 32; ++i)
    CHECK(found[static_cast<std::size_t>(1 + i)] == 16 * i + 6);
}

CASE(groups_of_several_warps) {
  int* const sums = on_device(std::vector<int>(160));
  CHECK_CUDA(launch(sums_of_warps, 3, dim3(16, 10), 0, nullptr, sums));
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto found = to_host(sums, 160);
  for (int rank = 0; rank != 160; ++rank) {
    const int first = rank / 64 * 64, size = first == 128 ? 32 : 64;
    CHECK(found[static_cast<std::size_t>(rank)] ==
          size * (2 * first + size - 1) / 2 + 2 * size + 10000 * (rank - first));
  }
}

CASE(groups_and_barriers_of_the_library) {
  int* const values = on_device(counted(128));
  CHECK_CUDA(launch(reverse_three_times, 1, 128, 0, nullptr, values));
  const auto found = to_host(values, 128);
  CHECK(found[0] == 127 && found[100] == 27);
}

CASE(groups_and_pipelines) {
  int *const in = on_device(counted(320)), *const out = on_device(std::vector<int>(320));
  CHECK_CUDA(launch(reverse_parts, 1, 32, 0, nullptr, in, out, 10));
  const auto found = to_host(out, 320);
  for (int i = 0; i != 320; ++i)
    CHECK(found[static_cast<std::size_t>(i)] == i / 32 * 32 + 31 - i % 32);
}

CASE(groups_and_atomic_objects) {
  int* const most = on_device(std::vector<int>(1));
  CHECK_CUDA(launch(count_and_wait, 2, 32, 0, nullptr, most));
  CHECK(to_host(most, 1)[0] == 31);
}

CASE(groups_exchange_structures) {
  std::vector<Sixteen> values;
  for (int i = 0; i != 32; ++i)
    values.push_back({i, -i});
  Sixteen* const memory = on_device(values);
  CHECK_CUDA(launch(exchange_structures, 1, 32, 0, nullptr, memory));
  const auto found = to_host(memory, 32);
  for (int i = 0; i != 32; ++i)
    CHECK(found[static_cast<std::size_t>(i)].low == (i ^ 3) &&
          found[static_cast<std::size_t>(i)].high == -(i ^ 3));
}
