#include "device_facts.hpp"
#include "host_driver.hpp"

#include <oriel/core/plugin.hpp>

#include <new>
#include <string>
#include <vector>

namespace oriel::host {
namespace {

// Devices are made on demand, so any of these can be opened; the list shows two.
constexpr std::uint32_t kMostDevices = 64;
constexpr std::uint32_t kListedDevices = 2;

Result<void> probe(LogSink& /*log*/) {
  return {};
}

Result<std::vector<DeviceInfo>> list(LogSink& /*log*/) {
  try {
    std::vector<DeviceInfo> devices;
    for (std::uint32_t ordinal = 0; ordinal < kListedDevices; ++ordinal) {
      devices.push_back(device_facts(ordinal));
    }
    return devices;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "the host has no memory for a list of its devices");
  }
}

Result<std::unique_ptr<core::GraphDriver>> open(std::uint32_t ordinal, LogSink& /*log*/) {
  if (ordinal >= kMostDevices) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no device host:" + std::to_string(ordinal) + "; there are " +
                    std::to_string(kMostDevices) + ", from host:0");
  }
  return HostDriver::open(ordinal);
}

}  // namespace

/// The backend's descriptor, for the core's list of linked backends and for the plugin.
const core::PluginDescriptor* plugin() noexcept;

const core::PluginDescriptor* plugin() noexcept {
  static const core::PluginDescriptor descriptor = [] {
    core::PluginDescriptor made;
    made.name = "host";
    made.build_tag = core::build_tag();
    made.probe = &probe;
    made.list = &list;
    made.open = &open;
    return made;
  }();
  return &descriptor;
}

}  // namespace oriel::host
