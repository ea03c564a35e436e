#include "devices_command.hpp"

#include "json_text.hpp"
#include "memory_budget.hpp"

#include <oriel/runtime.hpp>

#include <algorithm>

namespace oriel::tools {
namespace {

std::string device_line(const DeviceInfo& device) {
  std::string line = device_text(device);
  if (device.memory_bytes != 0) {
    line += ", " + bytes_text(device.memory_bytes);
  }
  if (!device.driver_version.empty()) {
    line += ", driver " + device.driver_version;
  }
  return line;
}

std::string text(const std::vector<BackendStatus>& backends) {
  std::size_t width = 0;
  for (const BackendStatus& backend : backends) {
    width = std::max(width, backend.name.size());
  }
  std::string out;
  for (const BackendStatus& backend : backends) {
    out += backend.name + std::string(width - backend.name.size() + 2, ' ');
    out += backend.available ? "available\n" : "unavailable: " + one_line(backend.reason) + "\n";
    for (const DeviceInfo& device : backend.devices) {
      out += std::string(width + 2, ' ') + one_line(device_line(device)) + "\n";
    }
  }
  return out;
}

std::string json(const std::vector<BackendStatus>& backends) {
  Json list = Json::array();
  for (const BackendStatus& backend : backends) {
    Json entry = {{"name", backend.name}, {"available", backend.available}};
    if (!backend.available) {
      entry["reason"] = backend.reason;
    }
    entry["devices"] = Json::array();
    for (const DeviceInfo& device : backend.devices) {
      entry["devices"].push_back(device_json(device));
    }
    list.push_back(std::move(entry));
  }
  return json_text({{"command", "devices"}, {"backends", std::move(list)}});
}

}  // namespace

Outcome<Reply> devices_command(const DevicesOptions& options) {
  const auto backends = list_backends(BackendChoice{"", options.plugin_paths}.runtime_options());
  return Reply{options.json ? json(backends) : text(backends), std::nullopt};
}

}  // namespace oriel::tools
