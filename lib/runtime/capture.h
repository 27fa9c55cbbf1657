// Captures: work of streams that becomes a graph instead of being done.
#pragma once

#include "graph.h"

#include <map>
#include <thread>

namespace cuda_tile_runtime {

/// Guarded by streams_mutex().
class Capture {
public:
  Capture(StreamPointer of, cudaStreamCaptureMode capture_mode) : origin(std::move(of)), mode(capture_mode) {}

  const StreamPointer origin;
  const cudaStreamCaptureMode mode;
  const std::thread::id thread = std::this_thread::get_id();
  const GraphPointer graph = std::make_shared<Graph>();
  bool is_broken = false;

  /// A stream that takes part. What it did last has to be waited for by another one, back to the origin.
  struct Part {
    StreamPointer stream;
    std::size_t steps = 0;
    Node* last = nullptr; // of its own
    bool is_joined = true;
  };
  std::map<Stream*, Part> parts;
};

/// A place in a captured stream: after so many steps.
struct CapturedPlace {
  std::shared_ptr<Capture> capture; // null if it is in none
  Stream* stream = nullptr;
  std::size_t steps = 0;
};

/// Says of what the last node was made that the stream has captured.
void describe_captured(Stream& stream, NodeDetails details);

/// The place that the stream has reached.
CapturedPlace place_in_capture(const StreamPointer& stream);
/// Makes a stream wait for a place; it becomes part of the capture. Returns false if neither is of a capture.
bool wait_in_capture(const StreamPointer& stream, const CapturedPlace& place);
/// Throws a Refusal if the stream captures: whether it is done cannot be asked.
void refuse_query(Stream& stream);

} // namespace cuda_tile_runtime
