// Graphs as a whole, and what is in them.
#include "graph_support.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

namespace oriel::emulator::cuda {

namespace {

CUgraphNodeType type_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::kKernel:
      return CU_GRAPH_NODE_TYPE_KERNEL;
    case NodeKind::kCopy:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case NodeKind::kFill:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case NodeKind::kHost:
      return CU_GRAPH_NODE_TYPE_HOST;
    case NodeKind::kChild:
      return CU_GRAPH_NODE_TYPE_GRAPH;
    case NodeKind::kEmpty:
      return CU_GRAPH_NODE_TYPE_EMPTY;
    case NodeKind::kWaitEvent:
      return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    case NodeKind::kRecordEvent:
      return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    case NodeKind::kAllocate:
      return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    case NodeKind::kFree:
      return CU_GRAPH_NODE_TYPE_MEM_FREE;
  }
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

/// How lists are given out: with no array only their length; else as many as there is room for, the
/// rest of the room null, and the number of those written.
class Listing {
 public:
  Listing(size_t* count, bool only_count) noexcept
      : room_(only_count || count == nullptr ? 0 : *count), count_(count), counts_(only_count) {}

  /// Whether the next entry is written, and where.
  [[nodiscard]] bool take(size_t& at) noexcept {
    at = written_++;
    return !counts_ && at < room_;
  }
  /// After the last: whether place `at` is still to be nulled.
  [[nodiscard]] bool pad(size_t& at) noexcept {
    at = padded_ < written_ ? padded_ = written_ : padded_;
    ++padded_;
    return !counts_ && at < room_;
  }
  void finish() const noexcept { *count_ = counts_ ? written_ : std::min(written_, room_); }

 private:
  size_t room_;
  size_t* count_;
  bool counts_;
  size_t written_ = 0;
  size_t padded_ = 0;
};

struct EdgeArrays {
  CUgraphNode* from = nullptr;
  CUgraphNode* to = nullptr;
  CUgraphEdgeData* data = nullptr;
};

Situation list_edges(Caller& caller, CUgraph handle, const EdgeArrays& arrays, size_t* count) {
  Graph* graph = nullptr;
  if (count == nullptr || (arrays.from == nullptr) != (arrays.to == nullptr)) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  Listing listing(count, arrays.from == nullptr);
  size_t at = 0;
  for (const auto& node : graph->nodes) {
    for (const Edge& edge : node->dependencies) {
      if (!listing.take(at)) {
        continue;
      }
      if (edge.data != 0 && arrays.data == nullptr) {
        return Situation::kEdgeDataLost;
      }
      arrays.from[at] = to_vendor<CUgraphNode>(edge.node->handle);
      arrays.to[at] = to_vendor<CUgraphNode>(node->handle);
      if (arrays.data != nullptr) {
        arrays.data[at] = to_edge_data(edge.data);
      }
    }
  }
  while (listing.pad(at)) {
    arrays.from[at] = nullptr;
    arrays.to[at] = nullptr;
  }
  listing.finish();
  return Situation::kSuccess;
}

Situation list_dependencies(
    Caller& caller, CUgraphNode handle, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count) {
  Node* node = nullptr;
  if (count == nullptr || (data != nullptr && nodes == nullptr)) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.nodes, handle, node);
      failed(situation)) {
    return situation;
  }
  Listing listing(count, nodes == nullptr);
  size_t at = 0;
  for (const Edge& edge : node->dependencies) {
    if (!listing.take(at)) {
      continue;
    }
    if (edge.data != 0 && data == nullptr) {
      return Situation::kEdgeDataLost;
    }
    nodes[at] = to_vendor<CUgraphNode>(edge.node->handle);
    if (data != nullptr) {
      data[at] = to_edge_data(edge.data);
    }
  }
  while (listing.pad(at)) {
    nodes[at] = nullptr;
  }
  listing.finish();
  return Situation::kSuccess;
}

const char* label_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kKernel:
      return std::get<KernelWork>(node.work->what).kernel->name.c_str();
    case NodeKind::kCopy:
      return "memcpy";
    case NodeKind::kFill:
      return "memset";
    case NodeKind::kHost:
      return "host";
    case NodeKind::kChild:
      return "graph";
    case NodeKind::kEmpty:
      return "empty";
    case NodeKind::kWaitEvent:
      return "wait event";
    case NodeKind::kRecordEvent:
      return "record event";
    case NodeKind::kAllocate:
      return "alloc";
    case NodeKind::kFree:
      return "free";
  }
  return "";
}

