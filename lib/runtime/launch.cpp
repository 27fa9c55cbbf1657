#include "launch.h"

#include "capture.h"
#include "device.h"
#include "errors.h"
#include "memory_table.h"
#include "registry.h"
#include "report.h"
#include "source_lines.h"
#include "stream.h"
#include "thread_runner.h"

#include "../checked_launch.h"
#include "../pool.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

namespace cuda_tile_runtime {

using cuda_tile_launcher::Launch;

// ---- kernels ---------------------------------------------------------------------------------------------

namespace {

struct Kernels {
  std::shared_mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> by_handle;
};

/// Never destroyed: static objects may launch kernels while the program ends.
Kernels& kernels() {
  static auto* const all = new Kernels;
  return *all;
}

bool is_tile(const cuda_tile_program_kernel& kernel) { return kernel.tile.entry != nullptr; }

} // namespace

Kernel::Kernel(const cuda_tile_program_kernel& of)
    : compiled(of), name(source_name(of)), most_dynamic_shared(shared_by_default) {}

unsigned Kernel::most_threads() const {
  if (is_tile(compiled))
    return 1;
  return compiled.max_threads ? std::min(compiled.max_threads, cuda_tile_runtime::most_threads)
                              : cuda_tile_runtime::most_threads;
}

Kernel* kernel_of(const void* handle) {
  {
    std::shared_lock lock(kernels().mutex);
    const auto found = kernels().by_handle.find(handle);
    if (found != kernels().by_handle.end())
      return found->second.get();
  }
  const cuda_tile_program_kernel* const compiled = find_kernel(handle);
  if (!compiled)
    return nullptr;
  std::unique_lock lock(kernels().mutex);
  auto& kernel = kernels().by_handle[handle];
  if (!kernel)
    kernel = std::make_unique<Kernel>(*compiled);
  return kernel.get();
}

std::vector<std::size_t> parameter_offsets(const cuda_tile_program_kernel& kernel) {
  std::vector<std::size_t> offsets;
  std::size_t end = 0;
  for (unsigned i = 0; i != kernel.parameter_count; ++i) {
    const auto [size, alignment] = kernel.parameters[i];
    offsets.push_back((end + alignment - 1) / alignment * alignment);
    end = offsets.back() + size;
  }
  offsets.push_back(end);
  return offsets;
}

void forget_kernels(const std::vector<const void*>& handles) {
  std::unique_lock lock(kernels().mutex);
  for (const void* const handle : handles)
    kernels().by_handle.erase(handle);
}

unsigned occupancy(const Kernel& kernel, std::size_t threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kernel.most_threads() || shared_bytes > kernel.most_dynamic_shared)
    return 0;
  const std::size_t whole_warps = (threads + 31) / 32 * 32;
  const std::size_t shared = (shared_bytes + 127) / 128 * 128 + reserved_shared;
  return static_cast<unsigned>(
      std::min({std::size_t{most_blocks_of_multiprocessor}, most_threads_of_multiprocessor / whole_warps,
                shared_of_multiprocessor / shared}));
}

// ---- running ---------------------------------------------------------------------------------------------

namespace {

cudaError_t error_of(const Launch& launch) {
  const int reason = launch.reason.load();
  switch (launch.status) {
  case cuda_tile_success:
    return cudaSuccess;
  case cuda_tile_out_of_resources:
    return cudaErrorLaunchOutOfResources;
  case cuda_tile_fault:
    if (reason > 0)
      return static_cast<cudaError_t>(reason);
    return reason == -SIGSEGV || reason == -SIGBUS ? cudaErrorIllegalAddress : cudaErrorLaunchFailure;
  default:
    return cudaErrorLaunchFailure;
  }
}

/// Runs all blocks at once, each on a thread of its own.
void run_together(Launch& launch) {
  const auto run_block = [&] {
    if (const auto runner = make_block_runner(launch))
      runner->run_until(cuda_tile_launcher::never);
    else
      launch.fail(cuda_tile_out_of_resources, 0, "no memory for the stacks of a block");
  };
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < launch.block_count)
      others.emplace_back(run_block);
  } catch (const std::system_error&) {
    launch.fail(cuda_tile_out_of_resources, 0, "no thread for each block of a cooperative launch");
  }
  run_block();
  for (std::thread& other : others)
    other.join();
}

