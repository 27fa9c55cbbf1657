// The interface between a compiled program and its run time (lib/runtime): the kernels and variables that
// each file of the program registers, and what its launches call. C structures only, as in launch/block.h.
//
// A file is compiled twice. The device half holds the kernels and variables themselves; the host half holds,
// under the same names, a stub for each kernel and a copy of each variable, whose addresses are the handles
// that host code passes to the run time. Everything that the device half defines is local to the file, so
// what both halves share with the run time has to be defined in the library.
//
// `kernel<<<grid, block, bytes, stream>>>(a, b)` becomes
//   (cuda_tile_push_configuration(...) ? (void)0 : kernel(a, b))
// and the stub `kernel` calls cuda_tile_launch_configured with its own address and the addresses of a and b.
#pragma once

#include "cuda_tile/launch/block.h"

extern "C" {

/// Size and alignment of a kernel's parameter, which a launch that returns early has to copy.
struct cuda_tile_parameter {
  unsigned size, alignment;
};

/// An instance of a kernel, constant data of the device half. Exactly one of `tile.entry` and `run_thread` is
/// set.
struct cuda_tile_program_kernel {
  const char* name;      // mangled, as by typeid
  cuda_tile_kernel tile; // tile kernels: its `name` is null; its `parameters` are not set
  void (*run_thread)(void* const* arguments); // SIMT kernels: runs one thread, the current one
  unsigned parameter_count;
  const struct cuda_tile_parameter* parameters;
  unsigned max_threads; // of a block, by __launch_bounds__; 0 if there are none
  unsigned checked;     // whether it was compiled with CUDA_TILE_CHECKED
};

enum cuda_tile_variable_kind { cuda_tile_device, cuda_tile_constant, cuda_tile_managed };

/// A variable of the device half. Host code uses a managed one in place: its handle is its address.
struct cuda_tile_program_variable {
  const char* name; // in the source
  void* address;
  unsigned long size;
  unsigned kind; // a cuda_tile_variable_kind
};

/// Called before main by each file of a program (lib/runtime/registry.cpp), which copies what is said of a
/// kernel; what that points to, and variables, live as long as the program or the module. A handle that is
/// registered again keeps its first kernel: the files' copies are the same.
void cuda_tile_register_kernel(const void* handle, const struct cuda_tile_program_kernel* kernel);
void cuda_tile_register_variable(const void* handle, const struct cuda_tile_program_variable* variable);

/// Keeps the configuration of the calling thread's next launch. Returns 0, or non-zero if the launch must not
/// happen; the error is then the thread's last error.
unsigned cuda_tile_push_configuration(const unsigned grid[3], const unsigned block[3],
                                      unsigned long shared_bytes, void* stream);
/// Launches what `handle` stands for with the configuration that was pushed last; `arguments[i]` points to
/// the value of parameter i, converted. Errors become the thread's last error.
void cuda_tile_launch_configured(const void* handle, void** arguments);

/// The dynamic shared memory of the running block, aligned to 16 bytes at least: `extern __shared__ T
/// name[]`.
void* cuda_tile_dynamic_shared(void);
}
