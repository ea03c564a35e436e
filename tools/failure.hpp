#pragma once

#include <oriel/error.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace oriel::tools {

/// What the command's exit status says.
enum class ExitCode : int {
  kDone = 0,
  kUsage = 1,        ///< Wrong options or bad input.
  kCheckFailed = 2,  ///< It ran, and the result failed its check.
  kUnavailable = 3,  ///< The backend can't be used.
};

/// Why the command stopped: one sentence, and the status to leave with.
struct Failure {
  ExitCode exit = ExitCode::kUsage;
  std::string message;
};

template <class T>
using Outcome = tl::expected<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> stop(ExitCode exit, std::string message) {
  return tl::unexpected<Failure>(Failure{exit, std::move(message)});
}

[[nodiscard]] inline tl::unexpected<Failure> stop(Failure failure) {
  return tl::unexpected<Failure>(std::move(failure));
}
/// What an error of the library means for the command.
[[nodiscard]] tl::unexpected<Failure> stop(const Error& error);

/// `text` without line breaks and other control characters, so that an error stays one line.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace oriel::tools
