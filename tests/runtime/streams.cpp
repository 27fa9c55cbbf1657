// Streams, events, functions of the host.
#include "program.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

void append(int* list, int value) { list[++list[0]] = value; }
THREADS(append);
void increment(int* count) { ++*count; }
THREADS(increment);

using program::launch;

/// A gate that a function of the host waits for.
struct Gate {
  std::mutex mutex;
  Gate() { mutex.lock(); }
  void open() { mutex.unlock(); }
  static void pass(void* gate) { std::lock_guard lock(static_cast<Gate*>(gate)->mutex); }
};

struct Stream {
  cudaStream_t handle = nullptr;
  explicit Stream(unsigned flags = cudaStreamDefault) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&handle, flags));
  }
  ~Stream() { CHECK_CUDA(cudaStreamDestroy(handle)); }
  operator cudaStream_t() const { return handle; }
};

int* new_list() {
  int* list = nullptr;
  CHECK_CUDA(cudaMallocManaged(&list, 100 * sizeof(int)));
  std::memset(list, 0, 100 * sizeof(int));
  return list;
}

std::vector<int> values_of(const int* list) { return {list + 1, list + 1 + list[0]}; }

} // namespace

CASE(streams_keep_their_order) {
  Stream a, b(cudaStreamNonBlocking);
  Gate gate;
  int* list = new_list();
  CHECK_CUDA(cudaLaunchHostFunc(a, Gate::pass, &gate));
  CHECK_CUDA(launch(append, 1, 1, 0, a, list, 1)); // waits for the gate
  CHECK_CUDA(launch(append, 1, 1, 0, b, list, 2)); // does not
  CHECK_CUDA(cudaStreamSynchronize(b));
  CHECK(values_of(list) == std::vector<int>{2});
  CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(a));
  CHECK_ERROR(cudaErrorNotReady, cudaGetLastError());
  CHECK_CUDA(launch(append, 1, 1, 0, nullptr, list, 3)); // the legacy stream waits for a
  CHECK_CUDA(launch(append, 1, 1, 0, b, list, 4));
  Stream c;
  CHECK_CUDA(launch(append, 1, 1, 0, c, list, 5)); // and c for that
  CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(c));
  CHECK(values_of(list) == (std::vector<int>{2, 4}));
  gate.open();
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(values_of(list) == (std::vector<int>{2, 4, 1, 3, 5}));
  CHECK_CUDA(cudaStreamQuery(a));
}

CASE(streams_wait_for_events) {
  Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  Gate gate;
  int* list = new_list();
  cudaEvent_t event;
  CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK_CUDA(cudaStreamWaitEvent(b, event)); // not recorded: nothing to wait for
  CHECK_CUDA(cudaLaunchHostFunc(a, Gate::pass, &gate));
  CHECK_CUDA(launch(append, 1, 1, 0, a, list, 1));
  CHECK_CUDA(cudaEventRecord(event, a));
  CHECK_CUDA(cudaStreamWaitEvent(b, event, 0));
  CHECK_CUDA(launch(append, 1, 1, 0, b, list, 2));
  CHECK_ERROR(cudaErrorNotReady, cudaEventQuery(event));
  CHECK(list[0] == 0);
  gate.open();
  CHECK_CUDA(cudaStreamSynchronize(b));
  CHECK(values_of(list) == (std::vector<int>{1, 2}));
  CHECK_CUDA(cudaEventQuery(event));
  CHECK_CUDA(cudaEventDestroy(event));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(event, a));
}

CASE(streams_copies_and_frees_in_order) {
  Stream a;
  Gate gate;
  int *memory, *pinned;
  CHECK_CUDA(cudaMallocHost(&pinned, 4));
  *pinned = 7;
  CHECK_CUDA(cudaMallocAsync(&memory, 4, a));
  CHECK_CUDA(cudaLaunchHostFunc(a, Gate::pass, &gate));
  CHECK_CUDA(cudaMemcpyAsync(memory, pinned, 4, cudaMemcpyHostToDevice, a));
  *pinned = 8; // before the copy begins
  CHECK_CUDA(cudaMemcpyAsync(pinned, memory, 4, cudaMemcpyDeviceToHost, a));
  CHECK_CUDA(cudaFreeAsync(memory, a));
  size_t before, after, total;
  CHECK_CUDA(cudaMemGetInfo(&before, &total));
  gate.open();
  CHECK_CUDA(cudaStreamSynchronize(a));
  CHECK_CUDA(cudaMemGetInfo(&after, &total));
  CHECK(*pinned == 8 && after == before + 4);
  CHECK_ERROR(cudaErrorInvalidValue, cudaFreeAsync(memory, a));
}

