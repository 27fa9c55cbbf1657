// Graphs as a whole: their nodes and edges, copies of them, and launches.
#include "graph.h"

#include "capture.h"
#include "errors.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace cuda_tile_runtime {

Node& Graph::add(Node node) { return *nodes.emplace_back(std::make_unique<Node>(std::move(node))); }

Node* Graph::find(const Node* node) const {
  for (const auto& each : nodes)
    if (each.get() == node)
      return each.get();
  return nullptr;
}

Node* Graph::find_copy(const Node* origin) const {
  for (const auto& each : nodes)
    if (each->origin == origin)
      return each.get();
  return nullptr;
}

std::vector<Node*> Graph::sorted() const {
  std::vector<Node*> done, left;
  for (const auto& node : nodes)
    left.push_back(node.get());
  for (std::size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](Node* node) {
      const bool is_next = std::all_of(node->before.begin(), node->before.end(), [&](const Node* each) {
        return std::find(done.begin(), done.end(), each) != done.end();
      });
      if (is_next)
        done.push_back(node);
      return is_next;
    });
  }
  return done;
}

GraphPointer Graph::copy() const {
  auto made = std::make_shared<Graph>();
  const std::vector<Node*> order = sorted();
  if (order.size() != nodes.size())
    return nullptr;
  for (const Node* const node : order) {
    Node& added = made->add(*node);
    added.origin = node;
    for (Node*& each : added.before)
      each = made->find_copy(each);
  }
  return made;
}

void Graph::run() const {
  for (const auto& node : nodes)
    if (node->is_enabled)
      for (const Function& work : node->work)
        work();
}

namespace {

auto& graphs() { return Graphs<cudaGraph_t>::all(); }
auto& executables() { return Graphs<cudaGraphExec_t>::all(); }

cudaGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
}

/// Calls `use(graph)` for the graph of a handle.
template <typename Use>
cudaError_t with_graph(cudaGraph_t handle, Use use) {
  return call([&] {
    const GraphPointer graph = graphs().find(handle);
    return graph ? use(*graph) : cudaErrorInvalidValue;
  });
}

/// Calls `use(graph, node)` for a node and the graph that it is of.
template <typename Use>
cudaError_t with_node(cudaGraphNode_t handle, Use use) {
  return call([&] {
    const GraphPointer graph = graphs().graph_of(reinterpret_cast<const Node*>(handle));
    return graph ? use(*graph, *graph->find(handle)) : cudaErrorInvalidValue;
  });
}

/// Writes as many of the values as there is room for, and how many there are; without room, the number alone.
template <typename T>
cudaError_t give_list(const std::vector<T>& values, T* to, size_t* count) {
  if (!count)
    return cudaErrorInvalidValue;
  if (to)
    for (std::size_t i = 0; i != *count; ++i)
      to[i] = i < values.size() ? values[i] : T{};
  *count = to ? std::min(*count, values.size()) : values.size();
  return cudaSuccess;
}

template <typename Condition>
cudaError_t give_nodes(const Graph& graph, cudaGraphNode_t* nodes, size_t* count, Condition is_wanted) {
  std::vector<cudaGraphNode_t> handles;
  for (const auto& node : graph.nodes)
    if (is_wanted(*node))
      handles.push_back(handle_of(node.get()));
  return give_list(handles, nodes, count);
}

bool depends_on(const Node& node, const Node& other) {
  return std::find(node.before.begin(), node.before.end(), &other) != node.before.end();
}

