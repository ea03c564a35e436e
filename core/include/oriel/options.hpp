#pragma once

#include <oriel/device_info.hpp>
#include <oriel/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace oriel {

struct RuntimeOptions {
  /// Device streams that logical streams fold onto, 1 to 32. Exclusive streams come on top.
  unsigned shared_streams = 8;
  /// The most bytes each stream's pool may hold, 0 for no limit.
  std::size_t device_limit = 0;
  std::size_t pinned_limit = 0;
  /// Where to look for plugins first.
  std::vector<std::filesystem::path> plugin_directories = {};
};

struct StreamOptions {
  bool exclusive = false;  ///< A device stream of its own.
};

/// Whose unsafe driver calls break a window; see CaptureMode in graph_driver.hpp.
enum class WindowMode : std::uint8_t { kRelaxed, kThreadLocal, kGlobal };

struct WindowOptions {
  WindowMode mode = WindowMode::kRelaxed;
  bool thread_bound = false;  ///< Only the thread that began the window may close it.
  bool allow_empty = false;   ///< A window without nodes gives a graph that does nothing.
};

struct CaptureOptions {
  WindowOptions window;
  unsigned warmup_passes = 1;  ///< At least 1; only the last one counts.
};

struct LaunchConfig {
  Dim3 grid = {};               ///< Groups in each direction, at least 1.
  Dim3 group = {};              ///< Work items of a group in each direction, at least 1.
  std::string_view label = {};  ///< For errors and dumps; the kernel's name if empty.
};

/// What kind of memory a limit holds.
enum class Limit : std::uint8_t { kDeviceBytes, kPinnedBytes };

/// Where a window is in its life.
enum class WindowState : std::uint8_t { kIdle, kPrepared, kRecording };

/// Bytes that a graph pins, padding included, each counted once.
struct GraphMemory {
  std::size_t device_bytes = 0;
  std::size_t pinned_bytes = 0;
  std::size_t returned_by_destroy = 0;  ///< Of these, what nothing else refers to.
  std::size_t slices = 0;
};

/// The state of one runtime, exact at the moment of the call.
struct RuntimeStats {
  std::size_t device_reserved = 0;  ///< Bytes held from the driver.
  std::size_t device_in_use = 0;
  std::size_t pinned_reserved = 0;
  std::size_t pinned_in_use = 0;
  std::size_t graph_device_bytes = 0;  ///< Pinned by graphs, each byte once.
  std::size_t graph_pinned_bytes = 0;
  std::size_t live_slices = 0;
  std::size_t live_streams = 0;
  std::size_t live_events = 0;
  std::size_t live_modules = 0;
  std::size_t live_graphs = 0;
  std::size_t open_windows = 0;  ///< Prepared or recording.
  std::size_t queued_drops = 0;  ///< Destroyed by callers, not yet by the core.
  std::size_t claims = 0;        ///< Slices whose bytes are unwritten.
  std::uint64_t provider_allocations = 0;
  std::uint64_t provider_releases = 0;
};

}  // namespace oriel
