#pragma once

#include "command_queue.hpp"
#include "ref.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <thread>
#include <utility>

namespace oriel::host {

class Executor;
class WorkStream;

/// A place in a stream's order: all commands up to number `position`.
struct Mark {
  Ref<WorkStream> stream;  // null for a place that has always passed
  std::uint64_t position = 0;

  [[nodiscard]] bool passed() const noexcept;
};

/// The part of a stream that commands and threads share: its queue, and where it is with its work.
/// It lives as long as the driver's stream, an event's mark or unfinished work refers to it.
///
/// Invariant: everything below `queue` is guarded by the executor's lock, except that `state` and
/// `watched` may be read without. A stream has work exactly if it isn't idle, but for the moment
/// between a publish and the announcement that follows it; a stream that isn't idle keeps itself.
class WorkStream : public Counted {
 public:
  enum class State : std::uint8_t {
    kIdle,     ///< Nothing to do.
    kReady,    ///< In the executor's list.
    kRunning,  ///< A thread is at it: `runner`.
    kParked,   ///< Its next command waits for a mark of another stream: `parked_at`.
  };

  /// Who waits for a position of this stream: a parked stream or, if that is null, a thread.
  struct Waiter {
    std::uint64_t position = 0;
    WorkStream* parked = nullptr;
    Waiter* next = nullptr;
    bool listed = false;
  };

  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  explicit WorkStream(Executor& executor_) noexcept : executor(executor_) {}

  /// Makes a command of `bytes` bytes (sizeof(C) and what it keeps behind itself) at the end, and
  /// gives its number; 0 if memory ran out. One thread at a time.
  template <class C, class... Args>
  [[nodiscard]] std::uint64_t enqueue(std::size_t bytes, Args&&... args) noexcept {
    static_assert(alignof(C) <= CommandQueue::kAlignment);
    std::byte* memory = queue.reserve(bytes);
    if (memory == nullptr) {
      return 0;
    }
    new (memory) C(std::forward<Args>(args)...);
    return publish();
  }

  [[nodiscard]] bool passed(std::uint64_t position) const noexcept {
    return queue.completed() >= position;
  }

  Executor& executor;
  CommandQueue queue;

  std::atomic<State> state{State::kIdle};
  std::atomic<std::uint64_t> watched{kNobody};  ///< The least position of the waiters.
  Waiter* waiters = nullptr;
  Waiter waiter;                    ///< In the list of `parked_at`, while parked.
  WorkStream* parked_at = nullptr;  ///< Kept alive by the command that waits.
  WorkStream* next_ready = nullptr;
  std::uint64_t ready_since = 0;  ///< The executor's nap count then.
  std::thread::id runner;
  Ref<WorkStream> self;
  std::atomic<bool> abandoned{false};  ///< What is left shall not run.

 private:
  std::uint64_t publish() noexcept;

  std::uint64_t seen_changes_ = 0;
};

inline bool Mark::passed() const noexcept {
  return !stream || stream->passed(position);
}

}  // namespace oriel::host
