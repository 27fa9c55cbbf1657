// cudaStreamCreate and its like, events, and functions of the host in a stream.
#include "capture.h"
#include "device.h"
#include "errors.h"
#include "stream.h"

#include <algorithm>

using namespace cuda_tile_runtime;

namespace {

/// Calls `use(stream)` for the stream of a handle.
template <typename Use>
cudaError_t with_stream(cudaStream_t handle, Use use) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    return stream ? use(stream) : cudaErrorInvalidResourceHandle;
  });
}

WorkPointer last_of(Stream& stream) {
  std::lock_guard lock(streams_mutex());
  return stream.last;
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    if (!stream || flags & ~static_cast<unsigned>(cudaStreamNonBlocking))
      return cudaErrorInvalidValue;
    *stream = add_stream(flags, std::clamp(priority, greatest_priority, 0))->handle();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_stream(handle, [&](const StreamPointer& stream) {
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    remove_stream(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream(handle, [](const StreamPointer& stream) {
    refuse_query(*stream);
    // The legacy stream has to wait for all others, as if something were done in it.
    wait_for(stream->is_legacy ? submit(stream, Where::anywhere, cudaGraphNodeTypeEmpty, [] {})
                               : last_of(*stream));
    return device_error();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream(handle, [](const StreamPointer& stream) {
    refuse_query(*stream);
    const WorkPointer last = last_of(*stream);
    return last && !last->is_done ? cudaErrorNotReady : device_error();
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream(handle, [&](const StreamPointer& stream) { return give(flags, stream->flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream(handle, [&](const StreamPointer& stream) { return give(priority, stream->priority); });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](const StreamPointer& stream) { return give(id, stream->id); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream(handle, [&](const StreamPointer&) { return give(device, 0); });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID,
                                   const cudaLaunchAttributeValue* value) {
  return with_stream(handle, [&](const StreamPointer&) { // all of them are hints
    return value ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return with_stream(handle, [&](const StreamPointer& stream) {
    if (!value)
      return cudaErrorInvalidValue;
    *value = {};
    if (attribute == cudaLaunchAttributePriority)
      value->priority = stream->priority;
    return cudaSuccess;
  });
}

// ---- functions of the host -------------------------------------------------------------------------------

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* userData) {
  return with_stream(handle, [&](const StreamPointer& stream) {
    if (!function)
      return cudaErrorInvalidValue;
    if (!submit(stream, Where::thread, cudaGraphNodeTypeHost, [=] { function(userData); }))
      describe_captured(*stream, cudaHostNodeParams{function, userData});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* userData,
                                  unsigned flags) {
  return with_stream(handle, [&](const StreamPointer& stream) {
    if (!callback || flags != 0)
      return cudaErrorInvalidValue;
    submit(stream, Where::thread, cudaGraphNodeTypeHost, [=] { callback(handle, device_error(), userData); });
    return cudaSuccess;
  });
}
}
