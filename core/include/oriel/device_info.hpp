#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace oriel {

/// Work items, or groups of them, in each direction. Converts from one number.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  constexpr Dim3() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `.grid = 4096` is how launches are written.
  constexpr Dim3(std::uint32_t x_, std::uint32_t y_ = 1, std::uint32_t z_ = 1) noexcept
      : x(x_), y(y_), z(z_) {}
  friend constexpr bool operator==(Dim3, Dim3) noexcept = default;
};

/// What a device is.
struct DeviceInfo {
  std::string backend;  ///< "host", "cuda", "hip", "level_zero", or a plugin's own name.
  std::uint32_t ordinal = 0;
  std::string name;              ///< The device's own name.
  std::string driver_version;    ///< As the vendor writes it, "" if it has none.
  std::size_t memory_bytes = 0;  ///< Total device memory.
  bool emulated = false;         ///< An emulated driver answers, not hardware.
};

/// How a backend turns a window into a graph.
enum class RecordingMode : std::uint8_t {
  kCaptures,  ///< Calls also reach its stream, which records them natively.
  kBuilds,    ///< Nothing reaches it before the close; it builds from the Recording.
};

/// What a device can do. What it can't is answered with `unsupported` before the driver is asked.
struct Capabilities {
  RecordingMode recording = RecordingMode::kBuilds;
  bool fork_join = false;        ///< Windows over several streams.
  bool update = false;           ///< Graph::update.
  bool host_functions = false;   ///< Stream::call_host, eager and recorded.
  bool external_events = false;  ///< Events recorded in a window that replays signal.
  bool event_timing = false;     ///< oriel::elapsed.
  bool double_precision = false;
  bool printf_per_replay = false;        ///< Output of kernels appears once for each replay.
  std::uint32_t fill_pattern_bytes = 4;  ///< The largest fill pattern: 1, 2, 4, 8 or 16.
  std::uint32_t max_group_items = 1024;  ///< Work items in one group.
  Dim3 max_group{1024, 1024, 64};
  Dim3 max_grid{2147483647, 65535, 65535};  ///< Groups in each direction.
};

}  // namespace oriel
