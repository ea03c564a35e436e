#pragma once

#include <oriel/options.hpp>

#include <string>
#include <utility>
#include <vector>

namespace oriel::tools {

/// A title and rows of a name and what there is to say about it, aligned.
struct ReportTable {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;

  [[nodiscard]] std::string text() const;
};

/// "1.23 us": seconds with a unit that fits.
[[nodiscard]] std::string seconds_text(double seconds);
/// "1.2e-09": two digits, for residuals and tolerances.
[[nodiscard]] std::string scientific_text(double value);
/// "2.7x".
[[nodiscard]] std::string ratio_text(double ratio);
/// "9 nodes, pins 61.2 KiB of device memory and 0 B of pinned host memory".
[[nodiscard]] std::string graph_text(std::size_t nodes, const GraphMemory& memory);

}  // namespace oriel::tools
