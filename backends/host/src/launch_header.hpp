#pragma once

#include <oriel/core/commands.hpp>
#include <oriel/kernel_launch.h>

#include <cstdint>

namespace oriel::host {

/// The launch as a host image is told of it: all groups of the grid.
[[nodiscard]] inline oriel_host_launch header(const core::LaunchCommand& launch) noexcept {
  const std::uint64_t groups = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  return {{launch.grid.x, launch.grid.y, launch.grid.z},
          {launch.group.x, launch.group.y, launch.group.z},
          0,
          groups};
}

}  // namespace oriel::host
