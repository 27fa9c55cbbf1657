// Graphs: work that was captured, to be launched as often as wanted.
#include "capture.h"
#include "errors.h"

namespace cuda_tile_runtime {

namespace {

/// Graphs, or graphs that can be launched, by their handles.
template <typename Handle>
class Graphs {
public:
  Handle add(Nodes nodes) {
    auto graph = std::make_shared<const Nodes>(std::move(nodes));
    std::lock_guard lock(mutex_);
    const auto handle = reinterpret_cast<Handle>(const_cast<Nodes*>(graph.get()));
    by_handle_.emplace(handle, std::move(graph));
    return handle;
  }
  std::shared_ptr<const Nodes> find(Handle handle) {
    std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    return found == by_handle_.end() ? nullptr : found->second;
  }
  bool set(Handle handle, Nodes nodes) {
    std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end())
      return false;
    kept_.push_back(found->second); // for its address, which stays the handle
    found->second = std::make_shared<const Nodes>(std::move(nodes));
    return true;
  }
  bool remove(Handle handle) {
    std::lock_guard lock(mutex_);
    return by_handle_.erase(handle) != 0;
  }

private:
  std::mutex mutex_;
  std::map<Handle, std::shared_ptr<const Nodes>> by_handle_;
  std::vector<std::shared_ptr<const Nodes>> kept_;
};

auto& graphs() {
  static auto* const all = new Graphs<cudaGraph_t>;
  return *all;
}
auto& executables() {
  static auto* const all = new Graphs<cudaGraphExec_t>;
  return *all;
}

} // namespace

cudaGraph_t add_graph(Nodes nodes) { return graphs().add(std::move(nodes)); }

} // namespace cuda_tile_runtime

using namespace cuda_tile_runtime;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call([&] {
    if (!graph || flags != 0)
      return cudaErrorInvalidValue;
    *graph = graphs().add({});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&] { return graphs().remove(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&] {
    const auto found = graphs().find(graph);
    if (!found || !count)
      return cudaErrorInvalidValue;
    if (nodes)
      return not_supported("cudaGraphGetNodes for more than their number");
    *count = found->size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return call([&] {
    const auto found = graphs().find(graph);
    if (!found || !executable)
      return cudaErrorInvalidValue;
    *executable = executables().add(*found);
    return cudaSuccess;
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
    if (!before || !after || !result)
      return cudaErrorInvalidValue;
    *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
    if (before->size() != after->size()) {
      result->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    executables().set(executable, *after);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&] { return executables().remove(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return call([&] {
    const StreamPointer stream = find_stream(handle);
    const auto nodes = executables().find(executable);
    if (!nodes)
      return cudaErrorInvalidValue;
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    submit(stream, Where::anywhere, [nodes] {
      for (const Function& node : *nodes)
        node();
    });
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
}
