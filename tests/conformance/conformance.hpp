#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace oriel::conformance {

/// What `oriel conformance` was asked for.
struct Options {
  std::string backend = "host";  ///< As for Runtime::open.
  bool json = false;             ///< One JSON object on standard output in place of the report.
  std::string filter;            ///< A Catch2 test spec, for example "[B01]"; all if empty.
  bool list = false;             ///< Print the names of the tests and run none.
  std::vector<std::filesystem::path> plugin_directories;
};

/// Runs the suite against one backend. Returns 0 if nothing failed and something ran, 2 if not, and
/// 3 if the backend can't be opened.
int run(const Options& options);

}  // namespace oriel::conformance
