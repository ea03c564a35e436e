#pragma once

#include "emulators/control.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::test {

/// A test's hand on the emulated driver that a backend runs on: what to fail, what happened.
class EmulatedDriver {
 public:
  /// The one that ORIEL_<BACKEND>_LIBRARY names; nothing where that is unset or no emulated driver.
  [[nodiscard]] static std::optional<EmulatedDriver> of_backend(std::string_view backend);
  /// The one in this file; ends the process with a word where there is none.
  [[nodiscard]] static EmulatedDriver at(const std::string& path);

  [[nodiscard]] const emulator::Control& control() const noexcept { return *control_; }
  [[nodiscard]] emulator::Live live() const;
  [[nodiscard]] std::vector<std::string> violations() const;
  /// The calls since the last clear_log, in order.
  [[nodiscard]] std::vector<emulator::Call> log() const;
  /// The names of those that were made while something was captured, each once, sorted.
  [[nodiscard]] std::vector<std::string> called_in_capture() const;
  /// Those of them that give something back to the driver: no window may see one, on any thread.
  [[nodiscard]] std::vector<std::string> destroyed_in_capture() const;

 private:
  explicit EmulatedDriver(const emulator::Control& control) noexcept : control_(&control) {}

  const emulator::Control* control_;
};

}  // namespace oriel::test
