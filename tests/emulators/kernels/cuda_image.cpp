#include "emulators/kernels/device_code.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace oriel::emulator {

std::vector<DeviceCode> read_cuda_image(const void* image) {
  if (image == nullptr) {
    return {};
  }
  const auto* bytes = static_cast<const std::byte*>(image);
  if (is_fatbin(bytes)) {
    return read_fatbin(bytes);
  }
  std::optional<DeviceCode> code;
  if (is_cubin(bytes)) {
    if (const auto size = cubin_size(bytes)) {
      code = read_cubin({bytes, *size});
    }
  } else {
    code = read_ptx(std::string_view(static_cast<const char*>(image)));
  }
  std::vector<DeviceCode> codes;
  if (code) {
    codes.push_back(std::move(*code));
  }
  return codes;
}

namespace {

bool runs_on(const DeviceCode& code, std::uint32_t architecture) {
  if (code.architecture > architecture) {
    return false;
  }
  return code.portable || code.architecture / 10 == architecture / 10;
}

// A cubin goes before PTX, and newer code before older.
bool goes_before(const DeviceCode& code, const DeviceCode& other) {
  if (code.portable != other.portable) {
    return other.portable;
  }
  return code.architecture > other.architecture;
}

}  // namespace

const DeviceCode* choose_code(const std::vector<DeviceCode>& codes, std::uint32_t architecture) {
  const DeviceCode* best = nullptr;
  for (const DeviceCode& code : codes) {
    if (runs_on(code, architecture) && (best == nullptr || goes_before(code, *best))) {
      best = &code;
    }
  }
  return best;
}

}  // namespace oriel::emulator
