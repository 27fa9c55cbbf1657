// Streams: queues of work, done in order. Work runs at once, in the thread that submits it, where nothing has
// to come before it; otherwise a thread that the stream has meanwhile runs it.
#pragma once

#include "cuda_tile/runtime/types.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace cuda_tile_runtime {

class Capture;
using Function = std::function<void()>;

/// A piece of work, and whether it is done.
struct Work {
  std::atomic<bool> is_done{false};
  std::uint64_t number = 0; // in its stream, of those that have begun
  std::int64_t done_at = 0; // in nanoseconds of a steady clock
};
using WorkPointer = std::shared_ptr<Work>;

/// Its members that may change are guarded by streams_mutex().
struct Stream {
  struct Queued {
    std::vector<WorkPointer> before;
    WorkPointer work;
    Function function;
  };

  Stream(unsigned stream_flags, int stream_priority, bool legacy = false);
  cudaStream_t handle() { return reinterpret_cast<cudaStream_t>(this); }
  /// Whether the legacy stream and this one wait for each other.
  bool is_blocking() const { return !(flags & cudaStreamNonBlocking); }

  const unsigned flags;
  const int priority;
  const bool is_legacy;
  const unsigned long long id;
  WorkPointer last; // null, or done, if there is nothing to wait for
  std::uint64_t begun = 0;
  std::deque<Queued> queue; // by the numbers of their work
  bool has_thread = false;
  std::shared_ptr<Capture> capture; // of which its work becomes part (capture.h)
};
using StreamPointer = std::shared_ptr<Stream>;

std::mutex& streams_mutex();

/// The stream of a handle; null if there is none. Zero is the default stream.
StreamPointer find_stream(cudaStream_t handle);
StreamPointer add_stream(unsigned flags, int priority);
/// Forgets a stream, whose work goes on.
void remove_stream(Stream& stream);

/// Where work may run: where it is submitted if nothing comes before it; there in any case, after what comes
/// before it; or only in the stream's thread.
enum class Where { anywhere, here, thread };

/// Begins work: returns what has to be done before it, and makes it the stream's last.
std::vector<WorkPointer> begin(Stream& stream, const WorkPointer& work, const WorkPointer& also_before);
void finish(Work& work);
void enqueue(const StreamPointer& stream, Stream::Queued queued);

/// How many captures there are: while there are none, nothing else is asked about them.
extern std::atomic<unsigned> captures;
/// The capture that new work of the stream becomes part of; null if there is none. Throws a Refusal if work
/// in this stream would spoil a capture.
std::shared_ptr<Capture> capture_of(Stream& stream);
void add_to(Capture& capture, Stream& stream, Function function, cudaGraphNodeType type);
/// Throws a Refusal if calls that wait, or allocate, would spoil a capture.
void refuse_in_capture();

void wait_for(const WorkPointer& work);
/// Waits for the work of all streams.
void wait_for_all();

/// Does run(), now or later, as work of the stream; `type` says what it is in a graph. Work that is done
/// later is `keep()`, a function with all that it needs.
template <typename Run, typename Keep>
WorkPointer submit(const StreamPointer& stream, Where where, cudaGraphNodeType type, Run&& run, Keep&& keep,
                   const WorkPointer& also_before = nullptr) {
  if (captures.load(std::memory_order_relaxed) != 0)
    if (const auto capture = capture_of(*stream)) {
      add_to(*capture, *stream, keep(), type);
      return nullptr;
    }
  auto work = std::make_shared<Work>();
  auto before = begin(*stream, work, also_before);
  if (where == Where::here)
    for (; !before.empty(); before.pop_back())
      wait_for(before.back());
  if (before.empty() && where != Where::thread) {
    run();
    finish(*work);
  } else {
    enqueue(stream, {std::move(before), work, keep()});
  }
  return work;
}

/// The same, of work that can be copied.
template <typename Run>
WorkPointer submit(const StreamPointer& stream, Where where, cudaGraphNodeType type, Run run,
                   const WorkPointer& before = nullptr) {
  return submit(stream, where, type, run, [&] { return Function(run); }, before);
}

} // namespace cuda_tile_runtime
