#pragma once

#include "backend_choice.hpp"
#include "side_by_side.hpp"

#include <oriel/device_info.hpp>
#include <oriel/options.hpp>

#include <nlohmann/json.hpp>
#include <string>

// Private to the .cpp files that write JSON, for the JSON library stays out of the other headers.
namespace oriel::tools {

using Json = nlohmann::ordered_json;

/// One object and the end of its line. Names from outside may hold any bytes: what is no UTF-8 is
/// replaced, never thrown about.
[[nodiscard]] inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

[[nodiscard]] inline Json device_json(const DeviceInfo& device) {
  return {{"id", device_id(device)},
          {"name", device.name},
          {"driver_version", device.driver_version},
          {"memory_bytes", device.memory_bytes},
          {"emulated", device.emulated}};
}

[[nodiscard]] inline Json graph_json(std::size_t nodes, const GraphMemory& memory) {
  return {{"nodes", nodes},
          {"pinned_device_bytes", memory.device_bytes},
          {"pinned_host_bytes", memory.pinned_bytes}};
}

}  // namespace oriel::tools
