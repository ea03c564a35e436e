// A good plugin: the scripted driver, opened as any vendor's is.
#include "plugin.hpp"
#include "support/fake_driver.hpp"

namespace {

oriel::Result<std::vector<oriel::DeviceInfo>> one(oriel::LogSink&) {
  oriel::DeviceInfo info;
  info.backend = "scripted";
  info.name = "scripted driver";
  info.emulated = true;
  return std::vector<oriel::DeviceInfo>{info};
}

oriel::Result<std::unique_ptr<oriel::core::GraphDriver>> open_one(std::uint32_t ordinal,
                                                                  oriel::LogSink&) {
  if (ordinal != 0) {
    return oriel::fail(oriel::ErrorCode::kInvalidArgument, "there is 1 device");
  }
  return oriel::fake::make_driver(
      std::make_shared<oriel::fake::Script>(oriel::RecordingMode::kCaptures));
}

}  // namespace

ORIEL_TEST_ENTRY {
  static const oriel::core::PluginDescriptor descriptor = [] {
    oriel::core::PluginDescriptor it = oriel::test::descriptor("scripted");
    it.list = one;
    it.open = open_one;
    return it;
  }();
  return &descriptor;
}
