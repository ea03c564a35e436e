#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace oriel::emulator {

/// The rules that were broken so far, as sentences; the first kKept of them.
class Violations {
 public:
  static constexpr std::size_t kKept = 1000;

  void add(std::string text) {
    if (texts_.size() < kKept) {
      texts_.push_back(std::move(text));
    }
  }
  /// Null past the end.
  [[nodiscard]] const char* at(std::size_t index) const noexcept {
    return index < texts_.size() ? texts_[index].c_str() : nullptr;
  }
  void clear() noexcept { texts_.clear(); }

 private:
  std::deque<std::string> texts_;  // a deque, as the texts' addresses were handed out
};

}  // namespace oriel::emulator
