#pragma once

#include <cstdint>

namespace oriel {

/// What a command does to a buffer. `kWrite` promises that all of it is written.
enum class Access : std::uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

[[nodiscard]] constexpr bool reads(Access access) noexcept {
  return (static_cast<unsigned>(access) & 1U) != 0;
}
[[nodiscard]] constexpr bool writes(Access access) noexcept {
  return (static_cast<unsigned>(access) & 2U) != 0;
}

}  // namespace oriel
