#pragma once

#include <oriel/core/commands.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace oriel::core {

/// The first failure of a host function since it was last asked for.
class AsyncFailures {
 public:
  void put(Error error) noexcept;
  [[nodiscard]] std::optional<Error> take() noexcept;

 private:
  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::optional<Error> first_;
};

/// One host function with its payload. What it throws is caught here: nothing crosses the driver.
struct HostCall {
  void (*function)(void*) = nullptr;
  std::shared_ptr<void> payload;
  std::string label;
  StreamId stream;  ///< Where it was called, or recorded.
  std::shared_ptr<AsyncFailures> failures;

  /// What the driver is given: run(this).
  static void run(void* self) noexcept;
};

/// Whether this thread is inside a host function, where Oriel must not be called.
[[nodiscard]] bool inside_host_function() noexcept;

}  // namespace oriel::core
