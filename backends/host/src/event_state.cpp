#include "event_state.hpp"

#include "stream_commands.hpp"

namespace oriel::host {

bool EventState::record(WorkStream& stream) noexcept {
  const std::lock_guard lock(mutex_);
  const std::uint64_t position =
      stream.enqueue<Record>(sizeof(Record), Ref<EventState>(this), records_ + 1);
  if (position == 0) {
    return false;
  }
  ++records_;
  mark_ = {Ref<WorkStream>(&stream), position};
  return true;
}

Mark EventState::mark() const noexcept {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void EventState::take_time(std::uint64_t record) noexcept {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (record > timed_) {
    timed_ = record;
    time_ = now;
  }
}

EventState::Clock::time_point EventState::time() const noexcept {
  const std::lock_guard lock(mutex_);
  return time_;
}

}  // namespace oriel::host
