#include "work_stream.hpp"

#include "executor.hpp"

namespace oriel::host {
namespace {

// So many commands that nobody came for are reason to call a worker before its nap ends.
constexpr std::uint64_t kBacklog = 256;

}  // namespace

std::uint64_t WorkStream::publish() noexcept {
  const std::uint64_t number = queue.publish();
  const State seen = state.load();
  if (seen == State::kIdle) {
    executor.announce(*this);
  } else if (seen == State::kReady && queue.block_changes() != seen_changes_ &&
             number - queue.completed() >= kBacklog) {
    seen_changes_ = queue.block_changes();
    executor.hurry();
  }
  return number;
}

}  // namespace oriel::host
