// Graphs by capture.
#include "program.h"

namespace {

void append_digit(int* to, int value) { *to = *to * 10 + value; }
THREADS(append_digit);

using program::launch;

struct Captured {
  cudaStream_t stream = nullptr;
  int* value = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  Captured() {
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMallocManaged(&value, sizeof(int)));
    *value = 0;
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    CHECK_CUDA(cudaStreamBeginCapture(stream, mode));
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus now;
    CHECK_CUDA(cudaStreamIsCapturing(stream, &now));
    return now;
  }
};

} // namespace

CASE(graphs_launch_what_was_captured) {
  Captured c;
  CHECK(c.status() == cudaStreamCaptureStatusNone);
  c.begin();
  CHECK(c.status() == cudaStreamCaptureStatusActive);
  int digit = 1;
  CHECK_CUDA(launch(append_digit, 1, 1, 0, c.stream, c.value, digit));
  digit = 9; // the graph has its own
  CHECK_CUDA(launch(append_digit, 1, 1, 0, c.stream, c.value, 2));
  CHECK(*c.value == 0);
  CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  CHECK(*c.value == 0 && c.status() == cudaStreamCaptureStatusNone);
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(c.graph, nullptr, &nodes));
  CHECK(nodes == 2);
  CHECK_CUDA(cudaGraphInstantiate(&c.executable, c.graph, 0));
  CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
  CHECK_CUDA(cudaGraphDestroy(c.graph));
  CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
  CHECK_CUDA(cudaStreamSynchronize(c.stream));
  CHECK(*c.value == 1212);
  CHECK_CUDA(cudaGraphExecDestroy(c.executable));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(c.executable, c.stream));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(c.graph));
}

CASE(graphs_of_two_streams) {
  Captured c;
  cudaStream_t other;
  cudaEvent_t fork, join;
  CHECK_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreate(&fork));
  CHECK_CUDA(cudaEventCreate(&join));
  c.begin();
  CHECK_CUDA(launch(append_digit, 1, 1, 0, c.stream, c.value, 1));
  CHECK_CUDA(cudaEventRecord(fork, c.stream));
  CHECK_CUDA(cudaStreamWaitEvent(other, fork, 0));
  CHECK_CUDA(launch(append_digit, 1, 1, 0, other, c.value, 2));
  CHECK_CUDA(cudaMemsetAsync(c.value + 0, 0, 0, other));
  CHECK_CUDA(cudaEventRecord(join, other));
  CHECK_ERROR(cudaErrorCapturedEvent, cudaEventQuery(join));
  CHECK_CUDA(cudaStreamWaitEvent(c.stream, join, 0));
  CHECK_CUDA(launch(append_digit, 1, 1, 0, c.stream, c.value, 3));
  CHECK_ERROR(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &c.graph));
  CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  CHECK_CUDA(cudaGraphInstantiate(&c.executable, c.graph, nullptr, nullptr, 0));
  CHECK_CUDA(cudaGraphLaunch(c.executable, other));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(*c.value == 123);

  c.begin();
  CHECK_CUDA(cudaEventRecord(fork, c.stream));
  CHECK_CUDA(cudaStreamWaitEvent(other, fork, 0));
  CHECK_CUDA(launch(append_digit, 1, 1, 0, other, c.value, 2));
  CHECK_ERROR(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(c.stream, &c.graph));
  CHECK(c.graph == nullptr);
}

CASE(graphs_refuse_what_cannot_be_captured) {
  Captured c;
  void* memory;
  cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
  CHECK_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, relaxed));
  CHECK_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(c.stream, &c.graph));
  c.begin();
  CHECK_ERROR(cudaErrorIllegalState, cudaStreamBeginCapture(c.stream, relaxed));
  CHECK_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 4));
  CHECK(c.status() == cudaStreamCaptureStatusInvalidated);
  CHECK_ERROR(cudaErrorStreamCaptureInvalidated, launch(append_digit, 1, 1, 0, c.stream, c.value, 1));
  CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(c.stream, &c.graph));
  c.begin();
  CHECK_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(c.stream));
  CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(c.stream, &c.graph));
  c.begin(relaxed);
  CHECK_ERROR(cudaErrorStreamCaptureImplicit, launch(append_digit, 1, 1, 0, nullptr, c.value, 1));
  CHECK_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(c.stream, &c.graph));
  c.begin(relaxed);
  CHECK_CUDA(cudaMalloc(&memory, 4));
  CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  CHECK_CUDA(cudaFree(memory));
  CHECK(*c.value == 0);
}

CASE(graphs_update) {
  Captured c;
  const auto capture = [&](int digit) {
    c.begin();
    CHECK_CUDA(launch(append_digit, 1, 1, 0, c.stream, c.value, digit));
    CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  };
  capture(4);
  CHECK_CUDA(cudaGraphInstantiate(&c.executable, c.graph));
  capture(5);
  cudaGraphExecUpdateResultInfo info;
  CHECK_CUDA(cudaGraphExecUpdate(c.executable, c.graph, &info));
  CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
  CHECK_CUDA(cudaStreamSynchronize(c.stream));
  CHECK(*c.value == 5 && info.result == cudaGraphExecUpdateSuccess);
  CHECK_CUDA(cudaGraphCreate(&c.graph, 0));
  CHECK_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(c.executable, c.graph, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
}
