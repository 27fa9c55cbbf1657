// Hand-written kernels that reveal what the launcher does. Arguments are addresses of pointers, as in real
// kernels.
#include "cuda_tile/launch/block.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace {

template <typename T>
T* pointer(void* const* arguments, int i) {
  return *static_cast<T**>(arguments[i]);
}

std::size_t number(const cuda_tile_block* b) {
  return b->block[0] + std::size_t{b->grid[0]} * (b->block[1] + std::size_t{b->grid[1]} * b->block[2]);
}

// counts[block] += 1
void count_blocks(void* const* arguments, cuda_tile_block* b) {
  pointer<unsigned>(arguments, 0)[number(b)] += 1;
}

// place[block] = how many blocks started before
void record_order(void* const* arguments, cuda_tile_block* b) {
  auto* next = pointer<std::atomic<std::uint64_t>>(arguments, 0);
  pointer<std::uint64_t>(arguments, 1)[number(b)] = next->fetch_add(1);
}

// Waits for the previous block, then lets the next one continue.
void wait_for_previous(void* const* arguments, cuda_tile_block* b) {
  auto* done = pointer<std::atomic<std::uint64_t>>(arguments, 0);
  while (done->load(std::memory_order_acquire) != number(b)) {
  }
  pointer<std::uint64_t>(arguments, 1)[0] += number(b); // not atomic: ordered by the wait
  done->store(number(b) + 1, std::memory_order_release);
}

// Ends once all blocks have started.
void meet(void* const* arguments, cuda_tile_block* b) {
  auto* here = pointer<std::atomic<std::uint64_t>>(arguments, 0);
  here->fetch_add(1);
  while (here->load() != b->grid[0]) {
  }
}

// Touches every page of a 256 MiB local array.
void big_stack(void* const* arguments, cuda_tile_block* b) {
  volatile char tile[std::size_t{256} << 20];
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sizeof tile; i += 4096)
    tile[i] = 1;
  for (std::size_t i = 0; i < sizeof tile; i += 4096)
    sum += tile[i];
  pointer<std::uint64_t>(arguments, 0)[number(b)] = sum;
}

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

// Takes 5 ms and counts the blocks that ran.
void slow(void* const* arguments, cuda_tile_block*) {
  sleep_ms(5);
  pointer<std::atomic<std::uint64_t>>(arguments, 0)->fetch_add(1);
}

// Stores the address of a local variable, which identifies the stack.
void stack_address(void* const* arguments, cuda_tile_block* b) {
  volatile char here = 0;
  pointer<std::uint64_t>(arguments, 0)[number(b)] = reinterpret_cast<std::uintptr_t>(&here);
}

// Threads rotate values through scratch memory 10 times: out[block * T + thread] ends as (thread + 10) % T +
// block.
template <unsigned T>
void rotate(void* const* arguments, cuda_tile_block* b) {
  auto* scratch = static_cast<std::uint64_t*>(b->scratch);
  std::uint64_t value = b->thread + number(b);
  for (int round = 0; round != 10; ++round) {
    scratch[b->thread] = value;
    b->barrier(b);
    value = scratch[(b->thread + 1) % T];
    b->barrier(b);
  }
  pointer<std::uint64_t>(arguments, 0)[number(b) * T + b->thread] = value;
}

// log[k] = the k-th thread that ran, over three sections between barriers. One block.
void thread_order(void* const* arguments, cuda_tile_block* b) {
  auto* next = pointer<std::uint64_t>(arguments, 0);
  auto* log = pointer<std::uint64_t>(arguments, 1);
  for (int section = 0; section != 3; ++section) {
    log[(*next)++] = b->thread;
    b->barrier(b);
  }
}

// In block (1, 2, 0), threads 1 and 2 leave before the second barrier.
void diverge(void* const*, cuda_tile_block* b) {
  b->barrier(b);
  if (b->block[0] == 1 && b->block[1] == 2 && (b->thread == 1 || b->thread == 2))
    return;
  b->barrier(b);
}

// out[thread] = the first byte of scratch memory that no thread has written
void read_scratch(void* const* arguments, cuda_tile_block* b) {
  pointer<std::uint64_t>(arguments, 0)[b->thread] = static_cast<unsigned char*>(b->scratch)[b->thread];
  b->barrier(b);
  static_cast<unsigned char*>(b->scratch)[b->thread] = 1;
}

// out[block] = how many blocks counted before in memory that all share; there is none with other numbers, or
// too large.
void share(void* const* arguments, cuda_tile_block* b) {
  auto* counter = static_cast<std::atomic<std::uint64_t>*>(b->shared->get(b->shared, 3, 1 << 20, 4096));
  bool refused = !b->shared->get(b->shared, cuda_tile_most_shared, 1, 1) &&
                 !b->shared->get(b->shared, 4, std::uint64_t{1} << 60, 0);
  pointer<std::uint64_t>(arguments, 0)[number(b)] = counter[511].fetch_add(1) + (refused ? 0 : 1000);
}

// The cuda_tile_entry of a kernel that runs one block.
template <void (*Run)(void* const*, cuda_tile_block*)>
void entry(void* const* arguments, cuda_tile_block* b, unsigned count) {
  for (Run(arguments, b); --count != 0; Run(arguments, b))
    ++b->block[0];
}

} // namespace

#define EXPORT(name, function, threads, scratch)                                                             \
  extern "C" {                                                                                               \
  __attribute__((visibility("default"))) extern const cuda_tile_kernel kernel_##name;                        \
  const cuda_tile_kernel kernel_##name = {#name, function, threads, scratch, 0, nullptr, 0};                 \
  }

EXPORT(count_blocks, entry<count_blocks>, 1, 0)
EXPORT(record_order, entry<record_order>, 1, 0)
EXPORT(wait_for_previous, entry<wait_for_previous>, 1, 0)
EXPORT(meet, entry<meet>, 1, 0)
EXPORT(big_stack, entry<big_stack>, 1, 0)
EXPORT(share, entry<share>, 1, 0)
EXPORT(slow, entry<slow>, 1, 0)
EXPORT(slow_emulated, entry<slow>, 2, 0)
EXPORT(stack_address, entry<stack_address>, 1, 0)
EXPORT(rotate_4, entry<rotate<4>>, 4, 4 * 8)
EXPORT(rotate_32, entry<rotate<32>>, 32, 32 * 8)
EXPORT(rotate_128, entry<rotate<128>>, 128, 128 * 8)
EXPORT(thread_order, entry<thread_order>, 8, 0)
EXPORT(diverge, entry<diverge>, 8, 16)
EXPORT(read_scratch, entry<read_scratch>, 4, 64)
EXPORT(no_threads, entry<count_blocks>, 0, 0)
