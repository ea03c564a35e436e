#pragma once

#include <oriel/core/plugin.hpp>
#include <oriel/options.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::core {

/// Finds and loads plugins. A loaded plugin stays loaded for the life of the process: what it made
/// may live that long.

/// Loads the plugin at `path` and checks its descriptor. Errors: `unavailable` (no such file, no
/// shared object, others may write it or a folder that it lies in), `incompatible` (no entry point,
/// another ABI or build, a descriptor that is null, too short or throws).
[[nodiscard]] Result<const PluginDescriptor*> load_plugin(const std::filesystem::path& path);

/// The plugin files of a name, in the order of the search: the caller's directories,
/// ORIEL_PLUGIN_PATH (colon-separated), the library's own `oriel/` folder. Never the current
/// directory. An empty name gives every plugin, each name once.
[[nodiscard]] std::vector<std::filesystem::path> find_plugins(std::string_view name,
                                                              const RuntimeOptions& options);

/// Opens "name", "name:ordinal", "path" or "path:ordinal" (what has a '/' is a path); see
/// Runtime::open.
[[nodiscard]] Result<std::unique_ptr<GraphDriver>> open_device(std::string_view device,
                                                               const RuntimeOptions& options);

}  // namespace oriel::core
