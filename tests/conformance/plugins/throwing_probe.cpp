// Throws in its probe.
#include "plugin.hpp"

#include <stdexcept>

namespace {
oriel::Result<void> throw_it(oriel::LogSink&) {
  throw std::runtime_error("thrown by the probe");
}
}  // namespace

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("throwing_probe");
    it.probe = throw_it;
    return it;
  }();
  return &descriptor;
}
