#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/log.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::core {

/// Raise it whenever a type that crosses the plugin's boundary changes: anything in
/// oriel/core/{plugin,graph_driver,memory_pool,slice,commands,recording}.hpp and what they include.
inline constexpr std::uint32_t kPluginAbi = 2;

/// The build that made this code: version, compiler, its C++ library and sanitizers. Virtual
/// interfaces cross the boundary, so both sides must be of one build.
[[nodiscard]] const char* build_tag() noexcept;

/// What a plugin offers. The first four members stay as they are for ever, so that a mismatch can
/// be told before anything else is read.
struct PluginDescriptor {
  std::uint32_t struct_size = sizeof(PluginDescriptor);
  std::uint32_t abi = kPluginAbi;
  const char* name = nullptr;  ///< The backend's name, [a-z0-9_]+.
  const char* build_tag = nullptr;

  /// Whether the backend can be used here; if not, `unavailable` or `incompatible` and why. Never
  /// throws, never aborts, changes nothing.
  Result<void> (*probe)(LogSink& log) = nullptr;
  /// The devices there are, by ordinal.
  Result<std::vector<DeviceInfo>> (*list)(LogSink& log) = nullptr;
  /// Opens one. `invalid_argument` for an ordinal that is not there, naming how many are.
  Result<std::unique_ptr<GraphDriver>> (*open)(std::uint32_t ordinal, LogSink& log) = nullptr;
};

/// Type of the one symbol a plugin exports: `extern "C" const PluginDescriptor* oriel_plugin()`.
using PluginEntry = const PluginDescriptor* (*)();

/// A backend this build knows of.
struct KnownBackend {
  std::string_view name;
  bool built = false;       ///< Linked in, or built as a plugin.
  std::string_view reason;  ///< Why it is on or off.
};

/// Backends linked into this program, host first. Generated at configure time.
[[nodiscard]] std::span<const PluginEntry> linked_plugins() noexcept;
/// Every backend the build knows of, on or off. Generated at configure time.
[[nodiscard]] std::span<const KnownBackend> known_backends() noexcept;

}  // namespace oriel::core
