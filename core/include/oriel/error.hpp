#pragma once

#include <oriel/ids.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace oriel {

/// What went wrong, by what the caller may do about it. The code for a given misuse, and the call
/// that raises it, are the same on every backend.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  ///< Mend the call's arguments. Nothing changed.
  kInvalidState,     ///< Wrong order, or a stale or foreign handle. Nothing changed.
  kNotPermitted,   ///< Would break an open window; stopped before the driver saw it. The window is
                   ///< good.
  kStreamBusy,     ///< The device stream is another logical stream's window. Nothing changed.
  kWouldAllocate,  ///< The armed pools can't serve this inside the window, which is now doomed.
  kDoomed,         ///< The window can't become a graph any more: close it and read the first cause.
  kUnjoined,       ///< A stream pulled into the window was not joined back before the close.
  kUnwritten,      ///< The memory was to be written by work that never ran. Write it whole first.
  kOutOfMemory,    ///< Free memory and try again.
  kUnsupported,    ///< This backend never will; a capability says so.
  kUnavailable,    ///< The library, the driver or the device is not there.
  kIncompatible,   ///< The plugin or driver is of another version; both numbers are named.
  kDeviceLost,     ///< The device is gone; close the runtime.
  kDriverError,    ///< The driver failed for a reason of its own; see the native code.
};

/// The code's name as users see it, for example "would_allocate".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// A vendor's own verdict: its number and its name, "" where no driver was involved.
struct NativeCode {
  std::int64_t value = 0;
  std::string name;
};

/// One failure: a code, and one sentence that says what to do.
struct Error {
  ErrorCode code = ErrorCode::kDriverError;
  std::string message;
  std::string operation;  ///< Label of the call, or its name, as "begin".
  StreamId stream;        ///< The logical stream it was made on, invalid if it has none.
  NativeCode native;
  std::vector<Error> later;  ///< What went wrong after this, oldest first, at most kMostLater.

  static constexpr std::size_t kMostLater = 16;

  Error() = default;
  Error(ErrorCode code_, std::string message_) : code(code_), message(std::move(message_)) {}

  /// "would_allocate: <message> [CUDA_ERROR_X (2)]", without the later ones.
  [[nodiscard]] std::string to_string() const;
};

/// What a Result<void> holds. (tl::expected<void> has no value() in version 1.0, and programs that
/// give up on any error want to write `stream.synchronize().value()`.)
struct Done {};

/// A value, or the reason why there is none: tl::expected. value() throws the Error, wrapped in
/// tl::bad_expected_access, where there is none; nothing else here throws.
template <class T>
using Result = tl::expected<std::conditional_t<std::is_void_v<T>, Done, T>, Error>;

/// Shorthand for the failing side of a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace oriel

/// Returns the error of a Result<void> expression to the caller's caller.
#define ORIEL_TRY(expression)                                \
  do {                                                       \
    if (auto oriel_result = (expression); !oriel_result) {   \
      return ::oriel::fail(std::move(oriel_result.error())); \
    }                                                        \
  } while (false)
