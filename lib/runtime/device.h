// The one device: this machine's processor.
#pragma once

#include "cuda_tile/runtime/types.h"

namespace cuda_tile_runtime {

constexpr unsigned most_threads = 1024; // of a block
constexpr unsigned most_threads_of_multiprocessor = 2048, most_blocks_of_multiprocessor = 32;
constexpr unsigned registers_of_multiprocessor = 65536;
constexpr unsigned shared_by_default = 48 << 10, reserved_shared = 1 << 10; // bytes of a block
constexpr unsigned most_shared = 227 << 10, shared_of_multiprocessor = 228 << 10;
constexpr unsigned most_blocks_x = 0x7fffffff, most_blocks_yz = 65535, most_threads_z = 64;
constexpr int greatest_priority = -5;

/// All that is known of the device.
const cudaDeviceProp& properties();

} // namespace cuda_tile_runtime
