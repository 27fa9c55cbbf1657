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
  cudaGraphNode_t none;
  CHECK_CUDA(cudaGraphExecUpdate(c.executable, c.graph, &none, &info.result)); // of CUDA 11
  CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
  CHECK_CUDA(cudaStreamSynchronize(c.stream));
  CHECK(*c.value == 5 && info.result == cudaGraphExecUpdateSuccess);
  CHECK_CUDA(cudaGraphCreate(&c.graph, 0));
  CHECK_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(c.executable, c.graph, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
}

namespace {

void add_up(int* sum, const int* values, int n) {
  for (int i = 0; i != n; ++i)
    *sum += values[i];
}
THREADS(add_up);

cudaKernelNodeParams call_of(void** arguments) {
  return {reinterpret_cast<void*>(add_up), dim3(1), dim3(1), 0, arguments, nullptr};
}

} // namespace

CASE(graphs_of_single_nodes) {
  int *device, *sum, n = 4, found = 0;
  int values[] = {1, 2, 3, 4};
  const auto other = reinterpret_cast<cudaGraphNode_t>(values);
  CHECK_CUDA(cudaMalloc(&device, sizeof values));
  CHECK_CUDA(cudaMallocManaged(&sum, sizeof(int)));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t copy, fill, kernel, host, back, none;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  const cudaMemsetParams zero{sum, 0, 10, 4, 1, 1};
  void* arguments[] = {&sum, &device, &n};
  cudaKernelNodeParams call = call_of(arguments);
  static int calls = 0;
  const cudaHostNodeParams count{[](void* by) { calls += *static_cast<int*>(by); }, &n};
  // Added before what they depend on.
  CHECK_CUDA(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &call));
  CHECK_CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, device, values, sizeof values,
                                      cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, graph, &copy, 1, &zero));
  CHECK_CUDA(cudaGraphAddDependencies(graph, &fill, &kernel, 1));
  CHECK_CUDA(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  CHECK_ERROR(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/dev/null/none", 0));
  CHECK_CUDA(cudaGraphAddHostNode(&host, graph, &kernel, 1, &count));
  CHECK_CUDA(
      cudaGraphAddMemcpyNode1D(&back, graph, &host, 1, &found, sum, sizeof found, cudaMemcpyDeviceToHost));
  const int three = n = 3;
  CHECK(three == 3 && *sum == 0); // nothing was done; the launch has its own arguments
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &fill, &kernel, 1));
  CHECK_ERROR(cudaErrorInvalidValue,
              cudaGraphAddMemcpyNode1D(&none, graph, nullptr, 0, device, values, 17, cudaMemcpyHostToDevice));
  call.gridDim = dim3(0);
  CHECK_ERROR(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&none, graph, nullptr, 0, &call));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&none, graph, &other, 1));
  size_t nodes = 0, roots = 1, edges = 0;
  cudaGraphNode_t root, before;
  cudaGraphNodeType type;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK_CUDA(cudaGraphGetRootNodes(graph, &root, &roots));
  CHECK_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  CHECK(nodes == 5 && roots == 1 && root == copy && edges == 4);
  CHECK_CUDA(cudaGraphNodeGetDependencies(kernel, &before, &roots));
  CHECK_CUDA(cudaGraphNodeGetType(before, &type));
  CHECK(before == fill && type == cudaGraphNodeTypeMemset);
  cudaKernelNodeParams known;
  CHECK_CUDA(cudaGraphKernelNodeGetParams(kernel, &known));
  CHECK(*static_cast<int*>(known.kernelParams[2]) == 4 && known.gridDim.x == 1);

  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(found == 20 && calls == 3);
  // Of the executable graph alone: other arguments, and a node less.
  call = call_of(arguments);
  CHECK_CUDA(cudaGraphExecKernelNodeSetParams(executable, kernel, &call));
  CHECK_CUDA(cudaGraphNodeSetEnabled(executable, host, 0));
  CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(found == 16 && calls == 3);
  CHECK_CUDA(cudaGraphExecDestroy(executable));

  cudaGraph_t clone, outer;
  cudaGraphNode_t inside, of_clone;
  CHECK_CUDA(cudaGraphClone(&clone, graph));
  CHECK_CUDA(cudaGraphNodeFindInClone(&of_clone, fill, clone));
  const cudaMemsetParams hundred{sum, 0, 100, 4, 1, 1};
  CHECK_CUDA(cudaGraphMemsetNodeSetParams(of_clone, &hundred));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphNodeGetType(fill, &type));
  CHECK_CUDA(cudaGraphCreate(&outer, 0));
  CHECK_CUDA(cudaGraphAddChildGraphNode(&inside, outer, nullptr, 0, clone));
  CHECK_CUDA(cudaGraphInstantiate(&executable, outer, nullptr, nullptr, 0));
  CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(found == 110 && calls == 6);
}

CASE(graphs_refuse_circles) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t a, b;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  CHECK_CUDA(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  CHECK_CUDA(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  CHECK_CUDA(cudaGraphAddDependencies(graph, &b, &a, 1));
  CHECK_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&executable, graph, 0));
  CHECK_CUDA(cudaGraphRemoveDependencies(graph, &b, &a, 1));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_CUDA(cudaGraphDestroyNode(a));
  size_t count = 9;
  CHECK_CUDA(cudaGraphGetRootNodes(graph, nullptr, &count));
  CHECK(count == 1);
}

