// Graphs: work that is done again and again, each piece of it after the ones that it depends on.
#pragma once

#include "stream.h"

#include "cuda_tile/runtime/api.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <variant>

namespace cuda_tile_runtime {

struct Graph;

/// A launch with arguments of its own.
struct KernelCall {
  cudaKernelNodeParams parameters; // whose kernelParams are the addresses below
  std::vector<std::max_align_t> values;
  std::vector<void*> addresses;
};

/// With copies of the arguments of the parameters.
std::shared_ptr<KernelCall> kept_call(const cudaKernelNodeParams& of);

/// Memory that a graph's node allocates: it lives as long as the node and its copies, whatever frees it.
std::shared_ptr<void> memory_of_node(std::size_t bytes);
constexpr unsigned pool_of_graphs = ~0u;

/// What a node was made of, if it is known.
using NodeDetails =
    std::variant<std::monostate, std::shared_ptr<KernelCall>, cudaMemcpy3DParms, cudaMemsetParams,
                 cudaHostNodeParams, std::shared_ptr<Graph>, std::shared_ptr<void>>;

struct Node {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::vector<Function> work;
  NodeDetails details;
  std::vector<Node*> before;    // that it depends on
  const Node* origin = nullptr; // of a copy
  bool is_enabled = true;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;

  Node& add(Node node);
  /// Null if it is not one of the graph's.
  Node* find(const Node* node) const;
  Node* find(cudaGraphNode_t handle) const { return find(reinterpret_cast<const Node*>(handle)); }
  /// The copy of a node in this copy of its graph.
  Node* find_copy(const Node* origin) const;
  /// The nodes in an order that respects their dependencies; fewer if there is a circle.
  std::vector<Node*> sorted() const;
  /// A copy with its nodes in that order; null if there is a circle.
  std::shared_ptr<Graph> copy() const;
  void run() const;
};
using GraphPointer = std::shared_ptr<Graph>;

/// Graphs, or graphs that can be launched, by their handles.
template <typename Handle>
class Graphs {
public:
  static Graphs& all() {
    static auto* const graphs = new Graphs;
    return *graphs;
  }
  Handle add(GraphPointer graph) {
    std::lock_guard lock(mutex_);
    const auto handle = reinterpret_cast<Handle>(graph.get());
    by_handle_.emplace(handle, std::move(graph));
    return handle;
  }
  GraphPointer find(Handle handle) {
    std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? nullptr : found->second;
  }
  GraphPointer remove(Handle handle) {
    std::lock_guard lock(mutex_);
    const auto found = by_handle_.extract(handle);
    return found ? found.mapped() : nullptr;
  }
  /// The graph that a node is of.
  GraphPointer graph_of(const Node* node) {
    std::lock_guard lock(mutex_);
    for (const auto& [handle, graph] : by_handle_)
      if (graph->find(node))
        return graph;
    return nullptr;
  }

private:
  std::mutex mutex_;
  std::map<Handle, GraphPointer> by_handle_;
};

/// What `call(stream)` submits to a stream that captures; throws a Refusal with the error that it returns.
std::vector<Function> captured_work(const std::function<cudaError_t(cudaStream_t)>& call);

} // namespace cuda_tile_runtime
