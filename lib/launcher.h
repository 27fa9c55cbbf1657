// The CPU launcher's C interface: runs the blocks of a kernel that was compiled for the host on a pool of
// threads. Built by CMakeLists.txt, or by hand: c++ -std=c++20 -O2 -fPIC -shared -fvisibility=hidden -pthread
// -I include lib/*.cpp
#pragma once

#include "cuda_tile/launch/block.h"
#include "cuda_tile/launch/checks.h"

extern "C" {

/// What cuda_tile_launch returns.
enum cuda_tile_status {
  cuda_tile_success = 0,
  cuda_tile_interrupted = 1,      // poll asked to stop, or the process forked during the launch
  cuda_tile_out_of_resources = 2, // no memory for stacks or scratch
  cuda_tile_divergence = 3,       // the threads of a block disagree about barriers
  cuda_tile_invalid_launch = 4,   // a null kernel, a kernel of no threads, or more than 2^64 - 1 blocks
  cuda_tile_violated = 5,         // a checked launch found undefined behaviour
  cuda_tile_endless_wait = 6, // a checked launch found that all blocks wait; the report says where one does
  cuda_tile_exception = 7,    // an exception left the kernel
  cuda_tile_fault = 8,        // the kernel read where no memory is, its stack ran over, or the like
};

/// Runs every block of `grid` once and returns a cuda_tile_status; what the blocks wrote is visible to the
/// caller then. Blocks start in ascending order (x fastest), or in an order shuffled by `schedule_seed`
/// unless that is 0; as many run at once as there are workers, of which the calling thread is one. `poll`
/// (may be null) is called about every 50 ms on the calling thread and its own stack, also within blocks;
/// once it returns non-zero no further block starts, and a second later, or when it does so again, those that
/// still run are left where they are. So is a block that faults: the first launch installs handlers of
/// signals, which call those that were there before for all other faults of the process. On failure a message
/// is written to `error` (may be null), at most `error_size` bytes with the final zero. May be called from
/// many threads at once, from within `poll`, and after fork.
int cuda_tile_launch(const cuda_tile_kernel* kernel, void* const* arguments, const unsigned grid[3],
                     unsigned long long schedule_seed, int (*poll)(void), char* error, unsigned error_size);

/// As cuda_tile_launch, of a kernel that was compiled with CUDA_TILE_CHECKED. Bits of `ignored` stand for the
/// kinds of violations that are not reported. On cuda_tile_violated `report` is filled in.
int cuda_tile_launch_checked(const cuda_tile_kernel* kernel, void* const* arguments, const unsigned grid[3],
                             unsigned long long schedule_seed, int (*poll)(void),
                             const cuda_tile_array* arrays, unsigned array_count, unsigned long long ignored,
                             cuda_tile_report* report, char* error, unsigned error_size);

/// Threads that work on a launch, the calling one included. 0: as many as this process may use cores.
void cuda_tile_set_num_workers(unsigned count);
unsigned cuda_tile_num_workers(void);

/// Changes when this interface or cuda_tile/launch/block.h does.
unsigned cuda_tile_abi_version(void);
}
