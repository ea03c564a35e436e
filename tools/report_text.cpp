#include "report_text.hpp"

#include "memory_budget.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace oriel::tools {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string ReportTable::text() const {
  std::size_t width = 0;
  for (const auto& [name, value] : rows) {
    width = std::max(width, name.size());
  }
  std::string out = title + "\n";
  for (const auto& [name, value] : rows) {
    out += "  " + name + std::string(width - name.size() + 2, ' ') + value + "\n";
  }
  return out;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) {
    return formatted("%.3g s", seconds);
  }
  if (seconds >= 1e-3) {
    return formatted("%.3g ms", seconds * 1e3);
  }
  return seconds >= 1e-6 ? formatted("%.3g us", seconds * 1e6)
                         : formatted("%.3g ns", seconds * 1e9);
}

std::string scientific_text(double value) {
  return formatted("%.1e", value);
}

std::string ratio_text(double ratio) {
  return formatted("%.2fx", ratio);
}

std::string graph_text(std::size_t nodes, const GraphMemory& memory) {
  return std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") + ", pins " +
         bytes_text(memory.device_bytes) + " of device memory and " +
         bytes_text(memory.pinned_bytes) + " of pinned host memory";
}

}  // namespace oriel::tools
