#include "rounds.hpp"

#include "side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace oriel::bench {
namespace {

/// One contestant, and what its floats must have become.
class Runner {
 public:
  Runner(Contestant& contestant, const Chain& chain)
      : contestant_(contestant), chain_(chain), step_(tools::chain_step(chain.links)) {}

  /// Finds how many steps a block takes. The blocks that it tries are the warm-up too.
  Result<void> find_block(double target_seconds) {
    static constexpr std::uint64_t kMostSteps = 1'000'000;
    ORIEL_TRY(run());
    while (seconds_ < target_seconds / 2 && steps_ < kMostSteps) {
      steps_ *= 2;
      ORIEL_TRY(run());
    }
    const double fitting = static_cast<double>(steps_) * target_seconds / seconds_;
    steps_ = static_cast<std::uint64_t>(std::clamp(fitting, 1.0, static_cast<double>(kMostSteps)));
    return {};
  }

  Result<void> run_round() {
    ORIEL_TRY(run());
    times_.push_back(seconds_ / static_cast<double>(steps_));
    return {};
  }

  [[nodiscard]] double median() const { return tools::median(times_); }

 private:
  Result<void> run() {
    const auto began = std::chrono::steady_clock::now();
    for (std::uint64_t step = 0; step < steps_; ++step) {
      ORIEL_TRY(contestant_.enqueue());
    }
    ORIEL_TRY(contestant_.finish());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    seconds_ = took.count();
    done_ = done_.then(step_.repeated(steps_));
    const auto values = contestant_.read();
    if (!values) {
      return fail(values.error());
    }
    return chain_.check(*values, done_);
  }

  Contestant& contestant_;
  const Chain& chain_;
  tools::ChainMap step_;
  tools::ChainMap done_;
  std::uint64_t steps_ = 1;  // of a block
  double seconds_ = 0;       // that the last block took
  std::vector<double> times_;
};

}  // namespace

Result<std::vector<double>> measure(const std::vector<std::unique_ptr<Contestant>>& contestants,
                                    const Chain& chain,
                                    const Rounds& rounds) {
  std::vector<Runner> runners;
  for (const auto& contestant : contestants) {
    runners.emplace_back(*contestant, chain);
    ORIEL_TRY(runners.back().find_block(rounds.block_seconds));
  }
  for (std::uint64_t round = 0; round < rounds.count; ++round) {
    for (std::size_t turn = 0; turn < runners.size(); ++turn) {
      ORIEL_TRY(runners[(round + turn) % runners.size()].run_round());
    }
  }
  std::vector<double> medians;
  for (const Runner& runner : runners) {
    medians.push_back(runner.median());
  }
  return medians;
}

}  // namespace oriel::bench
