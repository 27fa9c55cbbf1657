// Copies and fills, checked as a GPU's would be although all memory is one.
#include "copy.h"

#include "capture.h"
#include "errors.h"
#include "memory_table.h"

#include <cstring>

namespace cuda_tile_runtime {

namespace {

enum class Side { host, device, either };

constexpr Side sides[][2] = {// of the destination and the source, by cudaMemcpyKind
                             {Side::host, Side::host},
                             {Side::device, Side::host},
                             {Side::host, Side::device},
                             {Side::device, Side::device},
                             {Side::either, Side::either}};

/// Whether [pointer, pointer + bytes) is memory of that side. Host memory that was not allocated here is not
/// known.
bool is_memory(const void* pointer, std::size_t bytes, Side side) {
  if (!pointer)
    return false;
  const auto found = MemoryTable::instance().find(pointer);
  if (!found)
    return side != Side::device;
  if (side == Side::host && !found->is_for_host())
    return false;
  return found->end() - reinterpret_cast<std::uintptr_t>(pointer) >= bytes;
}

/// Bytes from the first to behind the last that rows of a box touch; false if there is no such number.
bool measure(const Box& box, std::size_t pitch, std::size_t rows_of_slice, std::size_t& bytes) {
  std::size_t rows, before_last;
  return !__builtin_mul_overflow(rows_of_slice, box.slices - 1, &rows) &&
         !__builtin_add_overflow(rows, box.rows - 1, &rows) &&
         !__builtin_mul_overflow(rows, pitch, &before_last) &&
         !__builtin_add_overflow(before_last, box.width, &bytes);
}

template <typename Row>
void for_each_row(const Box& box, Row row) {
  for (std::size_t slice = 0; slice != box.slices; ++slice)
    for (std::size_t y = 0; y != box.rows; ++y)
      row(slice, y);
}

bool is_pageable(const void* pointer) { return !MemoryTable::instance().find(pointer); }

} // namespace

cudaError_t copy(const Place& to, const Place& from, const Box& box, cudaMemcpyKind kind, cudaStream_t handle,
                 Waiting waiting) {
  const StreamPointer stream = find_stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (box.width == 0 || box.rows == 0 || box.slices == 0)
    return cudaSuccess;
  const bool has_rows = box.rows > 1 || box.slices > 1;
  if (has_rows && (to.pitch < box.width || from.pitch < box.width))
    return cudaErrorInvalidPitchValue;
  std::size_t to_bytes, from_bytes;
  if (!measure(box, to.pitch, to.rows_of_slice, to_bytes) ||
      !measure(box, from.pitch, from.rows_of_slice, from_bytes) ||
      !is_memory(to.address, to_bytes, sides[kind][0]) ||
      !is_memory(from.address, from_bytes, sides[kind][1]))
    return cudaErrorInvalidValue;
  if (waiting == Waiting::yes)
    refuse_in_capture();
  const auto run = [=] {
    for_each_row(box, [&](std::size_t slice, std::size_t y) {
      std::memmove(static_cast<char*>(to.address) + (slice * to.rows_of_slice + y) * to.pitch,
                   static_cast<const char*>(from.address) + (slice * from.rows_of_slice + y) * from.pitch,
                   box.width);
    });
  };
  // Pageable memory may change as soon as the call returns.
  const bool here = waiting == Waiting::yes || is_pageable(to.address) || is_pageable(from.address);
  if (!submit(stream, here ? Where::here : Where::anywhere, cudaGraphNodeTypeMemcpy, run)) {
    cudaMemcpy3DParms details{};
    details.srcPtr = {from.address, from.pitch, box.width, from.rows_of_slice};
    details.dstPtr = {to.address, to.pitch, box.width, to.rows_of_slice};
    details.extent = {box.width, box.rows, box.slices};
    details.kind = kind;
    describe_captured(*stream, details);
  }
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                 Waiting waiting) {
  return copy({to, bytes, 1}, {const_cast<void*>(from), bytes, 1}, {bytes, 1, 1}, kind, stream, waiting);
}

namespace {

void fill_row(char* row, unsigned value, std::size_t bytes, std::size_t element) {
  if (element == 1)
    std::memset(row, static_cast<int>(value), bytes);
  else
    for (std::size_t at = 0; at != bytes; at += element)
      std::memcpy(row + at, &value, element);
}

} // namespace

cudaError_t fill(const Place& place, unsigned value, const Box& box, cudaStream_t handle,
                 std::size_t element) {
  const StreamPointer stream = find_stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (box.width == 0 || box.rows == 0 || box.slices == 0)
    return cudaSuccess;
  std::size_t bytes;
  if ((box.rows > 1 || box.slices > 1) && place.pitch < box.width)
    return cudaErrorInvalidPitchValue;
  if (!measure(box, place.pitch, place.rows_of_slice, bytes) ||
      !is_memory(place.address, bytes, Side::device))
    return cudaErrorInvalidValue;
  if ((reinterpret_cast<std::uintptr_t>(place.address) | box.width) % element != 0 ||
      (box.rows > 1 && place.pitch % element != 0))
    return cudaErrorInvalidValue;
  const WorkPointer work = submit(stream, Where::anywhere, cudaGraphNodeTypeMemset, [=] {
    for_each_row(box, [&](std::size_t slice, std::size_t y) {
      fill_row(static_cast<char*>(place.address) + (slice * place.rows_of_slice + y) * place.pitch, value,
               box.width, element);
    });
  });
  if (!work && box.slices == 1)
    describe_captured(*stream,
                      cudaMemsetParams{place.address, place.pitch, value, static_cast<unsigned>(element),
                                       box.width / element, box.rows});
  return cudaSuccess;
}

namespace {

/// Where a copy of three dimensions begins.
Place place_of(const cudaPitchedPtr& memory, const cudaPos& at) {
  char* const first = static_cast<char*>(memory.ptr);
  return {first ? first + (at.z * memory.ysize + at.y) * memory.pitch + at.x : nullptr, memory.pitch,
          memory.ysize};
}

cudaError_t copy3D(const cudaMemcpy3DParms* parameters, cudaStream_t stream, Waiting waiting) {
  if (!parameters)
    return cudaErrorInvalidValue;
  if (parameters->srcArray || parameters->dstArray)
    return not_supported("cudaMemcpy3D of arrays for textures");
  const cudaExtent& extent = parameters->extent;
  return copy(place_of(parameters->dstPtr, parameters->dstPos),
              place_of(parameters->srcPtr, parameters->srcPos), {extent.width, extent.height, extent.depth},
              parameters->kind, stream, waiting);
}

} // namespace

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaMemcpy(void* destination, const void* source, size_t count, cudaMemcpyKind kind) {
  return call([&] { return copy(destination, source, count, kind, nullptr, Waiting::yes); });
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&] { return copy(destination, source, count, kind, stream, Waiting::no); });
}

