// Checked builds on a GPU: the module's variable `cuda_tile_device_checks` tells the launch what it may
// access, and receives its first violation (pycuda_tile/checked/device.py).
#pragma once

#include "cuda_tile/launch/checks.h"
#include "cuda_tile/platform/platform.h"

extern "C" __device__ cuda_tile_device_checks cuda_tile_checks = {};

namespace cuda::tiles::inline CUDA_TILE_ABI::platform {

/// Ends this thread: the other threads of its block do not wait for it in barriers. Other threads go on to
/// their next check, and the CUDA context survives.
__device__ __forceinline__ void end_thread() { asm volatile("exit;"); }

__device__ __forceinline__ bool is_ended() {
  return *static_cast<unsigned volatile*>(&cuda_tile_checks.is_taken) != 0;
}

/// Whether this thread is the first of the launch that reports something.
__device__ __forceinline__ bool take_report() { return atomicExch(&cuda_tile_checks.is_taken, 1u) == 0; }

__device__ __forceinline__ bool is_ignored(unsigned kind) { return cuda_tile_checks.ignored >> kind & 1; }

/// A number for this place in the code: `pycuda_tile/checked/sites.py` gives each place its own, and finds
/// its line.
__device__ __forceinline__ unsigned site() {
  unsigned number;
  asm volatile("mov.u32 %0, 0xc0de517e;" : "=r"(number));
  return number;
}

/// Fills in where a violation happened: block, element, and the site in the code.
__device__ inline void fill_report(cuda_tile_report& to, unsigned kind, cuda_tile_element const& element,
                                   unsigned site) {
  to.kind = kind;
  unsigned i = 0;
  for (; i + 1 < sizeof to.function && element.function[i] != 0; ++i)
    to.function[i] = element.function[i];
  to.function[i] = 0;
  to.rank = element.rank < 16 ? element.rank : 16;
  unsigned position = element.position;
  for (unsigned d = to.rank; d-- != 0;) {
    to.index[d] = position % element.lengths[d];
    position /= element.lengths[d];
  }
  to.block[0] = blockIdx.x;
  to.block[1] = blockIdx.y;
  to.block[2] = blockIdx.z;
  to.frames[0] = site;
  to.array = ~0u;
}

__device__ __noinline__ void report_at_site(cuda_tile_violation const* violation, unsigned site) {
  if (platform::is_ignored(violation->kind))
    return;
  if (take_report()) {
    cuda_tile_report& to = cuda_tile_checks.report;
    platform::fill_report(to, violation->kind, violation->element, site);
    to.value_count = violation->value_count;
    for (unsigned i = 0; i != violation->value_count; ++i)
      to.values[i] = violation->values[i];
  }
  end_thread();
}

/// The index of the launch's array that an address lies in; the number of arrays if it lies in none.
__device__ inline unsigned find_array(unsigned long long address) {
  unsigned i = 0;
  for (; i != cuda_tile_checks.array_count; ++i) {
    unsigned long long begin = reinterpret_cast<unsigned long long>(cuda_tile_checks.arrays[i].address);
    if (begin <= address && address - begin < cuda_tile_checks.arrays[i].bytes)
      break;
  }
  return i;
}

/// Whether the address is that of one of the kernel's own variables.
__device__ inline bool is_own(void const* p) { return __isLocal(p) || __isShared(p) || __isConstant(p); }

__device__ inline void report_access(unsigned kind, cuda_tile_access const& access, unsigned array,
                                     unsigned site) {
  if (platform::is_ignored(kind))
    return;
  if (take_report()) {
    cuda_tile_report& to = cuda_tile_checks.report;
    platform::fill_report(to, kind, access.element, site);
    to.value_count = 0;
    to.flags = access.flags;
    to.size = access.size;
    to.offset = reinterpret_cast<long long>(access.address);
    if (array != cuda_tile_checks.array_count) {
      to.array = array;
      to.offset -= reinterpret_cast<long long>(cuda_tile_checks.arrays[array].address);
    }
  }
  end_thread();
}

__device__ __noinline__ void check_access_at_site(cuda_tile_access const* access, unsigned site) {
  if (is_ended())
    end_thread();
  auto const address = reinterpret_cast<unsigned long long>(access->address);
  if (address % access->size != 0)
    platform::report_access(cuda_tile_misaligned_access, *access, find_array(address), site);
  if (is_own(access->address))
    return;
  unsigned const array = find_array(address);
  if (array == cuda_tile_checks.array_count)
    return platform::report_access(cuda_tile_memory_bounds, *access, array, site);
  cuda_tile_array const& found = cuda_tile_checks.arrays[array];
  if (address + access->size > reinterpret_cast<unsigned long long>(found.address) + found.bytes)
    platform::report_access(cuda_tile_memory_bounds, *access, array, site);
  if ((access->flags & cuda_tile_writes) != 0 && !found.writable)
    platform::report_access(cuda_tile_read_only_write, *access, array, site);
}

__device__ __forceinline__ void report(cuda_tile_violation const& violation) {
  report_at_site(&violation, site());
}
__device__ __forceinline__ void check_access(cuda_tile_access const& access) {
  check_access_at_site(&access, site());
}

__device__ __forceinline__ void copy_bytes(void* to, void const* from, size_t count) {
  memcpy(to, from, count);
}

template <typename E>
__device__ __forceinline__ bool add_overflows(E a, E b) {
  E const sum = static_cast<E>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  return ((a ^ sum) & (b ^ sum)) < 0;
}
template <typename E>
__device__ __forceinline__ bool sub_overflows(E a, E b) {
  E const difference =
      static_cast<E>(static_cast<unsigned long long>(a) - static_cast<unsigned long long>(b));
  return ((a ^ b) & (a ^ difference)) < 0;
}
template <typename E>
__device__ __forceinline__ bool mul_overflows(E a, E b) {
  auto const low =
      static_cast<long long>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
  return __mul64hi(a, b) != low >> 63 || low != static_cast<E>(low);
}

} // namespace cuda::tiles::inline CUDA_TILE_ABI::platform