CASE(streams_callbacks) {
  Stream a;
  static std::atomic<int> calls{0};
  static std::thread::id caller;
  CHECK_CUDA(cudaStreamAddCallback(
      a,
      [](cudaStream_t stream, cudaError_t status, void* data) {
        calls += stream && status == cudaSuccess && data == &calls;
        caller = std::this_thread::get_id();
      },
      &calls, 0));
  CHECK_CUDA(cudaStreamSynchronize(a));
  CHECK(calls == 1 && caller != std::this_thread::get_id());
  CHECK_ERROR(cudaErrorInvalidValue, cudaLaunchHostFunc(a, nullptr, nullptr));
}

CASE(streams_priorities_and_handles) {
  int least, greatest, priority;
  unsigned flags;
  CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest < 0);
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 7));
  CHECK_CUDA(cudaStreamGetPriority(stream, &priority));
  CHECK_CUDA(cudaStreamGetFlags(stream, &flags));
  CHECK(priority == greatest && flags == cudaStreamNonBlocking);
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
  CHECK_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
  CHECK_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  CHECK_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
}

CASE(events_measure_time) {
  cudaEvent_t start, stop;
  float milliseconds = -1;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop, cudaEventBlockingSync));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK_CUDA(cudaEventRecord(start));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_CUDA(cudaEventRecord(stop));
  CHECK_CUDA(cudaEventSynchronize(stop));
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(milliseconds >= 20 && milliseconds < 2000);
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, stop, start));
  CHECK(milliseconds <= -20);
  cudaEvent_t untimed;
  CHECK_CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventRecord(untimed));
  CHECK_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
  CHECK_ERROR(cudaErrorInvalidValue, cudaEventCreateWithFlags(&untimed, 1 << 20));
}

CASE(streams_of_many_threads) {
  std::vector<std::thread> threads;
  int* sums;
  CHECK_CUDA(cudaMallocManaged(&sums, 8 * 100 * sizeof(int)));
  std::memset(sums, 0, 8 * 100 * sizeof(int));
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([=] {
      Stream own;
      for (int i = 0; i != 50; ++i) {
        CHECK_CUDA(launch(append, 1, 1, 0, own, sums + 100 * t, i));
        void* memory;
        CHECK_CUDA(cudaMalloc(&memory, 100 + i));
        CHECK_CUDA(cudaFree(memory));
        CHECK_CUDA(launch(append, 1, 1, 0, nullptr, sums + 700, t)); // one list, in one stream
        if (sums[700] >= 60)
          return;
      }
      CHECK_CUDA(cudaStreamSynchronize(own));
    });
  for (auto& thread : threads)
    thread.join();
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(sums[700] >= 60 && sums[700] < 70);
}

/// Work that waits is queued in the order in which it was begun, whatever thread queues it first.
CASE(streams_that_threads_share) {
  Stream shared(cudaStreamNonBlocking);
  int* count;
  CHECK_CUDA(cudaMallocManaged(&count, sizeof(int)));
  *count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t != 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i != 1000; ++i) {
        if (i % 3 == 0)
          CHECK_CUDA(cudaLaunchHostFunc(shared, [](void*) {}, nullptr));
        CHECK_CUDA(launch(increment, 1, 1, 0, shared, count));
      }
    });
  for (auto& thread : threads)
    thread.join();
  CHECK_CUDA(cudaStreamSynchronize(shared));
  CHECK(*count == 8000);
}

/// What nvcc's --default-stream per-thread asks for.
CASE(streams_of_threads_by_default) {
  cuda_tile_use_stream_of_thread();
  Gate gate;
  int* list = new_list();
  CHECK_CUDA(cudaLaunchHostFunc(nullptr, Gate::pass, &gate));
  CHECK_CUDA(launch(append, 1, 1, 0, nullptr, list, 2)); // waits for the gate
  std::thread([=] {
    CHECK_CUDA(launch(append, 1, 1, 0, nullptr, list, 1)); // does not
    CHECK_CUDA(cudaStreamSynchronize(nullptr));
    CHECK(values_of(list) == std::vector<int>{1});
  }).join();
  CHECK_ERROR(cudaErrorNotReady, cudaStreamQuery(cudaStreamPerThread));
  gate.open();
  CHECK_CUDA(cudaStreamSynchronize(nullptr));
  CHECK(values_of(list) == (std::vector<int>{1, 2}));
}
