#include <oriel/error.hpp>

#include <array>

namespace oriel {

std::string_view to_string(ErrorCode code) noexcept {
  static constexpr std::array<std::string_view, 14> kNames{"invalid_argument",
                                                           "invalid_state",
                                                           "not_permitted",
                                                           "stream_busy",
                                                           "would_allocate",
                                                           "doomed",
                                                           "unjoined",
                                                           "unwritten",
                                                           "out_of_memory",
                                                           "unsupported",
                                                           "unavailable",
                                                           "incompatible",
                                                           "device_lost",
                                                           "driver_error"};
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::string Error::to_string() const {
  std::string text(oriel::to_string(code));
  text += ": ";
  text += message;
  if (!native.name.empty()) {
    text += " [" + native.name + " (" + std::to_string(native.value) + ")]";
  }
  return text;
}

}  // namespace oriel
