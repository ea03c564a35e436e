#pragma once

#include <oriel/device_info.hpp>

#include <cstdint>

namespace oriel::host {

/// What this computer is, as the device of that ordinal.
[[nodiscard]] DeviceInfo device_facts(std::uint32_t ordinal);

}  // namespace oriel::host
