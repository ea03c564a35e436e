#pragma once

#include "failure.hpp"

#include <oriel/runtime.hpp>

#include <string>
#include <vector>

namespace oriel::tools {

/// Which device a subcommand works on, and where else to look for plugins.
struct BackendChoice {
  std::string backend = "host";
  std::vector<std::string> plugin_paths;

  [[nodiscard]] RuntimeOptions runtime_options() const;
};

/// Opens the device. One that can't be used leaves with kUnavailable, a name that makes no sense
/// with kUsage.
[[nodiscard]] Outcome<Runtime> open_backend(const BackendChoice& choice);

/// "cuda:1", and " (emulated)" if a test double answers for it.
[[nodiscard]] std::string device_id(const DeviceInfo& device);
[[nodiscard]] std::string device_text(const DeviceInfo& device);

}  // namespace oriel::tools
