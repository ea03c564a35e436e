#include "attributed.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/stream.hpp>
#include <oriel/window.hpp>

#include <utility>

namespace oriel {

Window::Window(const Stream& stream) noexcept : runtime_(stream.runtime()), stream_(stream.id()) {}

Window::~Window() {
  if (serial_ != 0) {
    runtime_->abandon(stream_, serial_);
  }
}

Result<void> Window::prepare(const WindowOptions& options) {
  auto serial = attributed(stream_, "prepare", runtime_->prepare(stream_, options));
  if (!serial) {
    return fail(std::move(serial.error()));
  }
  serial_ = *serial;
  return {};
}

Result<void> Window::warmup_pass() {
  return attributed(stream_, "warmup_pass", runtime_->warmup_pass(stream_));
}

Result<void> Window::begin() {
  return attributed(stream_, "begin", runtime_->begin(stream_));
}

CaptureResult Window::instantiate() {
  auto graph = runtime_->instantiate(stream_);
  if (!graph) {
    Refused& refused = graph.error();
    refused.error = attributed(stream_, "instantiate", std::move(refused.error));
    return tl::unexpected<Refused>(std::move(refused));
  }
  return Graph(runtime_, *graph);
}

void Window::doom(Error error) noexcept {
  if (serial_ != 0) {
    runtime_->doom(stream_, serial_, std::move(error));
  }
}

}  // namespace oriel
