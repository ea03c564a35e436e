#pragma once

#include "ref.hpp"
#include "work_stream.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>

namespace oriel::host {

/// What an event marks: the place of its last record, and when that ran. Shared with the records
/// still in queues, so the event itself may be dropped before they run.
class EventState : public Counted {
 public:
  using Clock = std::chrono::steady_clock;

  /// Marks the stream's present end. False, with nothing changed, if memory ran out.
  [[nodiscard]] bool record(WorkStream& stream) noexcept;
  /// Where it is now; recording again doesn't change the copy.
  [[nodiscard]] Mark mark() const noexcept;

  /// Runs record number `record`. The time that counts is that of the last one made.
  void take_time(std::uint64_t record) noexcept;
  [[nodiscard]] Clock::time_point time() const noexcept;

 private:
  mutable std::mutex mutex_;
  Mark mark_;
  std::uint64_t records_ = 0;
  std::uint64_t timed_ = 0;  // the record that `time_` is of
  Clock::time_point time_;
};

}  // namespace oriel::host
