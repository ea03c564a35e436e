// Of an older ABI, whose table was shorter too.
#include "plugin.hpp"

namespace {
struct ShortDescriptor {
  std::uint32_t struct_size;
  std::uint32_t abi;
  const char* name;
  const char* build_tag;
};
const ShortDescriptor kDescriptor = {
    sizeof(ShortDescriptor), oriel::core::kPluginAbi + 41, "wrong_abi", "whatever"};
}  // namespace

ORIEL_TEST_ENTRY {
  return reinterpret_cast<const oriel::core::PluginDescriptor*>(&kDescriptor);
}
