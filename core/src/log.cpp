#include <oriel/log.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace oriel {
namespace {

spdlog::level::level_enum wanted_level() noexcept {
  const char* wanted = std::getenv("ORIEL_LOG");  // NOLINT(concurrency-mt-unsafe): read once
  const std::string_view name = wanted == nullptr ? "" : wanted;
  if (name == "debug") {
    return spdlog::level::debug;
  }
  if (name == "info") {
    return spdlog::level::info;
  }
  if (name == "error") {
    return spdlog::level::err;
  }
  return name == "off" ? spdlog::level::off : spdlog::level::warn;
}

class SpdlogSink final : public LogSink {
 public:
  SpdlogSink()
      : logger_(std::make_shared<spdlog::logger>(
            "oriel", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
    logger_->set_pattern("oriel: %l: %v");
    logger_->set_level(wanted_level());
  }
  void write(LogLevel level, std::string_view text) noexcept override {
    static constexpr spdlog::level::level_enum kLevels[] = {
        spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    logger_->log(kLevels[static_cast<int>(level)], spdlog::string_view_t(text.data(), text.size()));
  }

 private:
  std::shared_ptr<spdlog::logger> logger_;
};

}  // namespace

LogSink& default_log() noexcept {
  // Never destroyed: plugins stay loaded for the life of the process and may log until its end.
  static SpdlogSink& sink = *new SpdlogSink;
  return sink;
}

}  // namespace oriel
