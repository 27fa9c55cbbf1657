#include "capture.h"

#include "errors.h"

#include <algorithm>

namespace cuda_tile_runtime {

std::atomic<unsigned> captures{0};

namespace {

std::vector<std::shared_ptr<Capture>>& active() { // guarded by streams_mutex()
  static auto* const all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

constinit thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

[[noreturn]] void spoil(Capture& capture, cudaError_t error) {
  capture.is_broken = true;
  throw Refusal{error};
}

void end(const std::shared_ptr<Capture>& capture) {
  for (auto& [key, part] : capture->parts)
    part.stream->capture = nullptr;
  std::erase(active(), capture);
  captures.store(static_cast<unsigned>(active().size()));
}

void step(Capture& capture, Stream& stream) {
  auto& part = capture.parts.at(&stream);
  ++part.steps;
  part.is_joined = &stream == capture.origin.get();
}

} // namespace

std::shared_ptr<Capture> capture_of(Stream& stream) {
  std::lock_guard lock(streams_mutex());
  if (stream.is_legacy)
    for (const auto& capture : active())
      if (std::any_of(capture->parts.begin(), capture->parts.end(),
                      [](const auto& part) { return part.first->is_blocking(); }))
        spoil(*capture, cudaErrorStreamCaptureImplicit);
  if (stream.capture && stream.capture->is_broken)
    throw Refusal{cudaErrorStreamCaptureInvalidated};
  return stream.capture;
}

void add_to(Capture& capture, Stream& stream, Function function, cudaGraphNodeType type) {
  std::lock_guard lock(streams_mutex());
  auto& nodes = capture.graph->nodes;
  Node node;
  node.type = type;
  node.work.push_back(std::move(function));
  if (!nodes.empty()) // the order of capture is one that respects all dependencies
    node.before.push_back(nodes.back().get());
  capture.parts.at(&stream).last = &capture.graph->add(std::move(node));
  step(capture, stream);
}

void describe_captured(Stream& stream, NodeDetails details) {
  std::lock_guard lock(streams_mutex());
  if (stream.capture)
    stream.capture->parts.at(&stream).last->details = std::move(details);
}

void refuse_in_capture() {
  if (captures.load(std::memory_order_relaxed) == 0 || mode_of_thread == cudaStreamCaptureModeRelaxed)
    return;
  std::lock_guard lock(streams_mutex());
  for (const auto& capture : active())
    if (capture->mode == cudaStreamCaptureModeGlobal ||
        (capture->mode == cudaStreamCaptureModeThreadLocal && capture->thread == std::this_thread::get_id()))
      spoil(*capture, cudaErrorStreamCaptureUnsupported);
}

void refuse_query(Stream& stream) {
  std::lock_guard lock(streams_mutex());
  if (stream.capture)
    spoil(*stream.capture, cudaErrorStreamCaptureUnsupported);
}

CapturedPlace place_in_capture(const StreamPointer& stream) {
  if (captures.load(std::memory_order_relaxed) == 0)
    return {};
  const auto capture = capture_of(*stream);
  std::lock_guard lock(streams_mutex());
  return capture ? CapturedPlace{capture, stream.get(), capture->parts.at(stream.get()).steps}
                 : CapturedPlace{};
}

bool wait_in_capture(const StreamPointer& stream, const CapturedPlace& place) {
  if (captures.load(std::memory_order_relaxed) == 0)
    return false;
  std::lock_guard lock(streams_mutex());
  if (!place.capture) {
    if (stream->capture)
      spoil(*stream->capture, cudaErrorStreamCaptureIsolation);
    return false;
  }
  if (stream->capture && stream->capture != place.capture)
    spoil(*place.capture, cudaErrorStreamCaptureMerge);
  if (stream->is_legacy)
    spoil(*place.capture, cudaErrorStreamCaptureImplicit);
  if (!stream->capture) {
    stream->capture = place.capture;
    place.capture->parts.emplace(stream.get(), Capture::Part{stream});
  }
  step(*place.capture, *stream);
  auto& waited_for = place.capture->parts.at(place.stream);
  if (waited_for.steps == place.steps)
    waited_for.is_joined = true;
  return true;
}

namespace {

cudaError_t begin_capture(const StreamPointer& stream, cudaStreamCaptureMode mode) {
  if (stream->is_legacy)
    return cudaErrorStreamCaptureUnsupported;
  std::lock_guard lock(streams_mutex());
  if (stream->capture)
    return cudaErrorIllegalState;
  stream->capture = std::make_shared<Capture>(stream, mode);
  stream->capture->parts.emplace(stream.get(), Capture::Part{stream});
  active().push_back(stream->capture);
  captures.store(static_cast<unsigned>(active().size()));
  return cudaSuccess;
}

cudaError_t end_capture(const StreamPointer& stream, cudaGraph_t& graph) {
  std::lock_guard lock(streams_mutex());
  const auto capture = stream->capture;
  if (!capture)
    return cudaErrorIllegalState;
  if (capture->origin != stream)
    return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  end(capture);
  if (capture->is_broken)
    return cudaErrorStreamCaptureInvalidated;
  for (const auto& [key, part] : capture->parts)
    if (!part.is_joined)
      return cudaErrorStreamCaptureUnjoined;
  graph = Graphs<cudaGraph_t>::all().add(capture->graph);
  return cudaSuccess;
}

} // namespace

std::vector<Function> captured_work(const std::function<cudaError_t(cudaStream_t)>& call) {
  const StreamPointer stream = add_stream(cudaStreamNonBlocking, 0);
  begin_capture(stream, cudaStreamCaptureModeRelaxed);
  const cudaError_t error = call(stream->handle());
  std::vector<Function> work;
  {
    std::lock_guard lock(streams_mutex());
    for (const auto& node : stream->capture->graph->nodes)
      work.insert(work.end(), node->work.begin(), node->work.end());
    end(std::shared_ptr(stream->capture));
  }
  remove_stream(*stream);
  if (error != cudaSuccess)
    throw Refusal{error};
  return work;
}

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    return stream ? begin_capture(stream, mode) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    if (!graph)
      return cudaErrorInvalidValue;
    *graph = nullptr;
    return stream ? end_capture(stream, *graph) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    if (!status)
      return cudaErrorInvalidValue;
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    std::lock_guard lock(streams_mutex());
    *status = !stream->capture             ? cudaStreamCaptureStatusNone
              : stream->capture->is_broken ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&] {
    if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
      return cudaErrorInvalidValue;
    std::swap(*mode, mode_of_thread);
    return cudaSuccess;
  });
}
}
