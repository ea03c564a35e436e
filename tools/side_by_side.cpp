#include "side_by_side.hpp"

#include <algorithm>
#include <chrono>

namespace oriel::tools {
namespace {

/// Seconds a step of one block.
Result<double> time_block(const SideBySidePlan& plan, bool replayed, std::uint64_t steps) {
  ORIEL_TRY(plan.reset());
  const Step& step = replayed ? plan.replayed : plan.eager;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < steps; ++i) {
    ORIEL_TRY(step());
  }
  ORIEL_TRY(plan.finish());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  ORIEL_TRY(plan.check(replayed));
  return took.count() / static_cast<double>(steps);
}

}  // namespace

Result<SideBySide> measure(const SideBySidePlan& plan) {
  std::vector<double> eager;
  std::vector<double> replayed;
  for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
    // Which of the two goes first alternates too.
    for (const bool is_replay : {block % 2 != 0, block % 2 == 0}) {
      const auto seconds = time_block(plan, is_replay, plan.blocks[block]);
      if (!seconds) {
        return fail(seconds.error());
      }
      (is_replay ? replayed : eager).push_back(*seconds);
    }
  }
  return SideBySide{median(std::move(eager)), median(std::move(replayed))};
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace oriel::tools
