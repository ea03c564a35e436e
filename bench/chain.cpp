#include "chain.hpp"

#include "bench_kernels.hpp"

#include <string>

namespace oriel::bench {

std::vector<float> Chain::first() const {
  std::vector<float> values(width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % tools::ChainMap::kModulus);
  }
  return values;
}

Result<void> Chain::check(std::span<const float> values, const tools::ChainMap& done) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto expected = static_cast<float>(done(i % tools::ChainMap::kModulus));
    if (values[i] != expected) {
      return fail(ErrorCode::kDriverError,
                  "a chain of " + std::to_string(links) + " links computed wrongly: element " +
                      std::to_string(i) + " is " + std::to_string(values[i]) + " and not " +
                      std::to_string(expected));
    }
  }
  return {};
}

const KernelBundle& chain_bundle() {
  return bench_kernels::bundle();
}

}  // namespace oriel::bench
