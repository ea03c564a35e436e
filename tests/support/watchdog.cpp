#include "watchdog.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

namespace oriel::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit{kSanitized ? 60 : 10};

// Looks at the open deadlines twice a second.
class Watchdog {
 public:
  static Watchdog& instance() {
    static Watchdog watchdog;
    return watchdog;
  }

  void set_test(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    test_ = name;
  }
  std::uint64_t add(std::string_view call, unsigned factor) {
    const std::scoped_lock lock(mutex_);
    entries_[++last_] = {Clock::now() + kLimit * factor, std::string(call)};
    return last_;
  }
  void remove(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    entries_.erase(id);
  }

 private:
  struct Entry {
    Clock::time_point limit;
    std::string call;
  };

  Watchdog() : thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const Clock::time_point now = Clock::now();
      for (const auto& [id, entry] : entries_) {
        if (entry.limit < now) {
          std::fprintf(stderr, "watchdog: %s hangs in %s\n", test_.c_str(), entry.call.c_str());
          std::fflush(nullptr);
          std::abort();
        }
      }
      wake_.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; });
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string test_ = "a test";
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t last_ = 0;
  std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace

void set_current_test(std::string_view name) {
  Watchdog::instance().set_test(name);
}

Deadline::Deadline(std::string_view call, unsigned factor)
    : id_(Watchdog::instance().add(call, factor)) {}

Deadline::~Deadline() {
  Watchdog::instance().remove(id_);
}

}  // namespace oriel::test
