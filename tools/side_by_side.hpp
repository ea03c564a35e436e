#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace oriel::tools {

/// Medians of two ways to do the same, in seconds a step.
struct SideBySide {
  double eager_seconds = 0;
  double replayed_seconds = 0;

  /// How many times faster a replay is; 0 if nothing was measured.
  [[nodiscard]] double ratio() const {
    return replayed_seconds > 0 ? eager_seconds / replayed_seconds : 0;
  }
};

/// Enqueues one step.
using Step = std::function<Result<void>()>;

/// Measures in alternating blocks, so that whatever else the machine does meets both alike. `reset`
/// runs before each block, `finish` waits for the work and ends it, `check` runs after it; of these
/// only `finish` is timed.
struct SideBySidePlan {
  std::function<Result<void>()> reset;
  Step eager;
  Step replayed;
  std::function<Result<void>()> finish;
  std::function<Result<void>(bool replayed)> check;
  std::vector<std::uint64_t> blocks;  ///< Steps in each pair of blocks.
};

[[nodiscard]] Result<SideBySide> measure(const SideBySidePlan& plan);

/// The median; of an even count the mean of the middle two; 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace oriel::tools
