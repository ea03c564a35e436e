#include "runtime_submit.hpp"
#include "text.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/core/window.hpp>

#include <utility>

/// The three steps of a window, by logical stream.

namespace oriel::core {

Result<DeviceStream*> Runtime::window_stream(StreamId id, const char* call, Lock& lock) {
  auto stream = admit(id, call, lock);
  if (!stream) {
    return stream;
  }
  const StreamCapture* window = (*stream)->window;
  if (window != nullptr && window != &(*stream)->capture) {
    return fail(ErrorCode::kInvalidState,
                std::string(call) + " on " + name_of(id) + ", which is a fork in the window of " +
                    name_of(window->owner()) + " (unmatched); join it and use that stream");
  }
  return stream;
}

Result<DeviceStream*> Runtime::own_window_stream(StreamId id, const char* call, Lock& lock) {
  auto stream = window_stream(id, call, lock);
  if (!stream) {
    return stream;
  }
  const StreamCapture& capture = (*stream)->capture;
  if (capture.state() != WindowState::kIdle && capture.owner() != id) {
    return fail(stream_busy(id, capture, call));
  }
  return stream;
}

Result<std::uint64_t> Runtime::prepare(StreamId id, const WindowOptions& options) {
  Lock lock(device_);
  auto stream = own_window_stream(id, "prepare", lock);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  ORIEL_TRY(Window(device_, **stream, lock).prepare(id, options));
  return (*stream)->capture.serial();
}

Result<void> Runtime::warmup_pass(StreamId id) {
  Lock lock(device_);
  auto stream = own_window_stream(id, "warmup_pass", lock);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  ORIEL_TRY(Window(device_, **stream, lock).warmup_pass());
  return keep_owned(id, **stream, lock);
}

Result<void> Runtime::begin(StreamId id) {
  Lock lock(device_);
  auto stream = own_window_stream(id, "begin", lock);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  ORIEL_TRY(Window(device_, **stream, lock).begin());
  return keep_owned(id, **stream, lock);
}

/// After a wait of the window's: if the owner's last handle was dropped meanwhile, nobody comes
/// back for it.
Result<void> Runtime::keep_owned(StreamId id, DeviceStream& stream, Lock& lock) {
  if (find(id)) {
    return {};
  }
  abandon_window(stream, lock);
  return fail(ErrorCode::kInvalidState, name_of(id) + " was destroyed while its window opened");
}

tl::expected<GraphId, Refused> Runtime::instantiate(StreamId id) {
  Lock lock(device_);
  auto stream = window_stream(id, "instantiate", lock);
  if (!stream) {
    return tl::unexpected<Refused>({std::move(stream.error()), {}});
  }
  const GraphId graph_id = captures_.reserve();
  auto graph = Window(device_, **stream, lock).instantiate(id);
  device_.retire_streams();
  if (!graph) {
    captures_.remove(graph_id);
    return tl::unexpected<Refused>(std::move(graph.error()));
  }
  captures_.insert(graph_id, std::shared_ptr<Graph>(std::move(*graph)));
  return graph_id;
}

void Runtime::abandon_window(DeviceStream& stream, Lock& lock) noexcept {
  Window(device_, stream, lock).abandon();
  device_.retire_streams();
}

void Runtime::abandon(StreamId id, std::uint64_t serial) noexcept {
  Lock lock(device_);
  if (closed_) {
    return;  // closing has abandoned it
  }
  const auto stream = find(id);
  if (stream && (*stream)->capture.serial() == serial && !(*stream)->capture.moving()) {
    abandon_window(**stream, lock);
  }
}

void Runtime::doom(StreamId id, std::uint64_t serial, Error error) noexcept {
  Lock lock(device_);
  if (closed_) {
    return;
  }
  const auto stream = find(id);
  if (!stream || !(*stream)->capture.recording() || (*stream)->capture.serial() != serial) {
    return;
  }
  StreamCapture& capture = (*stream)->capture;
  // A step hands on what a call told it: that is known already.
  const bool known = capture.doomed() && (capture.first_error()->message == error.message ||
                                          error.code == ErrorCode::kDoomed);
  if (!known) {
    capture.doom(std::move(error));
  }
}

WindowState Runtime::window_state(StreamId id) {
  Lock lock(device_);
  if (closed_) {
    return WindowState::kIdle;
  }
  const auto stream = find(id);
  const StreamCapture* window = stream ? (*stream)->window : nullptr;
  return window != nullptr && window->admits(id) ? window->state() : WindowState::kIdle;
}

Result<void*> Runtime::native_handle(StreamId id) {
  Lock lock(device_);
  auto route = this->route(id, "native_handle", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (route->recording()) {
    if (!device_.captures()) {
      return fail(ErrorCode::kNotPermitted,
                  "native work can't be recorded on this device: it builds graphs from Oriel's own "
                  "calls, and would run the rest at once; give it before the window or after");
    }
    route->window->announce_native_work();
  }
  return route->stream->driver().native_handle();
}

}  // namespace oriel::core