/// The memory that a checked kernel may access.
std::vector<cuda_tile_array> accessible() {
  std::vector<cuda_tile_array> arrays;
  for (const Allocation& allocation : MemoryTable::instance().all())
    arrays.push_back({reinterpret_cast<const void*>(allocation.address), allocation.bytes, 4, 1});
  return arrays;
}

/// A launch that has been checked.
struct Launched {
  const Kernel* kernel;
  Configuration configuration;
  void** arguments;

  void operator()() const {
    const cuda_tile_program_kernel& compiled = kernel->compiled;
    cuda_tile_kernel description = compiled.tile;
    description.name = kernel->name.c_str();
    const unsigned (&grid)[3] = configuration.grid;
    const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    GridBarrier barrier(blocks);
    Threads threads;
    if (!is_tile(compiled)) {
      // Never called: its address says what library the kernel is in.
      description.entry =
          reinterpret_cast<cuda_tile_entry>(reinterpret_cast<void (*)()>(compiled.run_thread));
      threads.run = compiled.run_thread;
      std::copy_n(configuration.block, 3, threads.block);
      threads.shared_bytes = static_cast<unsigned>(configuration.shared_bytes);
      threads.barrier = configuration.is_cooperative ? &barrier : nullptr;
      description.threads = threads.count();
    }
    Launch launch(description, arguments, grid, blocks, 0);
    if (!is_tile(compiled))
      launch.maker = &threads;
    if (is_tile(compiled) && compiled.checked)
      run_checked(launch);
    else if (configuration.is_cooperative)
      run_together(launch);
    else
      cuda_tile_launcher::Pool::instance().run(launch, nullptr);
    finish(launch);
  }

  /// The same, with arguments of its own, for later.
  Function kept() const {
    const cuda_tile_program_kernel& compiled = kernel->compiled;
    const std::vector<std::size_t> offsets = parameter_offsets(compiled);
    struct Storage {
      std::vector<std::max_align_t> values;
      std::vector<void*> addresses;
    };
    auto storage = std::make_shared<Storage>();
    storage->values.resize(offsets.back() / sizeof(std::max_align_t) + 1);
    for (unsigned i = 0; i != compiled.parameter_count; ++i) {
      storage->addresses.push_back(reinterpret_cast<char*>(storage->values.data()) + offsets[i]);
      std::memcpy(storage->addresses[i], arguments[i], compiled.parameters[i].size);
    }
    return [storage, copy = *this]() mutable {
      copy.arguments = storage->addresses.data();
      copy();
    };
  }

private:
  void run_checked(Launch& launch) const {
    const auto arrays = accessible();
    cuda_tile_report report{};
    cuda_tile_launcher::CheckedLaunch checked(launch.kernel, arrays.data(),
                                              static_cast<unsigned>(arrays.size()), 0, report);
    launch.checked = &checked;
    cuda_tile_launcher::Pool::instance().run(launch, nullptr);
    launch.checked = nullptr;
    if (launch.status == cuda_tile_violated || launch.status == cuda_tile_endless_wait)
      stop_with_report(kernel->compiled, report, arrays, launch.status == cuda_tile_endless_wait);
  }

  static void finish(const Launch& launch) {
    const cudaError_t error = error_of(launch);
    if (error == cudaSuccess)
      return;
    if (launch.reason.load() != cudaErrorAssert) { // which has been printed
      const std::string known = MemoryTable::instance().explain(launch.fault_address);
      const auto code = reinterpret_cast<const void*>(launch.kernel.entry);
      std::fprintf(stderr, "pycuda_tile: %s%s\n", placed(launch.message, code).c_str(),
                   known.empty() ? "" : ("\n  " + known).c_str());
    }
    fail_device(error);
  }
};

// ---- checking --------------------------------------------------------------------------------------------

