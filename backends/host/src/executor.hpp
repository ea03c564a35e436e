#pragma once

#include "work_stream.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace oriel::host {

/// Runs the streams of one device, each by one thread at a time and in order.
///
/// Work is deferred: a stream with commands is put into a list, and the thread that waits for it
/// runs it, without waking anybody. Workers take what nobody came for. They look at the list when
/// their nap ends, not at each command (a wake-up costs more than a small graph), or at once when
/// somebody hurries; after a while without work they sleep until there is some.
///
/// No thread ever waits inside a stream: one whose next command waits for another stream is parked,
/// and taken up when that one has got there. A thread that waits follows such links to the stream
/// that holds it up and runs that one, so no work needs a worker to be done. The links have no
/// cycle, since a mark names a position that was there before the command that waits for it.
class Executor {
 public:
  /// An executor with so many workers, which share it: it may be stopped and given up on a worker
  /// too. Throws std::system_error if a thread can't be started.
  [[nodiscard]] static std::shared_ptr<Executor> start(unsigned workers);
  /// Ends the workers, waiting for all but the caller. Who waits for work still runs it.
  void stop() noexcept;

  /// A command was published on the stream, which seemed to be idle.
  void announce(WorkStream& stream) noexcept;
  /// Runs and waits until the mark has passed. False, at once, if that needs this very thread to
  /// return first: it is called from a command that must be done before.
  [[nodiscard]] bool wait(const Mark& mark) noexcept;
  /// Makes sure that somebody works on what there is. Never waits.
  void hurry() noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void work() noexcept;
  void run_commands(WorkStream& stream, std::uint64_t last) noexcept;

  // Under the lock; those that take it give it up for a while.
  void nap(Lock& lock, unsigned& quiet, std::uint64_t& seen) noexcept;
  [[nodiscard]] WorkStream* due() noexcept;
  void call_worker() noexcept;
  void leave_idle(WorkStream& stream) noexcept;
  void push_ready(WorkStream& stream) noexcept;
  void take(WorkStream& stream) noexcept;
  void run(Lock& lock, WorkStream& stream, std::uint64_t last) noexcept;
  void settle(WorkStream& stream) noexcept;
  void park(WorkStream& stream, const Mark& gate) noexcept;
  void serve_waiters(WorkStream& stream) noexcept;
  void spin(Lock& lock, const Mark& mark, WorkStream& running) noexcept;
  void sleep_until_progress(Lock& lock, const Mark& mark) noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;  // for workers
  std::condition_variable
      progress_;  // for threads that wait: a stream stopped running, or got there
  WorkStream* oldest_ready_ = nullptr;
  WorkStream* newest_ready_ = nullptr;
  unsigned sleepers_ = 0;  // threads at progress_
  unsigned asleep_ = 0;    // workers that sleep for good
  bool hurried_ = false;
  bool stopping_ = false;
  std::uint64_t naps_ = 0;      // ended so far
  std::uint64_t activity_ = 0;  // announcements so far
  std::vector<std::thread> workers_;
};

}  // namespace oriel::host
