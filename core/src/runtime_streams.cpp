#include "runtime_submit.hpp"
#include "text.hpp"

#include <oriel/core/runtime.hpp>

#include <algorithm>
#include <utility>

/// Logical streams: how they fold onto device streams, and which calls are let in.

namespace oriel::core {

Error stream_busy(StreamId caller, const StreamCapture& window, const char* call) {
  return {ErrorCode::kStreamBusy,
          std::string(call) + " on " + name_of(caller) +
              " must wait: its device stream is in the window of " + name_of(window.owner()) +
              "; try again once that has closed, or create the stream exclusive"};
}

Result<void> Runtime::admit_call(const char* call) const {
  if (inside_host_function()) {
    return fail(ErrorCode::kNotPermitted,
                std::string(call) + " was called from a host function; those must not call Oriel");
  }
  if (closed_) {
    return fail(ErrorCode::kInvalidState,
                std::string(call) + " needs an open runtime; this one was closed");
  }
  return {};
}

Result<unsigned> Runtime::choose_slot(bool exclusive) {
  if (exclusive || shared_slots_.size() < options_.shared_streams) {
    auto made = device_.create_stream();
    if (made) {
      (*made)->pool(MemoryKind::kDevice).set_limit(options_.device_limit);
      (*made)->pool(MemoryKind::kPinned).set_limit(options_.pinned_limit);
      (*made)->exclusive = exclusive;
      if (!exclusive) {
        shared_slots_.push_back((*made)->slot());
      }
      return (*made)->slot();
    }
    if (exclusive || shared_slots_.empty()) {
      return fail(std::move(made.error()));
    }
  }
  // The one with the fewest users, one without a window if there is any.
  const auto cost = [&](unsigned slot) {
    const DeviceStream& stream = *device_.stream(slot);
    return std::pair(stream.window != nullptr, stream.users);
  };
  return *std::min_element(shared_slots_.begin(), shared_slots_.end(), [&](unsigned a, unsigned b) {
    return cost(a) < cost(b);
  });
}

Result<StreamId> Runtime::create_stream(const StreamOptions& options) {
  Lock lock(device_);
  ORIEL_TRY(admit_call("create_stream"));
  auto slot = choose_slot(options.exclusive);
  if (!slot) {
    return fail(std::move(slot.error()));
  }
  if (free_logical_.empty()) {
    free_logical_.push_back(static_cast<std::uint32_t>(logical_.size()));
    logical_.emplace_back();
  }
  const std::uint32_t index = free_logical_.back();
  free_logical_.pop_back();
  LogicalStream& logical = logical_[index];
  logical.used = true;
  logical.slot = *slot;
  ++device_.stream(*slot)->users;
  ++live_logical_;
  return StreamId{index, logical.generation};
}

void Runtime::destroy_stream(StreamId id) noexcept {
  Lock lock(device_);
  if (id.index >= logical_.size() || !logical_[id.index].used ||
      logical_[id.index].generation != id.generation) {
    return;
  }
  LogicalStream& logical = logical_[id.index];
  logical.used = false;
  if (++logical.generation == 0) {
    logical.generation = 1;
  }
  free_logical_.push_back(id.index);
  --live_logical_;
  DeviceStream* stream = device_.stream(logical.slot);
  if (stream == nullptr) {
    return;  // closed
  }
  --stream->users;
  const bool exclusive = stream->exclusive;
  const StreamCapture& capture = stream->capture;
  if (capture.state() != WindowState::kIdle && capture.owner() == id && !capture.moving()) {
    abandon_window(*stream, lock);  // nobody else is coming back for it
  }
  if (!closed_ && exclusive) {
    device_.retire_streams();
  }
}

Result<DeviceStream*> Runtime::find(StreamId id) {
  if (id.index >= logical_.size() || !logical_[id.index].used ||
      logical_[id.index].generation != id.generation) {
    return fail(ErrorCode::kInvalidState, name_of(id) + " does not exist any more");
  }
  return device_.stream(logical_[id.index].slot);
}

/// The stream of a call that may be made now. One that a window's warm-up pulled in waits here
/// while that window moves, since it leaves the window by that; only then is it known where it
/// belongs.
Result<DeviceStream*> Runtime::admit(StreamId id, const char* call, Lock& lock) {
  for (;;) {
    ORIEL_TRY(admit_call(call));
    auto stream = find(id);
    if (!stream) {
      return stream;
    }
    const StreamCapture* window = (*stream)->window;
    if (window == nullptr || window == &(*stream)->capture || !window->moving()) {
      return stream;
    }
    device_.changed.wait(lock.native());
  }
}

Result<Route> Runtime::route(StreamId id, const char* call, Lock& lock) {
  auto stream = admit(id, call, lock);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  StreamCapture* window = (*stream)->window;
  if (window != nullptr) {
    if (!window->admits(id)) {
      return fail(stream_busy(id, *window, call));
    }
    if (window->moving()) {
      return fail(ErrorCode::kInvalidState,
                  std::string(call) + " on " + name_of(id) +
                      " while another thread opens or gives up its window; a stream with a window "
                      "belongs to one thread at a time");
    }
  }
  return Route{id, *stream, window};
}

Result<Route> Runtime::route_work(StreamId id, const char* call, Lock& lock) {
  auto route = this->route(id, call, lock);
  if (route && route->window != nullptr) {
    StreamCapture& window = *route->window;
    window.next_call();
    if (window.doomed()) {
      return fail(ErrorCode::kDoomed,
                  "the window of " + name_of(window.owner()) +
                      " is broken since an earlier call failed (" +
                      window.first_error()->to_string() + "); close it and begin again");
    }
  }
  return route;
}

Result<Route> Runtime::route_outside(StreamId id, const char* call, Lock& lock) {
  auto route = this->route(id, call, lock);
  if (route && route->recording()) {
    return fail(ErrorCode::kNotPermitted,
                std::string(call) + " on " + name_of(id) +
                    " would break its capture window; close the window first");
  }
  return route;
}

Result<void> Runtime::refuse_in_window(const char* call) {
  if (const StreamCapture* window = device_.window_of_this_thread()) {
    Error error(ErrorCode::kNotPermitted,
                std::string(call) + " would break the capture window of " +
                    name_of(window->owner()) +
                    ", which this thread opened; close the window first");
    error.stream = window->owner();
    error.operation = call;
    return fail(std::move(error));
  }
  return {};
}

Result<void> Runtime::check_slice(const RawBuffer& buffer, const char* role) const {
  if (!buffer.valid()) {
    return fail(ErrorCode::kInvalidArgument,
                std::string("the ") + role + " is an empty handle; allocate the buffer first");
  }
  if (buffer.runtime() != this) {
    return fail(ErrorCode::kInvalidState,
                std::string("the ") + role + " belongs to another runtime");
  }
  return {};
}

Result<void> Runtime::check_event(const EventState& event) const {
  if (event.runtime.get() != this) {
    return fail(ErrorCode::kInvalidState, "the event belongs to another runtime");
  }
  return {};
}

}  // namespace oriel::core
