#include "text.hpp"

#include <oriel/core/backends.hpp>
#include <oriel/runtime.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <utility>

/// Backends by name: linked in, or loaded; listing and opening.

namespace oriel::core {
namespace {

Error about(std::string_view backend, Error error) {
  error.message = "backend " + in_quotes(backend) + ": " + error.message;
  return error;
}

/// Calls into a plugin; what it throws goes no further.
template <class Call>
auto ask(const PluginDescriptor& plugin, Call&& call) -> decltype(call()) {
  std::string what = "something";
  try {
    auto answer = call();
    return answer ? std::move(answer)
                  : decltype(answer)(fail(about(plugin.name, std::move(answer.error()))));
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
  }
  return fail(about(plugin.name, {ErrorCode::kIncompatible, "the plugin threw: " + what}));
}

const PluginDescriptor* linked(std::string_view name) noexcept {
  for (const PluginEntry entry : linked_plugins()) {
    const PluginDescriptor* plugin = entry();
    if (plugin != nullptr && plugin->name == name) {
      return plugin;
    }
  }
  return nullptr;
}

Error not_there(std::string_view name) {
  std::string known;
  for (const KnownBackend& it : known_backends()) {
    if (it.name == name) {
      return {ErrorCode::kUnavailable,
              "backend " + in_quotes(name) + ": " +
                  (it.built ? "its plugin was not found in the plugin folders"
                            : "this build has none (" + std::string(it.reason) +
                                  "), and no plugin was found")};
    }
    known += (known.empty() ? "" : ", ") + std::string(it.name);
  }
  return {ErrorCode::kUnavailable,
          "there is no backend " + in_quotes(name) + "; this build knows: " + known +
              "; a plugin of your own goes by its path, or into a plugin folder as oriel_" +
              std::string(name) + ".so"};
}

Result<const PluginDescriptor*> find_backend(std::string_view name, const RuntimeOptions& options) {
  if (const PluginDescriptor* plugin = linked(name)) {
    return plugin;
  }
  const auto files = find_plugins(name, options);
  if (name.empty() || files.empty()) {
    return fail(not_there(name));
  }
  auto plugin = load_plugin(files.front());
  return plugin ? plugin : Result<const PluginDescriptor*>(fail(about(name, plugin.error())));
}

struct DeviceName {
  std::string_view backend;
  std::uint32_t ordinal = 0;
};

Result<DeviceName> parse(std::string_view device) {
  const std::size_t colon = device.rfind(':');
  const std::size_t slash = device.rfind('/');
  if (colon == std::string_view::npos || (slash != std::string_view::npos && colon < slash)) {
    return DeviceName{device, 0};
  }
  DeviceName name{device.substr(0, colon), 0};
  const std::string_view digits = device.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), name.ordinal);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return fail(ErrorCode::kInvalidArgument,
                in_quotes(device) +
                    " does not name a device; write backend:ordinal, "
                    "for example host:1");
  }
  return name;
}

}  // namespace

Result<std::unique_ptr<GraphDriver>> open_device(std::string_view device,
                                                 const RuntimeOptions& options) {
  auto name = parse(device);
  if (!name) {
    return fail(std::move(name.error()));
  }
  const bool is_path = name->backend.find('/') != std::string_view::npos;
  auto plugin = is_path ? load_plugin(std::filesystem::path(name->backend))
                        : find_backend(name->backend, options);
  if (!plugin) {
    return fail(std::move(plugin.error()));
  }
  const PluginDescriptor& it = **plugin;
  ORIEL_TRY(ask(it, [&] { return it.probe(default_log()); }));
  return ask(it, [&] { return it.open(name->ordinal, default_log()); });
}

}  // namespace oriel::core

namespace oriel {
namespace {

BackendStatus look_at(std::string name, Result<const core::PluginDescriptor*> plugin) {
  BackendStatus status;
  status.name = std::move(name);
  if (!plugin) {
    status.reason = plugin.error().message;
    return status;
  }
  const core::PluginDescriptor& it = **plugin;
  auto probed = core::ask(it, [&] { return it.probe(default_log()); });
  if (!probed) {
    status.reason = probed.error().message;
    return status;
  }
  auto devices = core::ask(it, [&] { return it.list(default_log()); });
  if (!devices) {
    status.reason = devices.error().message;
    return status;
  }
  status.devices = std::move(*devices);
  status.available = !status.devices.empty();
  if (!status.available) {
    status.reason = "it found no device";
  }
  return status;
}

}  // namespace

std::vector<BackendStatus> list_backends(const RuntimeOptions& options) {
  std::vector<BackendStatus> all;
  const auto listed = [&](std::string_view name) {
    return std::any_of(all.begin(), all.end(), [&](const auto& it) { return it.name == name; });
  };
  for (const core::KnownBackend& known : core::known_backends()) {
    all.push_back(look_at(std::string(known.name), core::find_backend(known.name, options)));
  }
  for (const auto& path : core::find_plugins({}, options)) {
    auto plugin = core::load_plugin(path);
    std::string name = plugin ? std::string((*plugin)->name) : path.filename().string();
    if (!listed(name)) {
      all.push_back(look_at(std::move(name), std::move(plugin)));
    }
  }
  return all;
}

}  // namespace oriel
