// Leaves its functions out.
#include "plugin.hpp"

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("null_functions");
    it.probe = nullptr;
    it.list = nullptr;
    it.open = nullptr;
    return it;
  }();
  return &descriptor;
}
