#pragma once

#include "reply.hpp"

#include <string>
#include <vector>

namespace oriel::tools {

/// `oriel devices`.
struct DevicesOptions {
  std::vector<std::string> plugin_paths;
  bool json = false;
};

/// Lists every known backend, available or not, and why. Succeeds without any device.
[[nodiscard]] Outcome<Reply> devices_command(const DevicesOptions& options);

}  // namespace oriel::tools
