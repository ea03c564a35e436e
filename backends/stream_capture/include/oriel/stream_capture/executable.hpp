#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/stream_capture/owned.hpp>

#include <utility>
#include <vector>

namespace oriel::stream_capture {

/// What a window became. It keeps the graph that it was made from, since nodes are named by that
/// graph's handles when their parameters are changed, and lets go of the executable first.
template <class Api>
class CaptureExecutable final : public core::DriverExecutable {
 public:
  CaptureExecutable(OwnedGraph<Api> graph,
                    OwnedExecutable<Api> native,
                    const core::Recording& recording,
                    std::vector<typename Api::Node> nodes) noexcept
      : graph_(std::move(graph)),
        native_(std::move(native)),
        recording_(recording),
        nodes_(std::move(nodes)) {}

  [[nodiscard]] typename Api::Executable native() const noexcept { return native_.get(); }
  [[nodiscard]] typename Api::Node node(NodeId id) const noexcept { return nodes_[id]; }
  [[nodiscard]] core::LaunchCommand launch(NodeId id) const noexcept {
    return recording_.node(id).launch;
  }

 private:
  OwnedGraph<Api> graph_;
  OwnedExecutable<Api> native_;
  const core::Recording& recording_;
  std::vector<typename Api::Node> nodes_;  // by NodeId
};

/// What is in a graph, child graphs included.
struct NodeCount {
  std::size_t work = 0;
  std::size_t allocations = 0;
};

/// Counts the nodes of `graph`, and of the graphs in it, into `count`.
template <class Api>
[[nodiscard]] Outcome count_nodes(const Api& api, typename Api::Graph graph, NodeCount& count) {
  std::size_t size = 0;
  if (const Outcome outcome = api.graph_nodes(graph, nullptr, &size); !outcome.ok() || size == 0) {
    return outcome;
  }
  std::vector<typename Api::Node> nodes(size);
  if (const Outcome outcome = api.graph_nodes(graph, nodes.data(), &size); !outcome.ok()) {
    return outcome;
  }
  for (std::size_t i = 0; i < size; ++i) {
    NodeClass kind = NodeClass::kOther;
    if (const Outcome outcome = api.node_class(nodes[i], &kind); !outcome.ok()) {
      return outcome;
    }
    count.work += kind == NodeClass::kWork || kind == NodeClass::kChild ? 1 : 0;
    count.allocations += kind == NodeClass::kAllocation ? 1 : 0;
    if (kind == NodeClass::kChild) {
      typename Api::Graph child{};
      NodeCount inside;
      Outcome outcome = api.child_graph(nodes[i], &child);
      if (outcome.ok()) {
        outcome = count_nodes(api, child, inside);
      }
      if (!outcome.ok()) {
        return outcome;
      }
      count.allocations += inside.allocations;
    }
  }
  return {};
}

}  // namespace oriel::stream_capture
