#pragma once

#include <chrono>
#include <string_view>

namespace oriel::tools {

/// One line on standard error that says how far a long run is, where that is a terminal; silent on
/// a pipe. The line is gone when this is.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Whether a line is due: at most ten a second, and none for what is done within half a second.
  [[nodiscard]] bool due() const;
  void show(std::string_view text);

 private:
  bool terminal_ = false;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace oriel::tools
