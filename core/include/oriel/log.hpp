#pragma once

#include <cstdint>
#include <string_view>

namespace oriel {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// Where log lines go. The core hands its sink to plugins; they log through it alone.
/// Nothing logs on launch, allocate, record and replay paths.
class LogSink {
 public:
  virtual void write(LogLevel level, std::string_view text) noexcept = 0;

 protected:
  ~LogSink() = default;
};

/// The default sink: standard error, from the level that ORIEL_LOG names (debug, info, warning,
/// error, off; warning if unset).
[[nodiscard]] LogSink& default_log() noexcept;

}  // namespace oriel
