#pragma once

#include "backend_choice.hpp"
#include "reply.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace oriel::tools {

/// `oriel run cg`. One of `matrix` and `poisson` is given.
struct CgOptions {
  BackendChoice choice;
  std::string matrix;         ///< A Matrix Market file.
  std::uint64_t poisson = 0;  ///< The side of a grid.
  bool single = false;
  std::optional<double> tolerance;  ///< By default 1e-8, or 1e-4 in single precision.
  std::uint64_t max_iterations = 10000;
  std::uint64_t check_every = 10;
  bool json = false;
  std::string dot_file;
};

/// Solves by replays, again eagerly, compares the two and times them side by side.
[[nodiscard]] Outcome<Reply> cg_command(const CgOptions& options);

}  // namespace oriel::tools
