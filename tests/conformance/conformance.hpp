#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace oriel::conformance {

/// What `oriel conformance` was asked for.
struct Options {
  std::string backend = "host";  ///< As for Runtime::open.
  bool json = false;             ///< One JSON object on standard output in place of text.
  std::string filter;            ///< A Catch2 test spec, for example "[B01]"; all if empty.
  bool list = false;             ///< Print the names of the tests and run none.
  std::vector<std::filesystem::path> plugin_directories;
};

/// What is left to say after a run, which has printed its report.
struct Answer {
  int status = 0;     ///< To exit with.
  std::string error;  ///< Why nothing ran or the report is not whole; else empty.
};

/// Runs the suite against one backend, or lists it. Status 0: nothing failed; 1: no test matches
/// the filter, or standard output can't be written; 2: something failed; 3: the backend can't be
/// opened.
[[nodiscard]] Answer run(const Options& options);

}  // namespace oriel::conformance
