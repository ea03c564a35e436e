#pragma once

#include "chain.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace oriel::bench {

/// How contestants are timed. In each round every one of them runs one block of steps, and who goes
/// first rotates, so that whatever else the machine does meets all alike. A block is as many steps
/// as take about `block_seconds`.
struct Rounds {
  std::uint64_t count = 21;
  double block_seconds = 0.015;
};

/// Medians over the rounds, seconds a step, in the order of the contestants. After each block the
/// floats are compared with the model: who skips work fails.
[[nodiscard]] Result<std::vector<double>> measure(
    const std::vector<std::unique_ptr<Contestant>>& contestants,
    const Chain& chain,
    const Rounds& rounds);

}  // namespace oriel::bench
