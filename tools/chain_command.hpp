#pragma once

#include "backend_choice.hpp"
#include "reply.hpp"

#include <cstdint>
#include <string>

namespace oriel::tools {

/// `oriel run chain`: the launch-bound case.
struct ChainOptions {
  static constexpr std::uint64_t kMostNodes = 1'000'000;
  static constexpr std::uint64_t kMostSteps = 1'000'000'000;

  BackendChoice choice;
  std::uint64_t nodes = 100;
  std::uint64_t steps = 1000;
  std::uint64_t width = 64;
  bool json = false;
  std::string dot_file;
};

/// Runs a chain of tiny kernels `steps` times by launches and `steps` times by replays, in
/// alternating blocks, checks every element after each block, and tells the times.
[[nodiscard]] Outcome<Reply> chain_command(const ChainOptions& options);

}  // namespace oriel::tools
