#pragma once

#include "situation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace oriel::emulator {

/// What a vendor's driver does in one situation.
struct Rule {
  Situation situation = Situation::kSuccess;
  std::int32_t code = 0;     ///< The vendor's number.
  bool invalidates = false;  ///< The captures that are involved.
  const char* evidence =
      "";  ///< [D] documented, [S] source, [M] measured, [I] inferred, [mem] unsure.
};

/// The vendor's table, one rule for every situation. All that is known about codes only by hearsay
/// is a row, so a correction is a change of one line.
class Rules {
 public:
  /// Stops the program when a situation has no row, or two.
  explicit Rules(std::span<const Rule> rows) noexcept;

  [[nodiscard]] const Rule& of(Situation situation) const noexcept {
    return rules_[static_cast<std::size_t>(situation)];
  }
  [[nodiscard]] std::int32_t code(Situation situation) const noexcept { return of(situation).code; }

 private:
  std::array<Rule, static_cast<std::size_t>(Situation::kCount)> rules_{};
};

/// The rules of the driver this engine is linked into; its face defines it.
[[nodiscard]] const Rules& vendor_rules() noexcept;

}  // namespace oriel::emulator
