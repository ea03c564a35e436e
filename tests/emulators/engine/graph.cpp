#include "graph.hpp"

#include "machine.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace oriel::emulator {
namespace {

std::shared_ptr<Graph> copy(const Graph& graph) {
  auto made = std::make_shared<Graph>();
  made->context = graph.context;
  made->nodes.reserve(graph.nodes.size());
  for (const auto& original : graph.nodes) {
    auto node = std::make_shared<Node>();
    node->source = original->handle != 0 ? original->handle : original->source;
    node->kind = original->kind;
    node->graph = made.get();
    node->index = original->index;
    node->work = original->work;
    for (const Edge& edge : original->dependencies) {
      node->dependencies.push_back({made->nodes[edge.node->index].get(), edge.data});
    }
    if (original->child != nullptr) {
      node->child = copy(*original->child);
      node->child->parent = made.get();
    }
    made->nodes.push_back(std::move(node));
  }
  return made;
}

void find_order(Graph& graph) {
  std::vector<std::size_t> open(graph.nodes.size());  // dependencies that haven't run
  std::vector<std::vector<std::size_t>> dependents(graph.nodes.size());
  std::priority_queue<std::size_t> ready;  // the youngest first
  for (const auto& node : graph.nodes) {
    open[node->index] = node->dependencies.size();
    for (const Edge& edge : node->dependencies) {
      dependents[edge.node->index].push_back(node->index);
    }
    if (node->dependencies.empty()) {
      ready.push(node->index);
    }
    if (node->child != nullptr) {
      find_order(*node->child);
    }
  }
  graph.order.clear();
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    graph.order.push_back(graph.nodes[next].get());
    for (const std::size_t dependent : dependents[next]) {
      if (--open[dependent] == 0) {
        ready.push(dependent);
      }
    }
  }
}

void give_handles(Machine& machine, const std::shared_ptr<Graph>& graph) {
  machine.graphs.insert(graph);
  for (const auto& node : graph->nodes) {
    node->source = 0;
    machine.nodes.insert(node);
    if (node->child != nullptr) {
      give_handles(machine, node->child);
    }
  }
}

}  // namespace

Node& add_node(
    Machine& machine, Graph& graph, NodeKind kind, WorkRef work, std::vector<Edge> dependencies) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->graph = &graph;
  node->index = graph.nodes.size();
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  graph.nodes.push_back(node);
  machine.nodes.insert(node);
  return *node;
}

Node& add_child(Machine& machine,
                Graph& graph,
                const Graph& child,
                std::vector<Edge> dependencies) {
  Node& node = add_node(machine, graph, NodeKind::kChild, nullptr, std::move(dependencies));
  node.child = clone(machine, child);
  node.child->parent = &graph;
  return node;
}

std::shared_ptr<Graph> snapshot(const Graph& graph) {
  std::shared_ptr<Graph> made = copy(graph);
  find_order(*made);
  return made;
}

std::shared_ptr<Graph> clone(Machine& machine, const Graph& graph) {
  std::shared_ptr<Graph> made = copy(graph);
  give_handles(machine, made);
  return made;
}

void destroy_graph(Machine& machine, Graph& graph) {
  for (const auto& node : graph.nodes) {
    machine.nodes.erase(node->handle);
    if (node->child != nullptr) {
      destroy_graph(machine, *node->child);
    }
  }
  const std::shared_ptr<Graph> last = machine.graphs.erase(graph.handle);
}

bool has_memory_nodes(const Graph& graph) noexcept {
  bool found = false;
  for_each_leaf(graph, [&](const Node& node) {
    found = found || node.kind == NodeKind::kAllocate || node.kind == NodeKind::kFree;
  });
  return found;
}

void merge_edges(std::vector<Edge>& into, const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    const auto same = [&](const Edge& other) { return other.node == edge.node; };
    if (std::none_of(into.begin(), into.end(), same)) {
      into.push_back(edge);
    }
  }
}

bool precede(std::span<const Edge> nodes, std::span<const Edge> ends) {
  if (nodes.empty()) {
    return true;
  }
  std::vector<bool> reached(nodes.front().node->graph->nodes.size());
  std::vector<const Node*> open;
  for (const Edge& end : ends) {
    open.push_back(end.node);
  }
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (reached[node->index]) {
      continue;
    }
    reached[node->index] = true;
    for (const Edge& edge : node->dependencies) {
      if (edge.data == 0) {
        open.push_back(edge.node);
      }
    }
  }
  return std::all_of(
      nodes.begin(), nodes.end(), [&](const Edge& edge) { return reached[edge.node->index]; });
}

}  // namespace oriel::emulator