/// Whether two graphs have the same nodes but for their parameters.
bool is_alike(const Graph& a, const Graph& b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const auto& x, const auto& y) { return x->type == y->type; });
}

} // namespace

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call([&] {
    if (!graph || flags != 0)
      return cudaErrorInvalidValue;
    *graph = graphs().add(std::make_shared<Graph>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] { return graphs().remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return with_graph(original, [&](const Graph& graph) {
    const GraphPointer made = graph.copy();
    return clone && made ? give(clone, graphs().add(made)) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return with_graph(clone, [&](const Graph& graph) {
    const Node* const found = graph.find_copy(reinterpret_cast<const Node*>(original));
    return found ? give(node, handle_of(found)) : cudaErrorInvalidValue;
  });
}

// ---- nodes and edges -------------------------------------------------------------------------------------

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(
      graph, [&](const Graph& of) { return give_nodes(of, nodes, count, [](const Node&) { return true; }); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(graph, [&](const Graph& of) {
    return give_nodes(of, nodes, count, [](const Node& node) { return node.before.empty(); });
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
  return with_graph(graph, [&](const Graph& of) {
    std::vector<cudaGraphNode_t> begins, ends;
    for (const auto& node : of.nodes)
      for (const Node* const before : node->before) {
        begins.push_back(handle_of(before));
        ends.push_back(handle_of(node.get()));
      }
    if (!count || (from == nullptr) != (to == nullptr))
      return cudaErrorInvalidValue;
    std::size_t room = *count;
    if (data && from)
      std::fill_n(data, std::min(room, ends.size()), cudaGraphEdgeData{});
    give_list(begins, from, count);
    return give_list(ends, to, from ? &room : count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return with_node(node, [&](Graph&, const Node& of) { return give(type, of.type); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
  return with_node(node, [&](const Graph& graph, const Node& of) {
    if (data && nodes && count)
      std::fill_n(data, std::min(*count, of.before.size()), cudaGraphEdgeData{});
    return give_nodes(graph, nodes, count, [&](const Node& each) { return depends_on(of, each); });
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* count) {
  return with_node(node, [&](const Graph& graph, const Node& of) {
    if (data && nodes && count)
      std::fill_n(data, *count, cudaGraphEdgeData{});
    return give_nodes(graph, nodes, count, [&](const Node& each) { return depends_on(each, of); });
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return with_graph(graph, [&](Graph& of) {
    for (std::size_t i = 0; i != count; ++i) {
      Node *const before = from && to ? of.find(from[i]) : nullptr, *const after =
                                                                        before ? of.find(to[i]) : nullptr;
      if (!after || before == after || depends_on(*after, *before))
        return cudaErrorInvalidValue;
      after->before.push_back(before);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return with_graph(graph, [&](Graph& of) {
    for (std::size_t i = 0; i != count; ++i) {
      Node* const after = from && to ? of.find(to[i]) : nullptr;
      if (!after || std::erase(after->before, of.find(from[i])) == 0)
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return with_node(node, [](Graph& graph, Node& of) {
    for (const auto& each : graph.nodes)
      std::erase(each->before, &of);
    std::erase_if(graph.nodes, [&](const auto& each) { return each.get() == &of; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return with_graph(graph, [&](const Graph& of) {
    if (!path)
      return cudaErrorInvalidValue;
    static constexpr const char* types[] = {"kernel", "memcpy", "memset", "host", "graph", "empty"};
    std::ofstream file(path);
    file << "digraph {\n";
    for (const auto& node : of.nodes) {
      const auto type = static_cast<std::size_t>(node->type);
      file << "  \"" << node.get() << "\" [label=\"" << (type < std::size(types) ? types[type] : "memory")
           << "\"];\n";
      for (const Node* const before : node->before)
        file << "  \"" << before << "\" -> \"" << node.get() << "\";\n";
    }
    file << "}\n";
    return file.flush() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

// ---- graphs that can be launched -------------------------------------------------------------------------

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return with_graph(graph, [&](const Graph& of) {
    const GraphPointer made = of.copy();
    return executable && made ? give(executable, executables().add(made)) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return call([&] {
    const auto before = executables().find(executable);
    const auto after = graphs().find(graph);
    const GraphPointer made = after ? after->copy() : nullptr;
    if (!before || !made || !result)
      return cudaErrorInvalidValue;
    *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    if (!is_alike(*before, *made)) {
      result->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    before->nodes.swap(made->nodes);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&] { return executables().remove(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    const GraphPointer graph = executables().find(executable);
    if (!graph)
      return cudaErrorInvalidValue;
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    submit(stream, Where::anywhere, cudaGraphNodeTypeGraph, [graph] { graph->run(); });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t handle) {
  return call([&] {
    if (!find_stream(handle))
      return cudaErrorInvalidResourceHandle;
    return executables().find(executable) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled) {
  return call([&] {
    const GraphPointer graph = executables().find(executable);
    Node* const found = graph ? graph->find_copy(reinterpret_cast<const Node*>(node)) : nullptr;
    if (!found)
      return cudaErrorInvalidValue;
    found->is_enabled = is_enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* is_enabled) {
  return call([&] {
    const GraphPointer graph = executables().find(executable);
    const Node* const found = graph ? graph->find_copy(reinterpret_cast<const Node*>(node)) : nullptr;
    return found ? give(is_enabled, unsigned{found->is_enabled}) : cudaErrorInvalidValue;
  });
}
}
