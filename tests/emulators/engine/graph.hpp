#pragma once

#include "work.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace oriel::emulator {

enum class NodeKind : std::uint8_t {
  kKernel,
  kCopy,
  kFill,
  kHost,
  kChild,
  kEmpty,
  kWaitEvent,
  kRecordEvent,
  kAllocate,
  kFree,
};

struct Node {
  Handle handle = 0;  ///< 0 in the snapshot that an executable holds.
  Handle source = 0;  ///< There: the node it was made from.
  NodeKind kind = NodeKind::kEmpty;
  Graph* graph = nullptr;
  std::size_t index = 0;  ///< In the graph.
  WorkRef work;           ///< Null for empty and child nodes.
  std::shared_ptr<Graph> child;
  std::vector<Edge> dependencies;
};

/// Nodes and what they depend on.
///
/// Invariant: a node depends only on nodes before it, as neither nodes nor edges can be taken away
/// or put in later. So the order of `nodes` keeps to the edges.
struct Graph {
  Handle handle = 0;
  Context* context = nullptr;
  std::vector<std::shared_ptr<Node>> nodes;
  std::vector<const Node*> order;    ///< In a snapshot: how its nodes run.
  std::shared_ptr<Capture> capture;  ///< While one writes into it.
  bool of_capture = false;           ///< Nobody owns it yet: the capture's end gives it out.
  std::weak_ptr<Executable> only;    ///< The executable, of a graph that allocates or frees.
  Graph* parent = nullptr;           ///< Of a child graph, which belongs to its node.
};

/// Appends a node and gives it a handle.
Node& add_node(
    Machine& machine, Graph& graph, NodeKind kind, WorkRef work, std::vector<Edge> dependencies);
/// The same for a copy of another graph.
Node& add_child(Machine& machine, Graph& graph, const Graph& child, std::vector<Edge> dependencies);

/// A copy without handles, whose nodes know which ones they come from. Of two nodes that don't
/// depend on each other it runs the younger one first, so that a missing dependency shows.
[[nodiscard]] std::shared_ptr<Graph> snapshot(const Graph& graph);
/// A copy as a graph of its own.
[[nodiscard]] std::shared_ptr<Graph> clone(Machine& machine, const Graph& graph);
/// Takes back the handles of the graph, its nodes and its child graphs.
void destroy_graph(Machine& machine, Graph& graph);

/// Whether it allocates or frees, child graphs included.
[[nodiscard]] bool has_memory_nodes(const Graph& graph) noexcept;

/// Calls `visit` for every node that is no child graph, and for those of child graphs.
template <class Visit>
void for_each_leaf(const Graph& graph, Visit&& visit) {
  for (const auto& node : graph.nodes) {
    if (node->kind == NodeKind::kChild) {
      for_each_leaf(*node->child, visit);
    } else {
      visit(*node);
    }
  }
}

/// Puts in those whose nodes aren't there.
void merge_edges(std::vector<Edge>& into, const std::vector<Edge>& edges);

/// Whether every one of `nodes` is among `ends` or comes before one of them.
[[nodiscard]] bool precede(std::span<const Edge> nodes, std::span<const Edge> ends);

}  // namespace oriel::emulator
