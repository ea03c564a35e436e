#include "cuda_report.hpp"

#include "json_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace oriel::bench {
namespace {

constexpr const char* kEmulated = "emulated driver: times mean nothing";

std::string fixed(double value, const char* format = "%.2f") {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string microseconds(double seconds) {
  return fixed(seconds * 1e6);
}

struct Column {
  std::string head;
  std::vector<std::string> cells;
};

template <class Cell>
Column column(const std::string& head, const std::vector<ChainTimes>& chains, Cell&& cell) {
  Column made{head, {}};
  for (const ChainTimes& chain : chains) {
    made.cells.push_back(cell(chain));
  }
  return made;
}

std::vector<Column> columns(const CudaReport& report) {
  const auto add = [&](const std::string& head, auto cell) {
    return column(head, report.chains, cell);
  };
  const auto node = [](double step, const ChainTimes& it) {
    return fixed(step * 1e6 / static_cast<double>(it.links), "%.3f");
  };
  std::vector<Column> made;
  made.push_back(add("links", [](const auto& it) { return std::to_string(it.links); }));
  made.push_back(add("raw eager", [](const auto& it) { return microseconds(it.raw_eager); }));
  made.push_back(add("Oriel eager", [](const auto& it) { return microseconds(it.oriel_eager); }));
  made.push_back(add("raw graph", [](const auto& it) { return microseconds(it.raw_graph); }));
  made.push_back(add("Oriel graph", [](const auto& it) { return microseconds(it.oriel_graph); }));
  if (report.has_torch) {
    made.push_back(add("PyTorch graph", [](const auto& it) {
      return it.torch_graph ? microseconds(*it.torch_graph) : std::string("-");
    }));
  }
  made.push_back(add("raw/node", [&](const auto& it) { return node(it.raw_graph, it); }));
  made.push_back(add("Oriel/node", [&](const auto& it) { return node(it.oriel_graph, it); }));
  made.push_back(
      add("Oriel:raw graph", [](const auto& it) { return fixed(it.oriel_graph / it.raw_graph); }));
  made.push_back(
      add("Oriel:raw eager", [](const auto& it) { return fixed(it.oriel_eager / it.raw_eager); }));
  made.push_back(
      add("eager:graph", [](const auto& it) { return fixed(it.oriel_eager / it.oriel_graph); }));
  return made;
}

std::string table(const std::vector<Column>& columns, std::size_t rows) {
  const auto right = [](const std::string& text, std::size_t width) {
    return "  " + std::string(width - text.size(), ' ') + text;
  };
  std::string head;
  std::vector<std::string> lines(rows);
  for (const Column& column : columns) {
    std::size_t width = column.head.size();
    for (const std::string& cell : column.cells) {
      width = std::max(width, cell.size());
    }
    head += right(column.head, width);
    for (std::size_t row = 0; row < rows; ++row) {
      lines[row] += right(column.cells[row], width);
    }
  }
  std::string text = head + "\n";
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string CudaReport::text() const {
  std::string out = "Chains of small kernels over " + std::to_string(width) +
                    " floats: microseconds a step, medians of " + std::to_string(rounds) +
                    (rounds == 1 ? " round\n" : " rounds\n");
  out += "  device  " + device.name + ", driver " + device.driver_version + "\n";
  if (device.emulated) {
    out += std::string("  ") + kEmulated + "\n";
  }
  return out + table(columns(*this), chains.size());
}

std::string CudaReport::json() const {
  tools::Json rows = tools::Json::array();
  for (const ChainTimes& chain : chains) {
    tools::Json row = {{"links", chain.links},
                       {"raw_eager_seconds", chain.raw_eager},
                       {"oriel_eager_seconds", chain.oriel_eager},
                       {"raw_graph_seconds", chain.raw_graph},
                       {"oriel_graph_seconds", chain.oriel_graph}};
    if (chain.torch_graph) {
      row["torch_graph_seconds"] = *chain.torch_graph;
    }
    rows.push_back(std::move(row));
  }
  tools::Json all = {{"device", tools::device_json(device)},
                     {"width", width},
                     {"rounds", rounds},
                     {"chains", std::move(rows)}};
  if (device.emulated) {
    all["note"] = kEmulated;
  }
  return tools::json_text(all);
}

}  // namespace oriel::bench
