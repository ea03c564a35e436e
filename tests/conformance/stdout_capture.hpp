#pragma once

#include <string>

namespace oriel::conformance {

/// Standard output of this process, kept from the terminal while this lives: what kernels print
/// must neither be lost nor stand between the lines of a report.
class StdoutCapture {
 public:
  StdoutCapture();
  StdoutCapture(const StdoutCapture&) = delete;
  StdoutCapture& operator=(const StdoutCapture&) = delete;
  ~StdoutCapture();

  /// Everything printed so far.
  [[nodiscard]] std::string text();

 private:
  int saved_ = -1;
  int file_ = -1;
};

}  // namespace oriel::conformance
