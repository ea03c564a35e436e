#include "progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace oriel::tools {
namespace {

constexpr std::chrono::milliseconds kFirst{500};
constexpr std::chrono::milliseconds kEach{100};

}  // namespace

Progress::Progress()
    : terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now() + kFirst) {}

Progress::~Progress() {
  if (shown_) {
    std::fputs("\r\x1B[K", stderr);
  }
}

bool Progress::due() const {
  return terminal_ && std::chrono::steady_clock::now() >= next_;
}

void Progress::show(std::string_view text) {
  if (!due()) {
    return;
  }
  std::fprintf(stderr, "\r\x1B[K%.*s", static_cast<int>(text.size()), text.data());
  shown_ = true;
  next_ = std::chrono::steady_clock::now() + kEach;
}

}  // namespace oriel::tools
