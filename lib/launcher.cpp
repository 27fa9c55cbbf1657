// The C interface on top of the pool.
#include "launcher.h"

#include "checked_launch.h"
#include "pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>

using namespace cuda_tile_launcher;

namespace {

void write_message(std::string_view text, char* error, unsigned error_size) {
  if (!error || error_size == 0)
    return;
  const std::size_t length = std::min<std::size_t>(text.size(), error_size - 1);
  std::memcpy(error, text.data(), length);
  error[length] = '\0';
}

/// Computes the number of blocks; false if it does not fit into 64 bits.
bool count_blocks(const unsigned grid[3], std::uint64_t& count) {
  count = std::uint64_t{grid[0]} * grid[1]; // cannot overflow
  if (grid[2] != 0 && count > UINT64_MAX / grid[2])
    return false;
  count *= grid[2];
  return true;
}

/// Runs a launch; `prepare(launch, go)` sets up what the launch needs, then calls go().
template <typename Prepare>
int run(const cuda_tile_kernel* kernel, void* const* arguments, const unsigned grid[3],
        unsigned long long schedule_seed, int (*poll)(void), char* error, unsigned error_size,
        Prepare prepare) try {
  write_message("", error, error_size);
  std::uint64_t count;
  if (!kernel || !kernel->entry || kernel->threads == 0 || !grid || !count_blocks(grid, count)) {
    write_message("no kernel, a kernel without threads, or too many blocks", error, error_size);
    return cuda_tile_invalid_launch;
  }
  if (count == 0)
    return cuda_tile_success;
  Launch launch(*kernel, arguments, grid, count, schedule_seed);
  int status = cuda_tile_success;
  prepare(launch, [&] { status = Pool::instance().run(launch, poll); });
  write_message(launch.message, error, error_size);
  return status;
} catch (const std::exception& failure) {
  write_message(failure.what(), error, error_size);
  return cuda_tile_out_of_resources;
}

} // namespace

#define CUDA_TILE_EXPORT __attribute__((visibility("default")))

extern "C" {

CUDA_TILE_EXPORT int cuda_tile_launch(const cuda_tile_kernel* kernel, void* const* arguments,
                                      const unsigned grid[3], unsigned long long schedule_seed,
                                      int (*poll)(void), char* error, unsigned error_size) {
  return run(kernel, arguments, grid, schedule_seed, poll, error, error_size, [](Launch&, auto go) { go(); });
}

CUDA_TILE_EXPORT int cuda_tile_launch_checked(const cuda_tile_kernel* kernel, void* const* arguments,
                                              const unsigned grid[3], unsigned long long schedule_seed,
                                              int (*poll)(void), const cuda_tile_array* arrays,
                                              unsigned array_count, unsigned long long ignored,
                                              cuda_tile_report* report, char* error, unsigned error_size) {
  return run(kernel, arguments, grid, schedule_seed, poll, error, error_size, [&](Launch& launch, auto go) {
    CheckedLaunch checked(*kernel, arrays, array_count, ignored, *report);
    launch.checked = &checked;
    go();
  });
}

CUDA_TILE_EXPORT void cuda_tile_set_num_workers(unsigned count) { Pool::instance().set_num_workers(count); }

CUDA_TILE_EXPORT unsigned cuda_tile_num_workers(void) { return Pool::instance().num_workers(); }

CUDA_TILE_EXPORT unsigned cuda_tile_abi_version(void) { return 10; }
}
