#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace oriel::test {

// clang has no __SANITIZE_*__, gcc 12 no __has_feature.
#ifndef __has_feature
#define __has_feature(name) 0  // NOLINT(bugprone-reserved-identifier)
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || \
    __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// What the watchdog calls the present test.
void set_current_test(std::string_view name);

/// Ends the process, naming the test and the call, if it isn't gone in time: ten seconds, or sixty
/// under a sanitizer. For calls that may hang.
class Deadline {
 public:
  explicit Deadline(std::string_view call, unsigned factor = 1);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

 private:
  std::uint64_t id_;
};

/// Calls `function` under a deadline.
template <class Function>
auto guarded(std::string_view call, Function function) {
  const Deadline deadline(call);
  return function();
}

}  // namespace oriel::test
