#include "rules.hpp"

#include <cstdio>
#include <cstdlib>

namespace oriel::emulator {

Rules::Rules(std::span<const Rule> rows) noexcept {
  std::array<int, static_cast<std::size_t>(Situation::kCount)> seen{};
  for (const Rule& row : rows) {
    rules_[static_cast<std::size_t>(row.situation)] = row;
    ++seen[static_cast<std::size_t>(row.situation)];
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != 1) {
      std::fprintf(stderr, "Emulated driver: situation %zu has %d rules.\n", i, seen[i]);
      std::abort();
    }
  }
}

}  // namespace oriel::emulator
