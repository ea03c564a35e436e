#pragma once

#include <cstdint>

namespace oriel::tools {

/// What the kernel chain_link does, in whole numbers: x becomes (3 x + increment) modulo 2^20. Maps
/// compose to maps of the same kind, so that any number of links costs the model a few operations,
/// and it shares nothing with the kernel but the rule.
struct ChainMap {
  static constexpr std::uint64_t kModulus = 1 << 20;

  std::uint64_t factor = 1;
  std::uint64_t offset = 0;

  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t x) const {
    return (factor * x + offset) % kModulus;
  }
  /// This map, and then `next`.
  [[nodiscard]] constexpr ChainMap then(const ChainMap& next) const {
    return {factor * next.factor % kModulus, next(offset)};
  }
  /// This map `times` times.
  [[nodiscard]] constexpr ChainMap repeated(std::uint64_t times) const {
    ChainMap result;
    for (ChainMap power = *this; times != 0; times >>= 1) {
      if ((times & 1) != 0) {
        result = result.then(power);
      }
      power = power.then(power);
    }
    return result;
  }
};

/// What link `node` of a chain adds: unlike for neighbours, so that the order counts.
[[nodiscard]] constexpr std::uint32_t chain_increment(std::uint64_t node) {
  return static_cast<std::uint32_t>(node % 1009 + 1);
}

/// One step: all links of a chain in order.
[[nodiscard]] constexpr ChainMap chain_step(std::uint64_t nodes) {
  ChainMap step;
  for (std::uint64_t node = 0; node < nodes; ++node) {
    step = step.then({3, chain_increment(node)});
  }
  return step;
}

}  // namespace oriel::tools
