#pragma once

#include <cstddef>
#include <cstdint>

namespace oriel::emulator {

/// One call that a vendor's function got, in the order of their starts.
struct Call {
  const char* function = nullptr;  ///< The exported name, "cuMemAlloc_v2"; lives for ever.
  std::uint64_t thread = 0;        ///< A number for each calling thread, from 1.
  bool in_capture = false;         ///< Some capture was under way in the process when it started.
  bool on_command = false;         ///< It was answered by fail_call or pretend, and did nothing.
  std::int32_t result = 0;         ///< The vendor's code.
};

/// Objects that were made and not destroyed.
struct Live {
  std::size_t contexts = 0;  ///< Retains of primary contexts.
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t modules = 0;
  std::size_t device_blocks = 0;
  std::size_t pinned_blocks = 0;
  std::size_t graphs = 0;
  std::size_t executables = 0;
  std::size_t captures = 0;  ///< Sequences under way.

  [[nodiscard]] std::size_t total() const noexcept {
    return contexts + streams + events + modules + device_blocks + pinned_blocks + graphs +
           executables + captures;
  }
};

/// What a test can ask of an emulated driver beside the vendor's own functions. Plain C types only;
/// every function may be called on any thread at any time. `function` is an exported name; "" means
/// any.
struct Control {
  std::uint32_t size = sizeof(Control);

  /// The k-th call from now on (1 is the next) of `function` returns `code` and does nothing; with
  /// `on`, every later one too. One fault is armed at a time.
  void (*fail_call)(const char* function, std::uint64_t k, std::int32_t code, bool on);
  /// Calls of `function` return success and do nothing, out parameters untouched, until clear.
  void (*pretend)(const char* function);
  /// Takes back fail_call and pretend.
  void (*clear_faults)();
  /// Whether the armed fault was hit.
  bool (*fault_hit)();

  /// Calls since the last clear_log, faults included.
  std::size_t (*call_count)(const char* function);
  /// The i-th of them; false past the end.
  bool (*call)(std::size_t index, Call* out);
  void (*clear_log)();

  void (*live)(Live* out);
  /// Rules that were broken so far: memory used after it was freed or never allocated, writes into
  /// freed memory, out of bounds, an object destroyed twice, a call from a host function. Null past
  /// the end; the text lives until clear_violations.
  const char* (*violation)(std::size_t index);
  void (*clear_violations)();

  /// Sets what the environment sets, ORIEL_EMULATOR_<NAME>, for calls from now on: "delay_us",
  /// "memory_bytes", "driver_version" and so on; false for a name or value that there is not.
  bool (*set_option)(const char* name, const char* value);
};

}  // namespace oriel::emulator

/// Every emulated driver exports this, and nothing else that the vendor's library doesn't have.
extern "C" const oriel::emulator::Control* oriel_emulator();
