// Allocations, copies and fills.
#include "program.h"

CASE(memory_allocation) {
  float* a = nullptr;
  CHECK_CUDA(cudaMalloc(&a, 1000));
  CHECK(reinterpret_cast<std::size_t>(a) % 256 == 0);
  size_t free = 0, total = 0, free_before = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_before, &total));
  float* b = nullptr;
  CHECK_CUDA(cudaMalloc(&b, 1 << 20));
  CHECK_CUDA(cudaMemGetInfo(&free, &total));
  CHECK(free_before - free == 1 << 20 && free <= total);
  CHECK_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&b, size_t{1} << 60));
  CHECK(b == nullptr);
  CHECK_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
  CHECK_CUDA(cudaGetLastError());
  CHECK_ERROR(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 4));
  CHECK_CUDA(cudaMalloc(&b, 0));
  CHECK(b == nullptr);
  CHECK_CUDA(cudaFree(b));
  CHECK_CUDA(cudaFree(a));
  CHECK_ERROR(cudaErrorInvalidValue, cudaFree(a));
  int local = 0;
  CHECK_ERROR(cudaErrorInvalidValue, cudaFree(&local));
  CHECK_ERROR(cudaErrorInvalidValue, cudaFreeHost(&local));
}

CASE(memory_copy_directions) {
  std::vector<int> host(4, 7), back(4);
  int *a, *b;
  const size_t bytes = 4 * sizeof(int);
  CHECK_CUDA(cudaMalloc(&a, bytes));
  CHECK_CUDA(cudaMalloc(&b, bytes));
  CHECK_CUDA(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
  CHECK_CUDA(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDeviceToHost));
  CHECK(back == host);
  CHECK_CUDA(cudaMemset(b, 0, bytes));
  CHECK_CUDA(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDefault));
  CHECK(back == std::vector<int>(4));
  CHECK_CUDA(cudaMemcpy(back.data(), host.data(), bytes, cudaMemcpyHostToHost));
  CHECK(back == host);
  const auto wrong = cudaErrorInvalidValue;
  CHECK_ERROR(wrong, cudaMemcpy(host.data(), a, bytes, cudaMemcpyHostToDevice));
  CHECK_ERROR(wrong, cudaMemcpy(a, host.data(), bytes, cudaMemcpyDeviceToHost));
  CHECK_ERROR(wrong, cudaMemcpy(a, host.data(), bytes, cudaMemcpyDeviceToDevice));
  CHECK_ERROR(wrong, cudaMemcpy(a, b, bytes, cudaMemcpyHostToHost));
  CHECK_ERROR(wrong, cudaMemcpy(a, host.data(), bytes + 1, cudaMemcpyHostToDevice));
  CHECK_ERROR(wrong, cudaMemcpy(host.data(), a + 1, bytes, cudaMemcpyDeviceToHost));
  CHECK_ERROR(wrong, cudaMemcpy(a, nullptr, bytes, cudaMemcpyHostToDevice));
  CHECK_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, b, bytes, static_cast<cudaMemcpyKind>(9)));
  CHECK_ERROR(wrong, cudaMemset(host.data(), 0, bytes));
  CHECK_ERROR(wrong, cudaMemset(a, 0, bytes + 1));
  CHECK_CUDA(cudaMemcpy(a, nullptr, 0, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaFree(b));
  CHECK_ERROR(wrong, cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_ERROR(wrong, cudaMemcpy(a, b, bytes, cudaMemcpyDeviceToDevice));
  CHECK_CUDA(cudaFree(a));
}

CASE(memory_host_and_managed) {
  int *pinned, *managed, *same, own[4];
  CHECK_CUDA(cudaMallocHost(&pinned, 16));
  CHECK_CUDA(cudaMallocManaged(&managed, 16));
  for (int i = 0; i != 4; ++i)
    pinned[i] = i;
  CHECK_CUDA(cudaMemcpy(managed, pinned, 16, cudaMemcpyHostToDevice));
  CHECK(managed[3] == 3);
  CHECK_CUDA(cudaHostGetDevicePointer(&same, pinned, 0));
  CHECK(same == pinned);
  CHECK_ERROR(cudaErrorInvalidValue, cudaHostGetDevicePointer(&same, own, 0));
  CHECK_CUDA(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
  CHECK_ERROR(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own + 1, 4, cudaHostRegisterDefault));
  CHECK_CUDA(cudaHostGetDevicePointer(&same, own, 0));
  cudaPointerAttributes attributes;
  const auto type_of = [&](const void* pointer) {
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, pointer));
    return attributes.type;
  };
  CHECK(type_of(own) == cudaMemoryTypeHost && attributes.devicePointer == own);
  CHECK_CUDA(cudaHostUnregister(own));
  CHECK_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
  CHECK(type_of(own) == cudaMemoryTypeUnregistered && attributes.devicePointer == nullptr);
  CHECK(type_of(managed + 3) == cudaMemoryTypeManaged && attributes.hostPointer == managed + 3);
  CHECK(type_of(pinned) == cudaMemoryTypeHost);
  int* device;
  CHECK_CUDA(cudaMalloc(&device, 4));
  CHECK(type_of(device) == cudaMemoryTypeDevice && attributes.hostPointer == nullptr);
  CHECK(attributes.device == 0);
  CHECK_ERROR(cudaErrorInvalidValue, cudaFree(pinned));
  CHECK_ERROR(cudaErrorInvalidValue, cudaFreeHost(device));
  CHECK_CUDA(cudaMemPrefetchAsync(managed, 16, 0, nullptr));
  CHECK_CUDA(cudaMemAdvise(managed, 16, cudaMemAdviseSetReadMostly, 0));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 4, 0, nullptr));
  CHECK_CUDA(cudaFree(managed));
  CHECK_CUDA(cudaFree(device));
  CHECK_CUDA(cudaFreeHost(pinned));
}

