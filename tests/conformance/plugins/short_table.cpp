// Says it is of this ABI, with a table that isn't.
#include "plugin.hpp"

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("short_table");
    it.struct_size = 24;
    return it;
  }();
  return &descriptor;
}
