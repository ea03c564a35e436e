#pragma once

#include "torch_times.hpp"

#include <oriel/device_info.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oriel::bench {

/// Seconds a step of a chain, one way each.
struct ChainTimes {
  std::uint64_t links = 0;
  double raw_eager = 0;
  double oriel_eager = 0;
  double raw_graph = 0;
  double oriel_graph = 0;
  std::optional<double> torch_graph;
};

/// What a run of the benchmark found.
struct CudaReport {
  DeviceInfo device;
  std::uint64_t width = 0;
  std::uint64_t rounds = 0;
  bool has_torch = false;  ///< PyTorch's column is wanted.
  std::vector<ChainTimes> chains;

  /// A table for people.
  [[nodiscard]] std::string text() const;
  /// One JSON object.
  [[nodiscard]] std::string json() const;
};

}  // namespace oriel::bench
