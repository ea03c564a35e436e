// Of another build: its virtual tables may be laid out otherwise.
#include "plugin.hpp"

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("wrong_build");
    it.build_tag = "oriel 0.0.1 other-compiler 1";
    return it;
  }();
  return &descriptor;
}
