#pragma once

#include <oriel/core/plugin.hpp>

/// What every broken plugin here starts from: a descriptor in which all is right, and an entry
/// point that the core can find.
#define ORIEL_TEST_ENTRY                                                                 \
  extern "C" __attribute__((visibility("default"))) const oriel::core::PluginDescriptor* \
  oriel_plugin()

namespace oriel::test {

inline Result<void> probe(LogSink&) {
  return {};
}
inline Result<std::vector<DeviceInfo>> list(LogSink&) {
  return std::vector<DeviceInfo>{};
}
inline Result<std::unique_ptr<core::GraphDriver>> open(std::uint32_t, LogSink&) {
  return fail(ErrorCode::kInvalidArgument, "there are 0 devices");
}

inline core::PluginDescriptor descriptor(const char* name) {
  core::PluginDescriptor it;
  it.name = name;
  it.build_tag = core::build_tag();
  it.probe = probe;
  it.list = list;
  it.open = open;
  return it;
}

}  // namespace oriel::test
