#include "stream.h"

#include "../block_runner.h"

#include "cuda_tile/runtime/api.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace cuda_tile_runtime {

namespace {

struct Streams {
  std::mutex mutex;
  std::condition_variable done;
  unsigned waiting = 0; // threads
  StreamPointer legacy = std::make_shared<Stream>(cudaStreamDefault, 0, true);
  std::unordered_map<cudaStream_t, StreamPointer> by_handle; // that were created
  std::vector<WorkPointer> left;                             // by streams that were destroyed
};

/// Never destroyed: other threads may use it until the process ends.
Streams& streams() {
  static auto* const all = new Streams;
  return *all;
}
/// Made before there are threads: ThreadSanitizer does not see what orders the first use in one that is not
/// compiled with it.
[[maybe_unused]] const auto& streams_before_main = streams();

constinit std::atomic<cudaStream_t> default_stream{nullptr}; // or cudaStreamPerThread

const StreamPointer& stream_of_thread() {
  thread_local const StreamPointer stream = [] {
    auto created = std::make_shared<Stream>(cudaStreamDefault, 0);
    std::lock_guard lock(streams().mutex);
    streams().by_handle.emplace(created->handle(), created);
    return created;
  }();
  return stream;
}

void add_pending(std::vector<WorkPointer>& to, const WorkPointer& work) {
  if (work && !work->is_done.load(std::memory_order_acquire))
    to.push_back(work);
}

void wait_for_change(std::unique_lock<std::mutex>& lock) {
  ++streams().waiting;
  streams().done.wait(lock);
  --streams().waiting;
}

void note_change() {
  if (streams().waiting != 0)
    streams().done.notify_all();
}

bool is_ready(const Stream::Queued& queued) {
  return std::ranges::all_of(
      queued.before, [](const WorkPointer& work) { return work->is_done.load(std::memory_order_acquire); });
}

/// Does not take what it waits for out of the queue: another thread may yet put in what comes before that.
void run_queue(StreamPointer stream) {
  std::unique_lock lock(streams().mutex);
  while (!stream->queue.empty()) {
    if (!is_ready(stream->queue.front())) {
      wait_for_change(lock);
      continue;
    }
    Stream::Queued next = std::move(stream->queue.front());
    stream->queue.pop_front();
    lock.unlock();
    next.function();
    finish(*next.work);
    next = {};
    lock.lock();
  }
  stream->has_thread = false;
}

} // namespace

Stream::Stream(unsigned stream_flags, int stream_priority, bool legacy)
    : flags(stream_flags), priority(stream_priority), is_legacy(legacy), id([] {
        static std::atomic<unsigned long long> count{1};
        return count.fetch_add(1);
      }()) {}

std::mutex& streams_mutex() { return streams().mutex; }

StreamPointer find_stream(cudaStream_t handle) {
  if (!handle)
    handle = default_stream.load(std::memory_order_relaxed);
  if (!handle || handle == cudaStreamLegacy)
    return streams().legacy;
  if (handle == cudaStreamPerThread)
    return stream_of_thread();
  std::lock_guard lock(streams().mutex);
  const auto found = streams().by_handle.find(handle);
  return found == streams().by_handle.end() ? nullptr : found->second;
}

StreamPointer add_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(flags, priority);
  std::lock_guard lock(streams().mutex);
  streams().by_handle.emplace(stream->handle(), stream);
  return stream;
}

void remove_stream(Stream& stream) {
  std::lock_guard lock(streams().mutex);
  std::erase_if(streams().left, [](const WorkPointer& work) { return work->is_done.load(); });
  add_pending(streams().left, stream.last);
  streams().by_handle.erase(stream.handle());
}

std::vector<WorkPointer> begin(Stream& stream, const WorkPointer& work, const WorkPointer& also_before) {
  std::vector<WorkPointer> before;
  std::lock_guard lock(streams().mutex);
  add_pending(before, stream.last);
  add_pending(before, also_before);
  if (stream.is_legacy) {
    for (const auto& [handle, other] : streams().by_handle)
      if (other->is_blocking())
        add_pending(before, other->last);
    for (const WorkPointer& left : streams().left)
      add_pending(before, left);
  } else if (stream.is_blocking()) {
    add_pending(before, streams().legacy->last);
  }
  stream.last = work;
  work->number = ++stream.begun;
  return before;
}

void finish(Work& work) {
  work.done_at = cuda_tile_launcher::exact_time();
  work.is_done.store(true, std::memory_order_release);
  std::lock_guard lock(streams().mutex);
  note_change();
}

void enqueue(const StreamPointer& stream, Stream::Queued queued) {
  std::lock_guard lock(streams().mutex);
  // Threads that submit to one stream may come here in another order than to begin().
  auto at = stream->queue.end();
  while (at != stream->queue.begin() && std::prev(at)->work->number > queued.work->number)
    --at;
  stream->queue.insert(at, std::move(queued));
  note_change();
  if (!stream->has_thread)
    std::thread(run_queue, stream).detach();
  stream->has_thread = true;
}

void wait_for(const WorkPointer& work) {
  if (!work || work->is_done.load(std::memory_order_acquire))
    return;
  std::unique_lock lock(streams().mutex);
  while (!work->is_done.load(std::memory_order_acquire))
    wait_for_change(lock);
}

void wait_for_all() {
  std::vector<WorkPointer> pending;
  {
    std::lock_guard lock(streams().mutex);
    add_pending(pending, streams().legacy->last);
    for (const auto& [handle, stream] : streams().by_handle)
      add_pending(pending, stream->last);
    for (const WorkPointer& work : streams().left)
      add_pending(pending, work);
  }
  for (const WorkPointer& work : pending)
    wait_for(work);
}

} // namespace cuda_tile_runtime

extern "C" void cuda_tile_use_stream_of_thread() { cuda_tile_runtime::default_stream = cudaStreamPerThread; }
