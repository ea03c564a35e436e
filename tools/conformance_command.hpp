#pragma once

#include "backend_choice.hpp"

#include <string>

namespace oriel::tools {

/// `oriel conformance`.
struct ConformanceOptions {
  BackendChoice choice;
  std::string filter;
  bool list = false;
  bool json = false;
};

/// Runs the suite, which reports by itself, and gives its exit status. Fails where this build has
/// no suite.
[[nodiscard]] Outcome<int> conformance_command(const ConformanceOptions& options);

}  // namespace oriel::tools
