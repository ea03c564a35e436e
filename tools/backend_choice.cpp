#include "backend_choice.hpp"

namespace oriel::tools {

RuntimeOptions BackendChoice::runtime_options() const {
  RuntimeOptions options;
  options.plugin_directories.assign(plugin_paths.begin(), plugin_paths.end());
  return options;
}

Outcome<Runtime> open_backend(const BackendChoice& choice) {
  auto runtime = Runtime::open(choice.backend, choice.runtime_options());
  if (!runtime) {
    return stop(runtime.error());
  }
  return std::move(*runtime);
}

std::string device_id(const DeviceInfo& device) {
  return device.backend + ":" + std::to_string(device.ordinal);
}

std::string device_text(const DeviceInfo& device) {
  return device_id(device) + ", " + device.name +
         (device.emulated ? " (emulated driver, not hardware)" : "");
}

}  // namespace oriel::tools
