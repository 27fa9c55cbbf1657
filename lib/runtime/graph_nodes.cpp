// Nodes of graphs that are added one by one, and what they do.
#include "graph.h"

#include "copy.h"
#include "errors.h"
#include "launch.h"
#include "memory_table.h"

#include <cstring>

namespace cuda_tile_runtime {

std::shared_ptr<KernelCall> kept_call(const cudaKernelNodeParams& of) {
  auto kept = std::make_shared<KernelCall>();
  kept->parameters = of;
  const cuda_tile_program_kernel& kernel = kernel_of(of.func)->compiled;
  const std::vector<std::size_t> offsets = parameter_offsets(kernel);
  kept->values.resize(offsets.back() / sizeof(std::max_align_t) + 1);
  for (unsigned i = 0; i != kernel.parameter_count; ++i) {
    kept->addresses.push_back(reinterpret_cast<char*>(kept->values.data()) + offsets[i]);
    std::memcpy(kept->addresses[i], of.kernelParams[i], kernel.parameters[i].size);
  }
  kept->parameters.kernelParams = kept->addresses.data();
  return kept;
}

std::shared_ptr<void> memory_of_node(std::size_t bytes) {
  void* const memory = MemoryTable::instance().allocate(bytes, Kind::device, pool_of_graphs);
  if (!memory)
    throw Refusal{cudaErrorMemoryAllocation};
  return {memory, [](void* pointer) {
            MemoryTable::instance().free(pointer, [](Kind kind) { return kind == Kind::device; });
          }};
}

namespace {

/// Sets what a node does, from parameters of its type.
void set(Node& node, const cudaKernelNodeParams& of) {
  node.work = captured_work([&](cudaStream_t stream) {
    return cudaLaunchKernel(static_cast<const void*>(of.func), of.gridDim, of.blockDim, of.kernelParams,
                            of.sharedMemBytes, stream);
  });
  node.details = kept_call(of);
}

void set(Node& node, const cudaMemcpy3DParms& of) {
  node.work = captured_work([&](cudaStream_t stream) { return cudaMemcpy3DAsync(&of, stream); });
  node.details = of;
}

void set(Node& node, const cudaMemsetParams& of) {
  const std::size_t bytes = of.elementSize * of.width;
  if (of.elementSize != 1 && of.elementSize != 2 && of.elementSize != 4)
    throw Refusal{cudaErrorInvalidValue};
  const std::size_t pitch = of.height > 1 ? of.pitch : bytes; // a single row may have any
  node.work = captured_work([&](cudaStream_t stream) {
    return fill({of.dst, pitch, of.height}, of.value, {bytes, of.height, 1}, stream, of.elementSize);
  });
  node.details = of;
}

void set(Node& node, const cudaHostNodeParams& of) {
  if (!of.fn)
    throw Refusal{cudaErrorInvalidValue};
  node.work = {[=] { of.fn(of.userData); }};
  node.details = of;
}

template <typename Parameters>
constexpr cudaGraphNodeType type_of = cudaGraphNodeTypeEmpty;
template <>
constexpr cudaGraphNodeType type_of<cudaKernelNodeParams> = cudaGraphNodeTypeKernel;
template <>
constexpr cudaGraphNodeType type_of<cudaMemcpy3DParms> = cudaGraphNodeTypeMemcpy;
template <>
constexpr cudaGraphNodeType type_of<cudaMemsetParams> = cudaGraphNodeTypeMemset;
template <>
constexpr cudaGraphNodeType type_of<cudaHostNodeParams> = cudaGraphNodeTypeHost;

/// Adds a node that `fill(node)` fills.
template <typename Fill>
cudaError_t add(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                Fill fill) {
  return call([&] {
    const GraphPointer of = Graphs<cudaGraph_t>::all().find(graph);
    if (!of || !handle || (count != 0 && !before))
      return cudaErrorInvalidValue;
    Node node;
    for (std::size_t i = 0; i != count; ++i) {
      Node* const each = of->find(before[i]);
      if (!each)
        return cudaErrorInvalidValue;
      node.before.push_back(each);
    }
    fill(node);
    *handle = reinterpret_cast<cudaGraphNode_t>(&of->add(std::move(node)));
    return cudaSuccess;
  });
}

template <typename Parameters>
cudaError_t add(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                const Parameters* parameters) {
  return parameters ? add(handle, graph, before, count,
                          [&](Node& node) {
                            node.type = type_of<Parameters>;
                            set(node, *parameters);
                          })
                    : note(cudaErrorInvalidValue);
}

Node* node_of(cudaGraphNode_t handle) {
  const GraphPointer graph = Graphs<cudaGraph_t>::all().graph_of(reinterpret_cast<const Node*>(handle));
  return graph ? graph->find(handle) : nullptr;
}
Node* node_of(cudaGraphExec_t executable, cudaGraphNode_t handle) {
  const GraphPointer graph = Graphs<cudaGraphExec_t>::all().find(executable);
  return graph ? graph->find_copy(reinterpret_cast<const Node*>(handle)) : nullptr;
}

template <typename Parameters>
cudaError_t change(Node* node, const Parameters* parameters) {
  return call([&] {
    if (!node || !parameters || node->type != type_of<Parameters>)
      return cudaErrorInvalidValue;
    set(*node, *parameters);
    return cudaSuccess;
  });
}

template <typename Parameters>
cudaError_t give_details(cudaGraphNode_t handle, Parameters* to) {
  return call([&] {
    const Node* const node = node_of(handle);
    const auto* const details = node ? std::get_if<Parameters>(&node->details) : nullptr;
    return details ? give(to, *details) : cudaErrorInvalidValue;
  });
}

cudaMemcpy3DParms one_row(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms row{};
  row.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  row.dstPtr = {to, bytes, bytes, 1};
  row.extent = {bytes, 1, 1};
  row.kind = kind;
  return row;
}

} // namespace

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  size_t count) {
  return add(node, graph, before, count, [](Node&) {});
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaKernelNodeParams* parameters) {
  return add(node, graph, before, count, parameters);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemcpy3DParms* parameters) {
  return add(node, graph, before, count, parameters);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, void* destination, const void* source, size_t bytes,
                                     cudaMemcpyKind kind) {
  const cudaMemcpy3DParms row = one_row(destination, source, bytes, kind);
  return add(node, graph, before, count, &row);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemsetParams* parameters) {
  return add(node, graph, before, count, parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                 size_t count, const cudaHostNodeParams* parameters) {
  return add(node, graph, before, count, parameters);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, size_t count, cudaGraph_t child) {
  return add(node, graph, before, count, [&](Node& made) {
    const GraphPointer of = Graphs<cudaGraph_t>::all().find(child),
                       copy = of && child != graph ? of->copy() : nullptr;
    if (!copy)
      throw Refusal{cudaErrorInvalidValue};
    made.type = cudaGraphNodeTypeGraph;
    made.work = {[copy] { copy->run(); }};
    made.details = copy;
  });
}

/// The memory has its address at once, and is freed with the last graph that has the node.
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, cudaMemAllocNodeParams* parameters) {
  return add(node, graph, before, count, [&](Node& made) {
    if (!parameters)
      throw Refusal{cudaErrorInvalidValue};
    auto memory = memory_of_node(parameters->bytesize);
    parameters->dptr = memory.get();
    made.type = cudaGraphNodeTypeMemAlloc;
    made.details = std::move(memory);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    size_t count, void* pointer) {
  return add(node, graph, before, count, [&](Node& made) {
    if (!MemoryTable::instance().find(pointer))
      throw Refusal{cudaErrorInvalidValue};
    made.type = cudaGraphNodeTypeMemFree;
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* parameters) {
  if (!parameters)
    return note(cudaErrorInvalidValue);
  switch (parameters->type) {
  case cudaGraphNodeTypeEmpty:
    return cudaGraphAddEmptyNode(node, graph, before, count);
  case cudaGraphNodeTypeKernel:
    return cudaGraphAddKernelNode(node, graph, before, count, &parameters->kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphAddMemcpyNode(node, graph, before, count, &parameters->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return cudaGraphAddMemsetNode(node, graph, before, count, &parameters->memset);
  case cudaGraphNodeTypeHost:
    return cudaGraphAddHostNode(node, graph, before, count, &parameters->host);
  case cudaGraphNodeTypeGraph:
    return cudaGraphAddChildGraphNode(node, graph, before, count, parameters->graph.graph);
  case cudaGraphNodeTypeMemAlloc:
    return cudaGraphAddMemAllocNode(node, graph, before, count, &parameters->alloc);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphAddMemFreeNode(node, graph, before, count, parameters->free.dptr);
  default:
    return not_supported("cudaGraphAddNode for events, semaphores and conditions");
  }
}

// ---- what nodes do ---------------------------------------------------------------------------------------

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  std::shared_ptr<KernelCall> kept;
  const cudaError_t error = give_details(node, &kept);
  return error == cudaSuccess ? note(give(parameters, kept->parameters)) : error;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return give_details(node, parameters);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return give_details(node, parameters);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return give_details(node, parameters);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return change(node_of(node), parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return change(node_of(node), parameters);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return change(node_of(node), parameters);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return change(node_of(node), parameters);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return change(node_of(executable, node), parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change(node_of(executable, node), parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               void* destination, const void* source, size_t bytes,
                                               cudaMemcpyKind kind) {
  const cudaMemcpy3DParms row = one_row(destination, source, bytes, kind);
  return change(node_of(executable, node), &row);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change(node_of(executable, node), parameters);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change(node_of(executable, node), parameters);
}
}
