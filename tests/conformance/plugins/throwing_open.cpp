// Throws when it is opened.
#include "plugin.hpp"

#include <stdexcept>

namespace {
oriel::Result<std::unique_ptr<oriel::core::GraphDriver>> throw_it(std::uint32_t, oriel::LogSink&) {
  throw std::runtime_error("thrown by open");
}
}  // namespace

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("throwing_open");
    it.open = throw_it;
    return it;
  }();
  return &descriptor;
}
