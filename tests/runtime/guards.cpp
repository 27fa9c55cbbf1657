// Programs of checked kernels: accesses behind allocations, and to freed ones.
#include "program.h"

namespace {

void put(int* to, int index) { to[index] = 7; }

void register_checked() {
  static cuda_tile_program_kernel kernel{};
  kernel.name = "put";
  kernel.run_thread = [](void* const* arguments) {
    put(*static_cast<int**>(arguments[0]), *static_cast<int*>(arguments[1]));
  };
  kernel.parameter_count = 2;
  kernel.parameters = program::parameters_of(put);
  kernel.checked = 1;
  cuda_tile_register_kernel(reinterpret_cast<const void*>(put), &kernel);
}

} // namespace

CASE(guards_behind_the_end) {
  register_checked();
  int* memory;
  CHECK_CUDA(cudaMalloc(&memory, 400));
  CHECK_CUDA(program::launch(put, 1, 1, 0, nullptr, memory, 99));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(memory[99] == 7);
  CHECK_CUDA(program::launch(put, 1, 1, 0, nullptr, memory, 101));
  CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

CASE(guards_freed_memory) {
  register_checked();
  int *memory, *other;
  CHECK_CUDA(cudaMalloc(&memory, 512));
  CHECK(reinterpret_cast<std::size_t>(memory) % 256 == 0);
  CHECK_CUDA(cudaFree(memory));
  CHECK_CUDA(cudaMalloc(&other, 512));
  CHECK_CUDA(program::launch(put, 1, 1, 0, nullptr, memory, 3));
  CHECK_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}