std::string to_dot(const Graph& graph) {
  std::string text = "digraph dot {\n";
  for (const auto& node : graph.nodes) {
    const std::string name = "\"node_" + std::to_string(node->index) + "\"";
    text += "  " + name + " [label=\"" + label_of(*node) + "\"];\n";
    for (const Edge& edge : node->dependencies) {
      text += "  \"node_" + std::to_string(edge.node->index) + "\" -> " + name + ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace

ORIEL_CUDA_CALL(cuGraphCreate, kContext, (CUgraph * out, unsigned int flags), (out, flags)) {
  if (out == nullptr || flags != 0) {
    return Situation::kInvalidValue;
  }
  auto graph = std::make_shared<Graph>();
  graph->context = caller.context;
  *out = to_vendor<CUgraph>(caller.machine.graphs.insert(std::move(graph)));
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphDestroy, kRelease, (CUgraph handle), (handle)) {
  std::shared_ptr<Graph> graph;
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  if (graph->capture != nullptr) {
    return Situation::kGraphOfCapture;
  }
  if (graph->parent != nullptr) {
    caller.violate("destroyed a child graph, which belongs to its node");
    return Situation::kInvalidValue;
  }
  caller.owner = graph->context;
  destroy_graph(caller.machine, *graph);
  graph.reset();
  collect_memory(caller.machine);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphClone, kContext, (CUgraph * out, CUgraph handle), (out, handle)) {
  Graph* graph = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  if (has_memory_nodes(*graph)) {
    return Situation::kNotSupported;
  }
  *out = to_vendor<CUgraph>(clone(caller.machine, *graph)->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphGetNodes,
                kContext,
                (CUgraph handle, CUgraphNode* nodes, size_t* count),
                (handle, nodes, count)) {
  Graph* graph = nullptr;
  if (count == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  Listing listing(count, nodes == nullptr);
  size_t at = 0;
  for (const auto& node : graph->nodes) {
    if (listing.take(at)) {
      nodes[at] = to_vendor<CUgraphNode>(node->handle);
    }
  }
  while (listing.pad(at)) {
    nodes[at] = nullptr;
  }
  listing.finish();
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphGetEdges,
                kContext,
                (CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count),
                (graph, from, to, count)) {
  return list_edges(caller, graph, {from, to, nullptr}, count);
}

ORIEL_CUDA_CALL(
    cuGraphGetEdges_v2,
    kContext,
    (CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count),
    (graph, from, to, data, count)) {
  return list_edges(caller, graph, {from, to, data}, count);
}

ORIEL_CUDA_CALL(cuGraphNodeGetType,
                kContext,
                (CUgraphNode handle, CUgraphNodeType* type),
                (handle, type)) {
  Node* node = nullptr;
  if (type == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.nodes, handle, node);
  if (!failed(situation)) {
    *type = type_of(node->kind);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuGraphNodeGetDependencies,
                kContext,
                (CUgraphNode node, CUgraphNode* nodes, size_t* count),
                (node, nodes, count)) {
  return list_dependencies(caller, node, nodes, nullptr, count);
}

ORIEL_CUDA_CALL(cuGraphNodeGetDependencies_v2,
                kContext,
                (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count),
                (node, nodes, data, count)) {
  return list_dependencies(caller, node, nodes, data, count);
}

ORIEL_CUDA_CALL(cuGraphChildGraphNodeGetGraph,
                kContext,
                (CUgraphNode handle, CUgraph* out),
                (handle, out)) {
  Node* node = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.nodes, handle, node);
      failed(situation)) {
    return situation;
  }
  if (node->child == nullptr) {
    return Situation::kInvalidValue;
  }
  *out = to_vendor<CUgraph>(node->child->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphDebugDotPrint,
                kContext,
                (CUgraph handle, const char* path, unsigned int flags),
                (handle, path, flags)) {
  static_cast<void>(flags);  // they choose among details that nodes here don't have
  Graph* graph = nullptr;
  if (path == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  const std::string text = to_dot(*graph);
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) {
    return Situation::kFileNotWritten;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? Situation::kSuccess : Situation::kFileNotWritten;
}

}  // namespace oriel::emulator::cuda
