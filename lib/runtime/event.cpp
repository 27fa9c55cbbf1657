// Events: a place in a stream, and when it was reached.
#include "capture.h"
#include "errors.h"
#include "stream.h"

#include <unordered_map>

using namespace cuda_tile_runtime;

namespace {

struct Event {
  unsigned flags;
  WorkPointer recorded;   // null before it is
  CapturedPlace captured; // where it was recorded in a capture
};

struct Events {
  std::mutex mutex;
  std::unordered_map<cudaEvent_t, Event> by_handle;
};

/// Never destroyed: destructors of static objects may destroy events.
Events& events() {
  static auto* const all = new Events;
  return *all;
}

/// Calls `use(event)` for a copy of the event of a handle.
template <typename Use>
cudaError_t with_event(cudaEvent_t handle, Use use) {
  return call([&] {
    std::unique_lock lock(events().mutex);
    const auto found = events().by_handle.find(handle);
    if (found == events().by_handle.end())
      return cudaErrorInvalidResourceHandle;
    const Event event = found->second;
    lock.unlock();
    return use(event);
  });
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle) {
  const StreamPointer stream = find_stream(stream_handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  return with_event(handle, [&](const Event& event) {
    CapturedPlace captured = place_in_capture(stream);
    WorkPointer work =
        captured.capture ? nullptr : submit(stream, Where::anywhere, cudaGraphNodeTypeEmpty, [] {});
    std::lock_guard lock(events().mutex);
    if (const auto found = events().by_handle.find(handle); found != events().by_handle.end())
      found->second = {event.flags, std::move(work), std::move(captured)};
    return cudaSuccess;
  });
}

/// An event of a capture is a place in a graph, which is not reached until that is launched.
void refuse_captured(const Event& event) {
  if (event.captured.capture)
    throw Refusal{cudaErrorCapturedEvent};
}

bool is_pending(const Event& event) { return event.recorded && !event.recorded->is_done; }

} // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&] {
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || flags & ~known || (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming)))
      return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess)
      return not_supported("cudaEventCreateWithFlags with cudaEventInterprocess");
    static std::uintptr_t count = 0;
    std::lock_guard lock(events().mutex);
    *event = reinterpret_cast<cudaEvent_t>(++count << 4);
    events().by_handle.emplace(*event, Event{flags, nullptr, {}});
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_event(event, [&](const Event&) {
    std::lock_guard lock(events().mutex);
    events().by_handle.erase(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record(event, stream); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags & ~static_cast<unsigned>(cudaEventRecordExternal))
    return note(cudaErrorInvalidValue);
  return record(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return with_event(handle, [](const Event& event) {
    refuse_captured(event);
    wait_for(event.recorded);
    return device_error();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return with_event(handle, [](const Event& event) {
    refuse_captured(event);
    return is_pending(event) ? cudaErrorNotReady : device_error();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_event(start, [&](const Event& first) {
    return with_event(end, [&](const Event& second) {
      if (!milliseconds)
        return cudaErrorInvalidValue;
      refuse_captured(first);
      refuse_captured(second);
      if (!first.recorded || !second.recorded || (first.flags | second.flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
      if (is_pending(first) || is_pending(second))
        return cudaErrorNotReady;
      *milliseconds =
          static_cast<float>(static_cast<double>(second.recorded->done_at - first.recorded->done_at) / 1e6);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned flags) {
  return with_event(handle, [&](const Event& event) {
    const StreamPointer stream = find_stream(stream_handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(cudaEventWaitExternal))
      return cudaErrorInvalidValue;
    if (wait_in_capture(stream, event.captured))
      return cudaSuccess;
    if (is_pending(event))
      submit(stream, Where::anywhere, cudaGraphNodeTypeEmpty, [] {}, event.recorded);
    return cudaSuccess;
  });
}
}