CASE(memory_pitched) {
  char* a;
  size_t pitch = 0;
  CHECK_CUDA(cudaMallocPitch(&a, &pitch, 5, 3));
  CHECK(pitch >= 5 && pitch % 32 == 0);
  char host[3][5], back[3][7] = {};
  for (int i = 0; i != 15; ++i)
    host[i / 5][i % 5] = static_cast<char>(i);
  CHECK_CUDA(cudaMemset(a, 9, 3 * pitch));
  CHECK_CUDA(cudaMemcpy2D(a, pitch, host, 5, 5, 3, cudaMemcpyHostToDevice));
  CHECK(a[pitch + 4] == 9 - 0 || a[pitch + 4] == 9); // row 1, column 4 holds 9
  CHECK(a[pitch + 5] == 9);
  CHECK_CUDA(cudaMemcpy2D(back, 7, a, pitch, 5, 3, cudaMemcpyDeviceToHost));
  for (int i = 0; i != 15; ++i)
    CHECK(back[i / 5][i % 5] == i);
  CHECK(back[0][5] == 0 && back[2][6] == 0);
  CHECK_CUDA(cudaMemset2D(a, pitch, 1, 2, 2));
  CHECK(a[0] == 1 && a[1] == 1 && a[2] == 2 && a[pitch] == 1 && a[2 * pitch] == 10);
  CHECK_ERROR(cudaErrorInvalidPitchValue, cudaMemcpy2D(a, 4, host, 5, 5, 3, cudaMemcpyHostToDevice));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy2D(a, pitch, host, 5, 5, 4, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaFree(a));

  cudaPitchedPtr box;
  CHECK_CUDA(cudaMalloc3D(&box, make_cudaExtent(3, 4, 5)));
  CHECK(box.xsize == 3 && box.ysize == 4);
  CHECK_CUDA(cudaMemset3D(box, 0, make_cudaExtent(3, 4, 5)));
  char part[2 * 2 * 2] = {1, 2, 3, 4, 5, 6, 7, 8};
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(part, 2, 2, 2);
  copy.dstPtr = box;
  copy.dstPos = make_cudaPos(1, 2, 3);
  copy.extent = make_cudaExtent(2, 2, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK_CUDA(cudaMemcpy3D(&copy));
  const char* const bytes = static_cast<char*>(box.ptr);
  CHECK(bytes[(3 * 4 + 2) * box.pitch + 1] == 1 && bytes[(4 * 4 + 3) * box.pitch + 2] == 8);
  copy.dstPos = make_cudaPos(1, 2, 4);
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(&copy));
  CHECK_CUDA(cudaFree(box.ptr));
}

CASE(memory_pools) {
  cudaMemPool_t pool, same;
  CHECK_CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK_CUDA(cudaDeviceGetMemPool(&same, 0));
  CHECK(pool == same);
  unsigned long long threshold = 12345, used = 1;
  CHECK_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  threshold = 0;
  CHECK_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(threshold == 12345);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK_CUDA(cudaMemPoolCreate(&same, &properties));
  float* memory;
  CHECK_CUDA(cudaMallocAsync(&memory, 1000, same, nullptr));
  CHECK_CUDA(cudaMemPoolGetAttribute(same, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 1000);
  CHECK_CUDA(cudaFreeAsync(memory, nullptr));
  CHECK_CUDA(cudaMemPoolGetAttribute(same, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 0);
  CHECK_CUDA(cudaMemPoolGetAttribute(same, cudaMemPoolAttrUsedMemHigh, &used));
  CHECK(used == 1000);
  CHECK_CUDA(cudaMemPoolDestroy(same));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemPoolDestroy(same));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&memory, 4, same, nullptr));
}