CASE(graphs_own_memory) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t memory, fill, end;
  CHECK_CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams of{};
  of.type = cudaGraphNodeTypeMemAlloc;
  of.alloc.bytesize = 64;
  CHECK_CUDA(cudaGraphAddNode(&memory, graph, nullptr, 0, &of));
  void* const place = of.alloc.dptr;
  const cudaMemsetParams halves{place, 32, 0x1234, 2, 4, 2};
  CHECK_CUDA(cudaGraphAddMemsetNode(&fill, graph, &memory, 1, &halves));
  CHECK_CUDA(cudaGraphAddMemFreeNode(&end, graph, &fill, 1, place));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
  short found[20] = {};
  CHECK_CUDA(cudaMemcpy(found, place, 40, cudaMemcpyDeviceToHost));
  CHECK(found[0] == 0x1234 && found[3] == 0x1234 && found[16] == 0x1234 && found[19] == 0x1234);
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_ERROR(cudaErrorInvalidValue, cudaMemset(place, 0, 1));
}

CASE(graphs_know_what_was_captured) {
  Captured c;
  int copied = 5;
  c.begin();
  CHECK_CUDA(launch(append_digit, 1, 2, 0, c.stream, c.value, 1));
  CHECK_CUDA(cudaMemsetAsync(c.value, 7, 4, c.stream));
  CHECK_CUDA(cudaMemcpyAsync(&copied, c.value, 4, cudaMemcpyDeviceToHost, c.stream));
  CHECK_CUDA(cudaLaunchHostFunc(c.stream, [](void*) {}, &copied));
  CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  cudaGraphNode_t nodes[4];
  size_t count = 4;
  CHECK_CUDA(cudaGraphGetNodes(c.graph, nodes, &count));
  const cudaGraphNodeType wanted[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemset,
                                      cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeHost};
  for (int i = 0; i != 4; ++i) {
    cudaGraphNodeType type;
    CHECK_CUDA(cudaGraphNodeGetType(nodes[i], &type));
    CHECK(type == wanted[i]);
  }
  cudaKernelNodeParams kernel;
  CHECK_CUDA(cudaGraphKernelNodeGetParams(nodes[0], &kernel));
  CHECK(kernel.func == reinterpret_cast<void*>(append_digit) && kernel.blockDim.x == 2);
  CHECK(*static_cast<int**>(kernel.kernelParams[0]) == c.value);
  CHECK(*static_cast<int*>(kernel.kernelParams[1]) == 1);
  cudaMemsetParams fill;
  CHECK_CUDA(cudaGraphMemsetNodeGetParams(nodes[1], &fill));
  CHECK(fill.dst == c.value && fill.value == 7 && fill.elementSize == 1 && fill.width == 4);
  cudaMemcpy3DParms copy;
  CHECK_CUDA(cudaGraphMemcpyNodeGetParams(nodes[2], &copy));
  CHECK(copy.srcPtr.ptr == c.value && copy.dstPtr.ptr == &copied && copy.extent.width == 4);
  CHECK(copy.kind == cudaMemcpyDeviceToHost);
  cudaHostNodeParams host;
  CHECK_CUDA(cudaGraphHostNodeGetParams(nodes[3], &host));
  CHECK(host.fn && host.userData == &copied);

  CHECK_CUDA(cudaGraphInstantiate(&c.executable, c.graph, 0));
  int digit = 3;
  void* arguments[] = {&c.value, &digit};
  kernel.kernelParams = arguments;
  fill.value = 0;
  CHECK_CUDA(cudaGraphExecKernelNodeSetParams(c.executable, nodes[0], &kernel));
  CHECK_CUDA(cudaGraphExecMemsetNodeSetParams(c.executable, nodes[1], &fill));
  CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
  CHECK_CUDA(cudaStreamSynchronize(c.stream));
  CHECK(copied == 0);
}

CASE(graphs_keep_the_memory_that_they_allocate) {
  Captured c;
  int *memory, found = 0;
  c.begin();
  CHECK_CUDA(cudaMallocAsync(&memory, sizeof(int), c.stream));
  CHECK_CUDA(cudaMemsetAsync(memory, 1, sizeof(int), c.stream));
  CHECK_CUDA(cudaMemcpyAsync(&found, memory, sizeof(int), cudaMemcpyDeviceToHost, c.stream));
  CHECK_CUDA(cudaFreeAsync(memory, c.stream));
  CHECK_CUDA(cudaStreamEndCapture(c.stream, &c.graph));
  std::size_t nodes = 4;
  cudaGraphNode_t all[4];
  cudaGraphNodeType type;
  CHECK_CUDA(cudaGraphGetNodes(c.graph, all, &nodes));
  CHECK_CUDA(cudaGraphNodeGetType(all[0], &type));
  CHECK(nodes == 4 && type == cudaGraphNodeTypeMemAlloc);
  CHECK_CUDA(cudaGraphInstantiate(&c.executable, c.graph));
  CHECK_CUDA(cudaGraphDestroy(c.graph));
  for (int i = 0; i != 2; ++i) {
    found = 0;
    CHECK_CUDA(cudaGraphLaunch(c.executable, c.stream));
    CHECK_CUDA(cudaStreamSynchronize(c.stream));
    CHECK(found == 0x01010101);
    CHECK_CUDA(cudaFree(memory)); // as of a graph that leaves this to others
  }
  CHECK_CUDA(cudaGraphExecDestroy(c.executable));
  CHECK_ERROR(cudaErrorInvalidValue, cudaFree(memory));
}
