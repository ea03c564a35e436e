#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oriel::emulator {

/// What a test chooses about the driver, from the environment (ORIEL_EMULATOR_<NAME>) at first use
/// and through Control::set_option later.
struct Options {
  std::uint64_t delay_us = 20;  ///< Between enqueuing work and its earliest start.
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;   ///< Of each device.
  std::uint64_t pinned_bytes = std::uint64_t{8} << 30;   ///< Of the process.
  std::uint64_t poison_bytes = std::uint64_t{64} << 20;  ///< Of each block, from its start.
  std::uint64_t driver_version = 13000;
  std::uint64_t devices = 2;
  std::uint64_t architecture = 90;
  bool stub = false;    ///< Every call says that this is only a stub library.
  bool sticky = true;   ///< An illegal access is answered to every later call, not only one.
  bool report = false;  ///< Live objects and violations, to stderr at process exit.
  std::uint64_t lose_device_after = 0;  ///< Calls from now until the device is gone; 0: never.
  std::string fail;                     ///< "function:k:code", as Control::fail_call.

  static constexpr std::uint64_t kMaxDevices = 16;

  /// False for a name or a value that there is not; nothing has changed then.
  bool set(std::string_view name, std::string_view value);
  void read_environment();
};

}  // namespace oriel::emulator
