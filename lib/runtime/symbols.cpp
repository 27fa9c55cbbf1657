// cudaMemcpyToSymbol and its like: the variables of kernels, which the program registers.
#include "copy.h"
#include "errors.h"
#include "registry.h"

using namespace cuda_tile_runtime;

namespace {

/// Calls `use(address)` with where the bytes at `offset` of a variable are, if it has that many.
template <typename Use>
cudaError_t with_variable(const void* symbol, std::size_t offset, std::size_t count, Use use) {
  return call([&] {
    const cuda_tile_program_variable* const variable = find_variable(symbol);
    if (!variable)
      return cudaErrorInvalidSymbol;
    if (offset > variable->size || count > variable->size - offset)
      return cudaErrorInvalidValue;
    return use(static_cast<char*>(variable->address) + offset);
  });
}

cudaError_t copy_to(const void* symbol, const void* source, std::size_t count, std::size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream, Waiting waiting) {
  return with_variable(symbol, offset, count, [&](char* address) {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    return copy(address, source, count, kind, stream, waiting);
  });
}

cudaError_t copy_from(void* destination, const void* symbol, std::size_t count, std::size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream, Waiting waiting) {
  return with_variable(symbol, offset, count, [&](char* address) {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    return copy(destination, address, count, kind, stream, waiting);
  });
}

} // namespace

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to(symbol, source, count, offset, kind, nullptr, Waiting::yes);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to(symbol, source, count, offset, kind, stream, Waiting::no);
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from(destination, symbol, count, offset, kind, nullptr, Waiting::yes);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from(destination, symbol, count, offset, kind, stream, Waiting::no);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return with_variable(symbol, 0, 0, [&](char* address) { return give<void*>(pointer, address); });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return call([&] {
    const cuda_tile_program_variable* const variable = find_variable(symbol);
    return variable ? give<std::size_t>(size, variable->size) : cudaErrorInvalidSymbol;
  });
}
}
