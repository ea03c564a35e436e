// A plugin that finds no device, and says why.
#include "plugin.hpp"

namespace {
oriel::Result<void> absent(oriel::LogSink&) {
  return oriel::fail(oriel::ErrorCode::kUnavailable, "libabsent.so.1 not found");
}
}  // namespace

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("unavailable");
    it.probe = absent;
    return it;
  }();
  return &descriptor;
}
