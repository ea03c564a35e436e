#include "text.hpp"

#include <oriel/core/runtime.hpp>

#include <utility>

/// Events, fork and join, and every way of waiting.

namespace oriel::core {

EventState::~EventState() {
  if (runtime) {
    runtime->destroy_event(*this);
  }
}

Result<std::shared_ptr<EventState>> Runtime::create_event() {
  Lock lock(device_);
  ORIEL_TRY(admit_call("create_event"));
  auto driver = guarded([&] { return device_.driver().create_event(); });
  if (!driver) {
    return fail(std::move(driver.error()));
  }
  auto event = std::make_shared<EventState>();
  event->driver = std::move(*driver);
  event->mark.frontier.reserve(8);
  event->runtime = shared_from_this();
  events_.push_back(event.get());
  event->registered = events_.size() - 1;
  return event;
}

void Runtime::destroy_event(EventState& event) noexcept {
  Lock lock(device_);
  events_.back()->registered = event.registered;
  std::swap(events_[event.registered], events_.back());
  events_.pop_back();
  if (event.driver) {
    device_.retire(std::shared_ptr<DriverEvent>(std::move(event.driver)), event.streams);
  }
}

/// The window that the event is an edge of, or that it marks warm-up work of; null once that window
/// has closed or gone on to another pass.
StreamCapture* Runtime::window_of(const EventState& event) noexcept {
  if (event.window == 0) {
    return nullptr;
  }
  DeviceStream* origin = device_.stream(event.origin);
  const bool same = origin != nullptr && origin->capture.serial() == event.window &&
                    origin->capture.pass() == event.pass;
  return same ? &origin->capture : nullptr;
}

Result<void> Runtime::record(StreamId id, EventState& event) {
  Lock lock(device_);
  auto route = route_work(id, "record", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (auto good = check_event(event); !good) {
    return spoil(*route, "record", std::move(good.error()));
  }
  DeviceStream& stream = *route->stream;
  if (!route->recording() || device_.captures()) {
    auto given = guarded([&] { return device_.driver().record(*event.driver, stream.driver()); });
    if (!given) {
      return spoil(*route, "record", std::move(given.error()));
    }
    event.streams |= lane_bit(stream.slot());
  }
  event.kind = route->recording() ? EventKind::kRecorded : EventKind::kEager;
  event.recorder = id;
  event.recorder_slot = stream.slot();
  event.window = 0;
  if (route->window != nullptr) {
    event.window = route->window->serial();
    event.pass = route->window->pass();
    event.origin = route->window->lanes().origin();
    route->window->lanes().mark(stream.slot(), event.mark);
  }
  return {};
}

namespace {

Error not_in_window(StreamId id,
                    const StreamCapture& window,
                    const EventState& event,
                    bool other_window) {
  std::string text = name_of(id) +
                     (id == window.owner() ? std::string(" has a window open")
                                           : " is in the window of " + name_of(window.owner())) +
                     " and can't wait for an event of ";
  if (other_window) {
    text += "another window (merge)";
  } else if (event.kind == EventKind::kNever) {
    text += "no stream: it was never recorded (isolation)";
  } else {
    text += name_of(event.recorder) + " from outside it (isolation)";
    if ((window.warmup_waits & lane_bit(event.recorder_slot)) != 0) {
      text +=
          ", which the warm-up waited for too: what a step needs of it must be forked from the "
          "window";
    }
  }
  return {ErrorCode::kNotPermitted,
          text + "; record the event inside the window, or wait before it begins"};
}

}  // namespace

Result<void> Runtime::wait(StreamId id, EventState& event) {
  Lock lock(device_);
  auto stream = admit(id, "wait", lock);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  auto own = check_event(event);
  StreamCapture* const events_window = own ? window_of(event) : nullptr;
  if (events_window != nullptr && (*stream)->window == events_window) {
    events_window->admit(id);  // it folds onto a stream of that window: pulled in all the same
  }
  auto route = route_work(id, "wait", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (!own) {
    return spoil(*route, "wait", std::move(own.error()));
  }
  if (route->recording()) {
    if (event.kind != EventKind::kRecorded || events_window != route->window) {
      const bool other = event.kind == EventKind::kRecorded && events_window != nullptr;
      return fail(not_in_window(id, *route->window, event, other));
    }
    auto joined = join_window(*route, event);
    return joined ? joined : spoil(*route, "wait", std::move(joined.error()));
  }
  if (event.kind == EventKind::kNever) {
    return fail(ErrorCode::kInvalidState, "the event was never recorded; record it first");
  }
  if (event.kind == EventKind::kEager) {
    return wait_eager(*route, event);
  }
  if (events_window == nullptr) {
    return fail(ErrorCode::kInvalidState,
                "the event is an edge of a window that has closed; no replay signals it; record it "
                "again outside");
  }
  if (route->window != nullptr) {
    return fail(not_in_window(id, *route->window, event, true));
  }
  auto forked = fork_into(*route, *events_window, event);
  if (!forked) {
    // What was to run there would be missing from the graph.
    forked.error().stream = id;
    events_window->doom(forked.error());
  }
  return forked;
}

/// An edge between two lanes of one window, eager in a warm-up.
Result<void> Runtime::join_window(const Route& route, EventState& event) {
  if (!route.recording() || device_.captures()) {
    auto given =
        guarded([&] { return device_.driver().wait(route.stream->driver(), *event.driver); });
    if (!given) {
      return given;
    }
    event.streams |= lane_bit(route.stream->slot());
  }
  Lanes& lanes = route.window->lanes();
  const std::uint64_t joined = lanes.wait(route.stream->slot(), event.mark);
  DeviceStream& origin = *device_.stream(lanes.origin());
  for (std::uint64_t left = joined; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    origin.pool(MemoryKind::kDevice).join(lane);
    origin.pool(MemoryKind::kPinned).join(lane);
  }
  return {};
}

Result<void> Runtime::fork_into(const Route& route, StreamCapture& window, EventState& event) {
  if (!capabilities().fork_join) {
    return fail(ErrorCode::kUnsupported,
                "this device records windows of one stream only; " + name_of(route.id) +
                    " can't be pulled into the window of " + name_of(window.owner()));
  }
  if (window.doomed()) {
    return fail(ErrorCode::kDoomed,
                "the window of " + name_of(window.owner()) +
                    " is broken since an earlier call failed; close it");
  }
  DeviceStream& stream = *route.stream;
  // Its own end so far, for replays elsewhere that must stay behind what it was given before.
  ORIEL_TRY(guarded([&] { return device_.driver().record(*stream.fork_event, stream.driver()); }));
  stream.window = &window;
  window.admit(route.id);
  stream.last_user = route.id;
  auto joined = join_window({route.id, &stream, &window}, event);
  if (!joined) {
    stream.window = nullptr;  // it never became a member
  }
  return joined;
}

Result<void> Runtime::wait_eager(const Route& route, EventState& event) {
  StreamCapture* const warming = window_of(event);
  const bool in_warmup =
      warming != nullptr && warming->state() == WindowState::kPrepared && !warming->moving();
  if (in_warmup && (route.window == nullptr || route.window == warming)) {
    // As it will be in the window: the stream becomes a lane of the warm-up, so that what it
    // allocates is armed.
    route.stream->window = warming;
    warming->admit(route.id);
    return join_window({route.id, route.stream, warming}, event);
  }
  if (route.window != nullptr) {
    route.window->warmup_waits |= lane_bit(event.recorder_slot);
  }
  ORIEL_TRY(guarded([&] { return device_.driver().wait(route.stream->driver(), *event.driver); }));
  event.streams |= lane_bit(route.stream->slot());
  return {};
}

// Waiting.

Result<void> Runtime::report_failures() {
  if (auto failure = device_.failures->take()) {
    return fail(std::move(*failure));
  }
  return {};
}

Result<void> Runtime::synchronize(StreamId id) {
  Lock lock(device_);
  auto route = route_outside(id, "synchronize", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  ORIEL_TRY(device_.wait_idle(lock, *route->stream));
  return report_failures();
}

Result<bool> Runtime::query(StreamId id) {
  Lock lock(device_);
  auto route = route_outside(id, "query", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  return guarded([&] { return device_.driver().query(route->stream->driver()); });
}

Result<void> Runtime::synchronize() {
  Lock lock(device_);
  ORIEL_TRY(admit_call("synchronize"));
  ORIEL_TRY(refuse_in_window("synchronize"));
  ORIEL_TRY(wait_for_all(lock));
  return report_failures();
}

/// Every stream in turn, each once no window of the device records.
Result<void> Runtime::wait_for_all(Lock& lock) {
  const Device::Guest guest(device_);
  Result<void> first;
  for (unsigned slot = 0; slot < kMaxLanes; ++slot) {
    device_.changed.wait(lock.native(), [&] { return device_.recording_windows() == 0; });
    DeviceStream* stream = device_.stream(slot);
    if (stream == nullptr) {
      continue;
    }
    auto waited = device_.wait_idle(lock, *stream);
    if (first && !waited) {
      first = std::move(waited);
    }
  }
  return first;
}

Result<void> Runtime::check_signalled(const EventState& event, const char* call) {
  ORIEL_TRY(admit_call(call));
  ORIEL_TRY(check_event(event));
  ORIEL_TRY(refuse_in_window(call));
  if (event.kind == EventKind::kNever) {
    return fail(ErrorCode::kInvalidState, std::string(call) + " needs an event that was recorded");
  }
  if (event.kind == EventKind::kRecorded) {
    return fail(ErrorCode::kInvalidState,
                std::string(call) +
                    " of a graph-internal event: it was recorded in a window and no "
                    "replay signals it; record it again outside");
  }
  return {};
}

Result<bool> Runtime::query(EventState& event) {
  Lock lock(device_);
  ORIEL_TRY(check_signalled(event, "query"));
  return guarded([&] { return device_.driver().query(*event.driver); });
}

Result<void> Runtime::synchronize(EventState& event) {
  Lock lock(device_);
  ORIEL_TRY(check_signalled(event, "synchronize"));
  DriverEvent& driver = *event.driver;
  ORIEL_TRY(device_.without(lock, [&] { return device_.driver().synchronize(driver); }));
  return report_failures();
}

Result<double> Runtime::elapsed(EventState& from, EventState& to) {
  Lock lock(device_);
  ORIEL_TRY(check_signalled(from, "elapsed"));
  ORIEL_TRY(check_signalled(to, "elapsed"));
  if (!capabilities().event_timing) {
    return fail(ErrorCode::kUnsupported, "this device doesn't time events");
  }
  for (EventState* event : {&from, &to}) {
    auto done = guarded([&] { return device_.driver().query(*event->driver); });
    if (!done) {
      return fail(std::move(done.error()));
    }
    if (!*done) {
      return fail(ErrorCode::kInvalidState, "elapsed needs two events that are done; wait first");
    }
  }
  return guarded([&] { return device_.driver().elapsed(*from.driver, *to.driver); });
}

}  // namespace oriel::core
