#pragma once

#include <string>
#include <vector>

namespace oriel::tools::test {

/// What a program left behind.
struct Ran {
  int status = -1;  ///< Of its exit; negative the signal that ended it.
  std::string out;
  std::string err;
};

/// Runs the program at `path`, without a shell, with both outputs on pipes, and waits for it.
/// With `out_file` its standard output goes there instead, and `out` stays empty.
[[nodiscard]] Ran run_program(const std::string& path,
                              std::vector<std::string> arguments,
                              const char* out_file = nullptr);

}  // namespace oriel::tools::test
