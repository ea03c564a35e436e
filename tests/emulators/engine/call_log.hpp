#pragma once

#include "../control.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

namespace oriel::emulator {

/// One function that the driver exports; static, and in a list from before main().
struct Function {
  explicit Function(const char* name_) noexcept;

  [[nodiscard]] static Function* find(std::string_view name) noexcept;
  [[nodiscard]] static Function* first() noexcept;

  const char* name;
  Function* next = nullptr;
  std::uint64_t calls = 0;  ///< Since the last clear.
  bool pretended = false;
};

/// The calls that the driver got. Recording one costs a copy of a few words.
///
/// Invariant: the newest kKept calls are there; the counts are exact for all.
class CallLog {
 public:
  static constexpr std::size_t kKept = std::size_t{1} << 20U;

  /// Returns the call's number, for finish().
  std::uint64_t start(Function& function, std::uint64_t thread, bool in_capture);
  void finish(std::uint64_t number, std::int32_t result, bool on_command) noexcept;

  [[nodiscard]] std::size_t count(std::string_view function) const noexcept;
  /// False past the end, and for a call that is no longer kept.
  bool get(std::size_t index, Call& out) const;
  void clear() noexcept;

 private:
  std::deque<Call> calls_;
  std::uint64_t first_ = 0;    ///< Number of the oldest call that is kept.
  std::uint64_t cleared_ = 0;  ///< Number of the first call after the last clear.
};

/// The one fault that is armed, if any, and the functions that only pretend.
class Faults {
 public:
  void arm(std::string_view function, std::uint64_t k, std::int32_t code, bool on);
  bool pretend(std::string_view function);
  void clear() noexcept;
  [[nodiscard]] bool hit() const noexcept { return hit_; }

  /// Whether the call is answered on command, and what.
  bool answers(const Function& function, std::int32_t& code) noexcept {
    if (!armed_ && !pretending_) {
      return false;
    }
    return decide(function, code);
  }

 private:
  bool decide(const Function& function, std::int32_t& code) noexcept;

  const Function* target_ = nullptr;  ///< Null: any.
  std::uint64_t remaining_ = 0;
  std::int32_t code_ = 0;
  bool armed_ = false;
  bool on_ = false;
  bool hit_ = false;
  bool pretending_ = false;
};

}  // namespace oriel::emulator
