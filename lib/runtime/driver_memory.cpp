// The driver's own ways to copy and fill memory, and to ask what is at an address.
#include "copy.h"
#include "driver_calls.h"
#include "memory_table.h"

#include <cstdint>
#include <type_traits>

using namespace cuda_tile_runtime;

namespace {

// ---- copies ----------------------------------------------------------------------------------------------

/// A side of a copy: from what was set for it in CUDA_MEMCPY2D or CUDA_MEMCPY3D.
struct Side {
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  std::size_t pitch, height, x, y, z;

  bool is_array() const { return type == CU_MEMORYTYPE_ARRAY; }
  Place place() const {
    char* const first =
        static_cast<char*>(type == CU_MEMORYTYPE_HOST ? host : reinterpret_cast<void*>(device));
    return {first ? first + (z * height + y) * pitch + x : nullptr, pitch, height};
  }
};

cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t copy_box(Side from, Side to, Box box, CUstream stream, Waiting waiting) {
  if (from.is_array() || to.is_array())
    return not_supported("a copy of arrays for textures");
  for (Side* const side : {&from, &to})
    if (side->pitch == 0) // of a single row
      side->pitch = side->x + box.width;
  return copy(to.place(), from.place(), box, kind_of(from.type, to.type), stream, waiting);
}

template <typename Copy>
CUresult copy_as(const Copy* of, CUstream stream, Waiting waiting) {
  return in_context_and_call([&] {
    if (!of)
      return cudaErrorInvalidValue;
    Side from{of->srcMemoryType, const_cast<void*>(of->srcHost),
              of->srcDevice,     of->srcPitch,
              of->Height,        of->srcXInBytes,
              of->srcY,          0};
    Side to{of->dstMemoryType, of->dstHost,     of->dstDevice, of->dstPitch,
            of->Height,        of->dstXInBytes, of->dstY,      0};
    Box box{of->WidthInBytes, of->Height, 1};
    if constexpr (std::is_same_v<Copy, CUDA_MEMCPY3D>) {
      from.height = of->srcHeight ? of->srcHeight : of->srcY + of->Height;
      to.height = of->dstHeight ? of->dstHeight : of->dstY + of->Height;
      from.z = of->srcZ;
      to.z = of->dstZ;
      box.slices = of->Depth;
    }
    return copy_box(from, to, box, stream, waiting);
  });
}

// ---- fills -----------------------------------------------------------------------------------------------

template <typename Value>
CUresult fill_with(CUdeviceptr pointer, std::size_t pitch, Value value, std::size_t width, std::size_t height,
                   CUstream stream) {
  return in_context_and_call([&] {
    const std::size_t bytes = width * sizeof value;
    return fill({reinterpret_cast<void*>(pointer), height > 1 ? pitch : bytes, height}, value,
                {bytes, height, 1}, stream, sizeof value);
  });
}

} // namespace

extern "C" {

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* of) { return copy_as(of, nullptr, Waiting::yes); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* of) { return copy_as(of, nullptr, Waiting::yes); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* of, CUstream stream) {
  return copy_as(of, stream, Waiting::no);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* of) { return copy_as(of, nullptr, Waiting::yes); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* of, CUstream stream) {
  return copy_as(of, stream, Waiting::no);
}

#define CUDA_TILE_FILLS(bits, type)                                                                          \
  CUresult cuMemsetD##bits(CUdeviceptr pointer, type value, size_t count) {                                  \
    return fill_with(pointer, 0, value, count, 1, nullptr);                                                  \
  }                                                                                                          \
  CUresult cuMemsetD##bits##Async(CUdeviceptr pointer, type value, size_t count, CUstream stream) {          \
    return fill_with(pointer, 0, value, count, 1, stream);                                                   \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits(CUdeviceptr pointer, size_t pitch, type value, size_t width, size_t height) {   \
    return fill_with(pointer, pitch, value, width, height, nullptr);                                         \
  }                                                                                                          \
  CUresult cuMemsetD2D##bits##Async(CUdeviceptr pointer, size_t pitch, type value, size_t width,             \
                                    size_t height, CUstream stream) {                                        \
    return fill_with(pointer, pitch, value, width, height, stream);                                          \
  }
CUDA_TILE_FILLS(8, unsigned char)
CUDA_TILE_FILLS(16, unsigned short)
CUDA_TILE_FILLS(32, unsigned)

// ---- what is at an address -------------------------------------------------------------------------------

CUresult cuMemAllocPitch(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height, unsigned element) {
  return in_context([&] {
    if (element != 4 && element != 8 && element != 16)
      return cudaErrorInvalidValue;
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr pointer) {
  return in_context([&] {
    const auto found = MemoryTable::instance().find(reinterpret_cast<void*>(pointer));
    if (!found)
      return cudaErrorSymbolNotFound; // CUDA_ERROR_NOT_FOUND
    if (base)
      *base = found->address;
    if (bytes)
      *bytes = found->bytes;
    return cudaSuccess;
  });
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return in_context([&] {
    const auto found = MemoryTable::instance().find(reinterpret_cast<void*>(pointer));
    if (!found)
      return cudaErrorInvalidValue;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(static_cast<CUcontext*>(value), current_contexts().back());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(static_cast<unsigned*>(value), found->is_for_host() && found->kind != Kind::managed
                                                     ? unsigned{CU_MEMORYTYPE_HOST}
                                                     : unsigned{CU_MEMORYTYPE_DEVICE});
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(static_cast<CUdeviceptr*>(value), pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return found->is_for_host() ? give(static_cast<void**>(value), reinterpret_cast<void*>(pointer))
                                  : cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(static_cast<unsigned*>(value), unsigned{found->kind == Kind::managed});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(static_cast<int*>(value), 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give(static_cast<CUdeviceptr*>(value), CUdeviceptr{found->address});
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give(static_cast<std::size_t*>(value), found->bytes);
    default:
      return not_supported("cuPointerGetAttribute of this attribute");
    }
  });
}
}
