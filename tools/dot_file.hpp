#pragma once

#include "failure.hpp"

#include <oriel/graph.hpp>

#include <string>

namespace oriel::tools {

/// Writes the graph as Graphviz; nothing if `file` is empty.
[[nodiscard]] Outcome<void> write_dot(const Graph& graph, const std::string& file);

}  // namespace oriel::tools
