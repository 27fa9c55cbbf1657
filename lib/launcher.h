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
  cuda_tile_fault = 8,        // the kernel accessed invalid memory, overflowed its stack, or the like
};

/// Runs every block of `grid` once and returns a cuda_tile_status. Afterwards the caller sees what the blocks
/// wrote. Blocks start in ascending order (x fastest), or in an order shuffled by `schedule_seed` if that is
/// not 0. As many run at once as there are workers, of which the calling thread is one.
///
/// `poll` (may be null) is called about every 50 ms on the calling thread and its own stack, even while a
/// block runs. Once it returns non-zero, no further block starts; a second later, or when it returns non-zero
/// again, running blocks are abandoned where they are. A block that faults is abandoned, too: the first
/// launch installs signal handlers, which pass all other faults of the process to the handlers that were
/// installed before.
///
/// On failure a message is written to `error` (may be null), at most `error_size` bytes including the final
/// zero. May be called from many threads at once, from within `poll`, and after fork.
int cuda_tile_launch(const cuda_tile_kernel* kernel, void* const* arguments, const unsigned grid[3],
                     unsigned long long schedule_seed, int (*poll)(void), char* error, unsigned error_size);

/// Like cuda_tile_launch, for a kernel that was compiled with CUDA_TILE_CHECKED. Each bit of `ignored` stands
/// for a kind of violation that is not reported. On cuda_tile_violated `report` is filled in.
int cuda_tile_launch_checked(const cuda_tile_kernel* kernel, void* const* arguments, const unsigned grid[3],
                             unsigned long long schedule_seed, int (*poll)(void),
                             const cuda_tile_array* arrays, unsigned array_count, unsigned long long ignored,
                             cuda_tile_report* report, char* error, unsigned error_size);

/// The number of threads that work on a launch, including the calling one. 0: one for each core that this
/// process may use.
void cuda_tile_set_num_workers(unsigned count);
unsigned cuda_tile_num_workers(void);

/// Changes whenever this interface or cuda_tile/launch/block.h does.
unsigned cuda_tile_abi_version(void);
}
