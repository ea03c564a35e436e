#include <oriel/alloc/padding.hpp>

#include <array>
#include <limits>

namespace oriel::alloc {

std::optional<std::size_t> round_up(std::size_t bytes, std::size_t step) noexcept {
  if (step == 0) {
    return bytes;
  }
  const std::size_t over = bytes % step;
  if (over == 0) {
    return bytes;
  }
  const std::size_t missing = step - over;
  if (bytes > std::numeric_limits<std::size_t>::max() - missing) {
    return std::nullopt;
  }
  return bytes + missing;
}

std::string readable_bytes(std::size_t bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr std::size_t kStep = 1024;
  std::size_t unit = 0;
  std::size_t rest = 0;
  while (bytes >= kStep) {
    rest = bytes % kStep;
    bytes /= kStep;
    ++unit;
  }
  std::string text = std::to_string(bytes);
  if (unit != 0) {
    text += '.' + std::to_string(rest * 10 / kStep);
  }
  return text + ' ' + kUnits[unit];
}

}  // namespace oriel::alloc
