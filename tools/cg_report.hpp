#pragma once

#include "cg_solver.hpp"
#include "reply.hpp"
#include "side_by_side.hpp"

#include <oriel/device_info.hpp>
#include <oriel/options.hpp>

#include <cstdint>
#include <string>

namespace oriel::tools {

/// Everything that `oriel run cg` found out.
struct CgReport {
  std::string matrix;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
  DeviceInfo device;
  bool single = false;
  CgLimits limits;
  CgSolution replayed;
  bool bit_identical = false;     ///< The eager solution, to the replayed one.
  double largest_difference = 0;  ///< Between their elements.
  std::uint64_t eager_iterations = 0;
  std::size_t nodes = 0;
  GraphMemory memory;
  SideBySide times;
};

/// The report as the user asked for it, with the check that failed, if one did: not converged,
/// broken down, or an eager solution of other bits.
[[nodiscard]] Reply cg_reply(const CgReport& report, bool json);

}  // namespace oriel::tools