cudaError_t cudaMemcpyPeer(void* destination, int destinationDevice, const void* source, int sourceDevice,
                           size_t count) {
  return call([&] {
    if (destinationDevice != 0 || sourceDevice != 0)
      return cudaErrorInvalidDevice;
    return copy(destination, source, count, cudaMemcpyDeviceToDevice, nullptr, Waiting::yes);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destinationDevice, const void* source,
                                int sourceDevice, size_t count, cudaStream_t stream) {
  return call([&] {
    if (destinationDevice != 0 || sourceDevice != 0)
      return cudaErrorInvalidDevice;
    return copy(destination, source, count, cudaMemcpyDeviceToDevice, stream, Waiting::no);
  });
}

cudaError_t cudaMemcpy2D(void* destination, size_t destinationPitch, const void* source, size_t sourcePitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&] {
    return copy({destination, destinationPitch, height}, {const_cast<void*>(source), sourcePitch, height},
                {width, height, 1}, kind, nullptr, Waiting::yes);
  });
}

cudaError_t cudaMemcpy2DAsync(void* destination, size_t destinationPitch, const void* source,
                              size_t sourcePitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return call([&] {
    return copy({destination, destinationPitch, height}, {const_cast<void*>(source), sourcePitch, height},
                {width, height, 1}, kind, stream, Waiting::no);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call([&] { return copy3D(parameters, nullptr, Waiting::yes); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return call([&] { return copy3D(parameters, stream, Waiting::no); });
}

cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return call(
      [&] { return fill({pointer, count, 1}, static_cast<unsigned>(value), {count, 1, 1}, nullptr); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return call([&] { return fill({pointer, count, 1}, static_cast<unsigned>(value), {count, 1, 1}, stream); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return call([&] {
    return fill({pointer, pitch, height}, static_cast<unsigned>(value), {width, height, 1}, nullptr);
  });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return call([&] {
    return fill({pointer, pitch, height}, static_cast<unsigned>(value), {width, height, 1}, stream);
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return call([&] {
    return fill({pointer.ptr, pointer.pitch, pointer.ysize}, static_cast<unsigned>(value),
                {extent.width, extent.height, extent.depth}, nullptr);
  });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return call([&] {
    return fill({pointer.ptr, pointer.pitch, pointer.ysize}, static_cast<unsigned>(value),
                {extent.width, extent.height, extent.depth}, stream);
  });
}
}
