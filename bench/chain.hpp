#pragma once

#include "chain_model.hpp"

#include <oriel/error.hpp>
#include <oriel/kernel_bundle.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace oriel::bench {

/// What all contestants run: `links` launches of the kernel chain_link, one after the other, over
/// the same `width` floats.
struct Chain {
  static constexpr std::uint32_t kGroup = 256;

  std::uint64_t links = 0;
  std::uint32_t width = 0;

  [[nodiscard]] std::uint32_t group() const noexcept { return width < kGroup ? width : kGroup; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return (width - 1) / group() + 1; }
  /// The floats before the first step.
  [[nodiscard]] std::vector<float> first() const;
  /// An error unless `values` are what the first floats became by `done`.
  [[nodiscard]] Result<void> check(std::span<const float> values,
                                   const tools::ChainMap& done) const;
};

/// The bundle that holds chain_link.
[[nodiscard]] const KernelBundle& chain_bundle();

/// One way to run a chain, on memory and a stream of its own that start with the first floats.
class Contestant {
 public:
  virtual ~Contestant() = default;

  /// Enqueues one step: the whole chain.
  [[nodiscard]] virtual Result<void> enqueue() = 0;
  /// Waits for all steps.
  [[nodiscard]] virtual Result<void> finish() = 0;
  [[nodiscard]] virtual Result<std::vector<float>> read() = 0;
};

}  // namespace oriel::bench
