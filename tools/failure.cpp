#include "failure.hpp"

namespace oriel::tools {
namespace {

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kOutOfMemory:  // a smaller problem would do
      return ExitCode::kUsage;
    case ErrorCode::kUnavailable:
    case ErrorCode::kIncompatible:
    case ErrorCode::kUnsupported:
    case ErrorCode::kDeviceLost:
    case ErrorCode::kDriverError:
      return ExitCode::kUnavailable;
    case ErrorCode::kInvalidState:
    case ErrorCode::kNotPermitted:
    case ErrorCode::kStreamBusy:
    case ErrorCode::kWouldAllocate:
    case ErrorCode::kDoomed:
    case ErrorCode::kUnjoined:
    case ErrorCode::kUnwritten:
      return ExitCode::kCheckFailed;
  }
  return ExitCode::kCheckFailed;
}

}  // namespace

tl::unexpected<Failure> stop(const Error& error) {
  return stop(exit_code_of(error.code), error.to_string());
}

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7F;
    if (!control) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  return line;
}

}  // namespace oriel::tools