bool is_within(const unsigned (&sizes)[3], unsigned x, unsigned y, unsigned z) {
  const unsigned most[] = {x, y, z};
  for (int axis = 0; axis != 3; ++axis)
    if (sizes[axis] == 0 || sizes[axis] > most[axis])
      return false;
  return true;
}

cudaError_t check(const Kernel& kernel, const Configuration& of) {
  if (!is_within(of.grid, most_blocks_x, most_blocks_yz, most_blocks_yz) ||
      !is_within(of.block, most_threads, most_threads, most_threads_z))
    return cudaErrorInvalidConfiguration;
  const unsigned threads = of.block[0] * of.block[1] * of.block[2];
  if (threads > most_threads || (is_tile(kernel.compiled) && threads != 1))
    return cudaErrorInvalidConfiguration;
  if (threads > kernel.most_threads())
    return cudaErrorLaunchOutOfResources;
  if (of.shared_bytes > kernel.most_dynamic_shared)
    return cudaErrorInvalidValue;
  if (of.is_cooperative) {
    const std::uint64_t together = std::uint64_t{occupancy(kernel, threads, of.shared_bytes)} *
                                   static_cast<unsigned>(properties().multiProcessorCount);
    if (std::uint64_t{of.grid[0]} * of.grid[1] * of.grid[2] > together)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

Configuration make_configuration(const dim3& grid, const dim3& block, std::size_t shared_bytes,
                                 cudaStream_t stream, bool is_cooperative = false) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, stream, is_cooperative};
}

} // namespace

cudaError_t launch(const void* handle, const Configuration& configuration, void** arguments) {
  return call([&] {
    const Kernel* const kernel = kernel_of(handle);
    if (!kernel)
      return cudaErrorInvalidDeviceFunction;
    const StreamPointer stream = find_stream(configuration.stream);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!arguments && kernel->compiled.parameter_count != 0)
      return cudaErrorInvalidValue;
    if (const cudaError_t error = check(*kernel, configuration); error != cudaSuccess)
      return error;
    const Launched launched{kernel, configuration, arguments};
    const WorkPointer work =
        submit(stream, Where::anywhere, cudaGraphNodeTypeKernel, launched, [&] { return launched.kept(); });
    if (!work)
      describe_captured(*stream,
                        kept_call({const_cast<void*>(handle),
                                   {configuration.grid[0], configuration.grid[1], configuration.grid[2]},
                                   {configuration.block[0], configuration.block[1], configuration.block[2]},
                                   static_cast<unsigned>(configuration.shared_bytes),
                                   arguments,
                                   nullptr}));
    return cudaSuccess;
  });
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

namespace {

/// The configurations of launches whose arguments are being computed: these may launch, too.
thread_local std::vector<Configuration> pushed;

} // namespace

extern "C" {

unsigned cuda_tile_push_configuration(const unsigned grid[3], const unsigned block[3],
                                      unsigned long shared_bytes, void* stream) {
  pushed.push_back({{grid[0], grid[1], grid[2]},
                    {block[0], block[1], block[2]},
                    shared_bytes,
                    static_cast<cudaStream_t>(stream),
                    false});
  return 0;
}

void cuda_tile_launch_configured(const void* handle, void** arguments) {
  if (pushed.empty()) {
    note(cudaErrorMissingConfiguration);
    return;
  }
  const Configuration configuration = pushed.back();
  pushed.pop_back();
  launch(handle, configuration, arguments);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedMem,
                             cudaStream_t stream) {
  return launch(function, make_configuration(grid, block, sharedMem, stream), arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t sharedMem, cudaStream_t stream) {
  return launch(function, make_configuration(grid, block, sharedMem, stream, true), arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config || (config->numAttrs != 0 && !config->attrs))
    return note(cudaErrorInvalidValue);
  auto configuration =
      make_configuration(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
  for (unsigned i = 0; i != config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      configuration.is_cooperative = attribute.val.cooperative != 0;
    const auto& cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1)
      return not_supported("cudaLaunchKernelExC with clusters of blocks");
  }
  return launch(function, configuration, arguments);
}
}
