// How a captured graph is counted, on graphs that are made up.

#include "support/catch.hpp"

#include <oriel/stream_capture/executable.hpp>

#include <map>
#include <vector>

namespace oriel::stream_capture {
namespace {

// The four questions that counting asks.
struct Graphs {
  using Graph = int;
  using Node = int;

  std::map<int, std::vector<int>> nodes;  // by graph
  std::map<int, NodeClass> classes;       // by node
  std::map<int, int> children;            // by node
  mutable int left = 1000;                // calls until one fails

  Outcome graph_nodes(int graph, int* into, std::size_t* size) const {
    const auto& all = nodes.at(graph);
    if (into != nullptr) {
      std::copy(all.begin(), all.end(), into);
    }
    *size = all.size();
    return call("graph_nodes");
  }
  Outcome node_class(int node, NodeClass* kind) const {
    *kind = classes.at(node);
    return call("node_class");
  }
  Outcome child_graph(int node, int* graph) const {
    *graph = children.at(node);
    return call("child_graph");
  }
  Outcome call(const char* name) const { return {--left < 0 ? 999 : 0, name}; }
};

const Graphs kNested{{{1, {10, 11, 12, 13}}, {2, {20, 21}}, {3, {30}}, {4, {}}},
                     {{10, NodeClass::kWork},
                      {11, NodeClass::kChild},
                      {12, NodeClass::kOther},
                      {13, NodeClass::kAllocation},
                      {20, NodeClass::kChild},
                      {21, NodeClass::kWork},
                      {30, NodeClass::kAllocation}},
                     {{11, 2}, {20, 3}}};

TEST_CASE("allocations are counted in child graphs of any depth, work in the graph itself") {
  NodeCount count;
  CHECK(count_nodes(kNested, 1, count).ok());
  CHECK(count.work == 2);  // a kernel, and a child as one
  CHECK(count.allocations == 2);
}

TEST_CASE("an empty graph has nothing") {
  NodeCount count;
  CHECK(count_nodes(kNested, 4, count).ok());
  CHECK(count.work == 0);
  CHECK(count.allocations == 0);
}

TEST_CASE("whichever question fails is what the count answers") {
  for (int calls = 0;; ++calls) {
    Graphs graphs = kNested;
    graphs.left = calls;
    NodeCount count;
    const Outcome outcome = count_nodes(graphs, 1, count);
    if (graphs.left >= 0) {
      CHECK(outcome.ok());
      CHECK(calls > 8);
      return;
    }
    CHECK(outcome.code == 999);
  }
}

}  // namespace
}  // namespace oriel::stream_capture
