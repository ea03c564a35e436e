#include "conformance/stdout_capture.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>

#include <stdlib.h>
#include <unistd.h>

namespace oriel::conformance {

StdoutCapture::StdoutCapture() {
  std::fflush(stdout);
  std::string path = "/tmp/oriel_stdout_XXXXXX";
  file_ = mkstemp(path.data());
  saved_ = dup(STDOUT_FILENO);
  if (file_ < 0 || saved_ < 0) {
    throw std::runtime_error("can't redirect standard output");
  }
  unlink(path.c_str());
  dup2(file_, STDOUT_FILENO);
}

StdoutCapture::~StdoutCapture() {
  std::fflush(stdout);
  dup2(saved_, STDOUT_FILENO);
  close(saved_);
  close(file_);
}

std::string StdoutCapture::text() {
  std::fflush(stdout);
  std::string all;
  std::array<char, 4096> block{};
  ssize_t got = 0;
  while ((got = pread(file_, block.data(), block.size(), static_cast<off_t>(all.size()))) > 0) {
    all.append(block.data(), static_cast<std::size_t>(got));
  }
  return all;
}

}  // namespace oriel::conformance
