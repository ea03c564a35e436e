#include "dot_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace oriel::tools {

Outcome<void> write_dot(const Graph& graph, const std::string& file) {
  if (file.empty()) {
    return {};
  }
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << graph.to_dot();
  stream.close();
  if (!stream) {
    const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
    return stop(ExitCode::kUsage, "can't write the graph to '" + file + "'" + why);
  }
  return {};
}

}  // namespace oriel::tools
