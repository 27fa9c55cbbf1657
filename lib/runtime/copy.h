// Copies and fills of memory, as work of a stream.
#pragma once

#include "stream.h"

namespace cuda_tile_runtime {

/// Rows of bytes, in slices.
struct Box {
  std::size_t width, rows, slices;
};
/// Where a box lies: rows are `pitch` bytes apart, slices that many rows.
struct Place {
  void* address;
  std::size_t pitch, rows_of_slice;
};

enum class Waiting { no, yes };

cudaError_t copy(const Place& to, const Place& from, const Box& box, cudaMemcpyKind kind, cudaStream_t stream,
                 Waiting waiting);
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                 Waiting waiting);
/// Fills with elements of 1, 2 or 4 bytes, of `value`'s lowest bits.
cudaError_t fill(const Place& place, unsigned value, const Box& box, cudaStream_t stream,
                 std::size_t element = 1);

} // namespace cuda_tile_runtime
