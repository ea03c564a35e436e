#include "text.hpp"

#include <oriel/core/window.hpp>

#include <utility>

namespace oriel::core {

Result<void> Window::prepare(StreamId owner, const WindowOptions& options) {
  StreamCapture& capture = stream_.capture;
  ORIEL_TRY(capture.prepare(owner, stream_.slot(), device_.next_serial(), options));
  stream_.window = &capture;
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
    stream_.pool(kind).arm(stream_.slot(), capture.serial());
  }
  stream_.infos.keep_all(true);
  device_.window_prepared();
  return {};
}

Result<void> Window::warmup_pass() {
  StreamCapture& capture = stream_.capture;
  ORIEL_TRY(capture.start_moving("warmup_pass"));
  auto waited = wait_for_warmup();
  if (!waited) {
    dismantle();
    return waited;
  }
  capture.stop_moving();
  device_.changed.notify_all();
  release_members();
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
    stream_.pool(kind).restart_pass();
  }
  return capture.restart_pass();
}

Result<void> Window::begin() {
  StreamCapture& capture = stream_.capture;
  ORIEL_TRY(capture.start_moving("begin"));
  auto waited = wait_for_warmup();
  if (!waited) {
    dismantle();
    return waited;
  }
  release_members();
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
    stream_.pool(kind).open();
  }
  note_submissions();
  // Open from before the driver's begin until after its end: what other threads let go of in
  // between waits.
  capture.open();
  device_.window_opened();
  device_.changed.notify_all();
  const auto mode = static_cast<CaptureMode>(capture.options().mode);
  const std::size_t expected = capture.warmed_nodes();
  auto begun = guarded([&] { return device_.driver().begin(stream_.driver(), mode, expected); });
  if (!begun) {
    dismantle();
    return begun;
  }
  return {};
}

/// All that the warm-up did, and all that other streams had been given on its memory, is done after
/// this, so that whatever it held can be freed and handed out again.
Result<void> Window::wait_for_warmup() {
  StreamCapture& capture = stream_.capture;
  const std::uint64_t members = capture.lanes().members();
  const std::uint64_t foreign = capture.foreign_streams() & ~members;
  Result<void> result;
  const auto keep_first = [&](Result<void> step) {
    if (result && !step) {
      result = std::move(step);
    }
  };
  device_.for_each(foreign | members,
                   [&](DeviceStream& other) { keep_first(device_.order_after(stream_, other)); });
  for (std::uint64_t left = members; left != 0; left &= left - 1) {
    if (auto* lane = device_.stream(static_cast<unsigned>(__builtin_ctzll(left)))) {
      keep_first(device_.wait_idle(lock_, *lane));
    }
  }
  device_.changed.wait(lock_.native(), [&] { return stream_.waiters == 0; });
  if (auto failure = device_.failures->take()) {
    keep_first(fail(std::move(*failure)));
  }
  if (result) {
    stream_.infos.settle();
    device_.for_each(members, [&](DeviceStream& member) { device_.drain(member); });
  }
  return result;
}

void Window::release_members() noexcept {
  StreamCapture& capture = stream_.capture;
  device_.for_each(capture.lanes().members(), [&](DeviceStream& member) {
    if (member.window == &capture && &member != &stream_) {
      member.window = nullptr;
    }
  });
}

void Window::note_submissions() noexcept {
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    stream_.capture.submitted_at_open[stream.slot()] = stream.submitted;
  });
}

Window::Closed Window::instantiate(StreamId caller) {
  StreamCapture& capture = stream_.capture;
  if (auto allowed = check_close(caller); !allowed) {
    return tl::unexpected<Refused>({std::move(allowed.error()), {}});
  }
  if (!capture.recording()) {
    dismantle();
    return tl::unexpected<Refused>({Error(ErrorCode::kInvalidState,
                                          "the window was prepared but never begun; nothing was "
                                          "recorded, and it is closed now"),
                                    {}});
  }
  judge(caller);
  auto graph = std::make_unique<Graph>(device_, capture.take_recording());
  graph->recording().seal();
  // Out of capture mode first, whatever the recording is worth.
  auto made = guarded([&] {
    return device_.driver().instantiate(stream_.driver(), graph->recording(), capture.doomed());
  });
  if (!made) {
    capture.doom(std::move(made.error()));
  } else {
    check_counts(graph->recording(), *made);
    graph->executable = std::move(made->executable);
  }
  graph->learn_access();
  if (capture.doomed()) {
    Refused refused = refuse(*graph);
    device_.bury(std::shared_ptr<Graph>(std::move(graph)));
    return tl::unexpected<Refused>(std::move(refused));
  }
  graph->pin(take_pins());
  graph->modules = std::move(capture.modules());
  dismantle();
  auto uploaded =
      guarded([&] { return device_.driver().upload(*graph->executable, stream_.driver()); });
  if (!uploaded) {
    auto written = claim_outputs(*graph, uploaded.error());
    device_.bury(std::shared_ptr<Graph>(std::move(graph)));
    return tl::unexpected<Refused>({std::move(uploaded.error()), std::move(written)});
  }
  return graph;
}

/// Whether this caller may close the window at all; if not, it stays as it is.
Result<void> Window::check_close(StreamId caller) const {
  const StreamCapture& capture = stream_.capture;
  if (capture.state() == WindowState::kIdle) {
    return fail(ErrorCode::kInvalidState,
                name_of(caller) + " has no window to close; prepare and begin one first");
  }
  if (capture.moving()) {
    return fail(ErrorCode::kInvalidState,
                "the window of " + name_of(capture.owner()) +
                    " is just being opened or given up by another thread");
  }
  if (capture.recording() && capture.options().thread_bound &&
      capture.thread() != std::this_thread::get_id()) {
    return fail(ErrorCode::kInvalidState,
                "the window of " + name_of(capture.owner()) +
                    " is bound to the thread that began it (wrong thread); close it there");
  }
  return {};
}

/// Finds what makes the recording worthless, other than what calls have reported already.
void Window::judge(StreamId caller) {
  StreamCapture& capture = stream_.capture;
  if (caller != capture.owner()) {
    capture.doom({ErrorCode::kInvalidState,
                  name_of(caller) + " closed the window of " + name_of(capture.owner()) +
                      "; only the owner gets a graph out of it"});
  }
  if (const std::uint64_t unjoined = capture.lanes().unjoined(); unjoined != 0) {
    doom_unjoined(unjoined);
  }
  if (capture.recorded().node_count() == 0 && !capture.options().allow_empty &&
      !capture.native_work() && !capture.doomed()) {
    doom_empty();
  }
}

void Window::doom_unjoined(std::uint64_t lanes) {
  const Recording& recording = stream_.capture.recorded();
  const auto last_call_of = [&](const DeviceStream& lane) {
    std::string last;
    for (NodeId id = 0; id < recording.node_count(); ++id) {
      if (const Node node = recording.node(id); node.lane == lane.slot()) {
        last = node.label;
      }
    }
    return last;
  };
  std::string names;
  Error error(ErrorCode::kUnjoined, "");
  device_.for_each(lanes, [&](DeviceStream& lane) {
    const std::string last = last_call_of(lane);
    if (names.empty()) {
      error.stream = lane.last_user;
      error.operation = last;
    }
    names += (names.empty() ? "" : ", ") + name_of(lane.last_user) +
             (last.empty() ? "" : " (its last call: " + in_quotes(last) + ")");
  });
  const bool several = (lanes & (lanes - 1)) != 0;
  error.message = names + (several ? " were" : " was") + " pulled into the window of " +
                  name_of(stream_.capture.owner()) + " and not joined back; record an event on " +
                  (several ? "each" : "it") + " and wait for that before the close";
  stream_.capture.doom(std::move(error));
}

void Window::doom_empty() {
  std::string others;
  device_.for_each(device_.slots(), [&](DeviceStream& other) {
    if (other.submitted != stream_.capture.submitted_at_open[other.slot()]) {
      others += (others.empty() ? "" : ", ") + name_of(other.last_user);
    }
  });
  stream_.capture.doom(
      {ErrorCode::kInvalidState,
       "the window of " + name_of(stream_.capture.owner()) + " recorded nothing (empty)" +
           (others.empty()
                ? "; launch on the stream that owns the window"
                : "; meanwhile work ran eagerly on " + others + ", which is not in the window")});
}

void Window::check_counts(const Recording& recording, const Instantiated& made) {
  StreamCapture& capture = stream_.capture;
  if (capture.doomed()) {
    return;
  }
  if (made.allocation_nodes != 0) {
    capture.doom(
        {ErrorCode::kDoomed,
         "the driver recorded " + std::to_string(made.allocation_nodes) +
             " allocation node(s), with which a graph can't be replayed; something in the "
             "window allocated behind the pools' back: give it a workspace in the warm-up"});
  } else if (made.nodes != recording.node_count() && !capture.native_work()) {
    capture.doom({ErrorCode::kDoomed,
                  "the driver recorded " + std::to_string(made.nodes) + " node(s) where " +
                      std::to_string(recording.node_count()) +
                      " were called for (mismatch); work was lost or added behind Oriel's back"});
  } else if (made.executable == nullptr) {
    capture.doom({ErrorCode::kDriverError, "the driver made no executable and gave no reason"});
  }
}

Refused Window::refuse(Graph& graph) {
  Error error = *stream_.capture.first_error();
  if (!error.stream.valid()) {
    error.stream = stream_.capture.owner();
  }
  Refused refused{std::move(error), {}};
  refused.written = claim_outputs(graph, refused.error);
  order_forks();
  dismantle();
  return refused;
}

std::vector<WrittenSlice> Window::claim_outputs(const Graph& graph, const Error& error) {
  std::vector<WrittenSlice> written;
  std::shared_ptr<const Error> cause;
  for (const Graph::Output& output : graph.outputs) {
    Slice& slice = *output.slice;
    if (slice.references.load(std::memory_order_relaxed) == 0) {
      continue;  // freed within the window: nobody can read it
    }
    if (!cause) {
      cause = std::make_shared<const Error>(error);
    }
    device_.claim(slice, cause);
    written.push_back({slice.address, slice.bytes, slice.index, slice.generation});
  }
  return written;
}

/// One reference for each slice that the recording names: what the window's own pools freed
/// meanwhile is taken back from them.
std::vector<SliceRef> Window::take_pins() {
  Touched& touched = stream_.capture.touched();
  const std::uint64_t mark = device_.next_mark();
  std::vector<SliceRef> pins;
  pins.reserve(touched.armed.size() + touched.external.size());
  const auto is_new = [&](Slice& slice) { return std::exchange(slice.graph_mark, mark) != mark; };
  for (Slice* slice : touched.armed) {
    if (!is_new(*slice)) {
      continue;
    }
    if (slice->references.load(std::memory_order_relaxed) == 0) {
      stream_.pool(slice->kind).retain(*slice);
      pins.push_back(SliceRef::adopt(*slice));
    } else {
      pins.push_back(SliceRef(*slice));
    }
  }
  for (SliceRef& slice : touched.external) {
    if (is_new(*slice)) {
      pins.push_back(std::move(slice));
    }
  }
  return pins;
}

void Window::abandon() noexcept {
  StreamCapture& capture = stream_.capture;
  if (capture.recording()) {
    Graph graph(device_, capture.take_recording());
    graph.recording().seal();
    // Only the driver's capture mode matters; there is nobody to tell what else went wrong.
    static_cast<void>(guarded(
        [&] { return device_.driver().instantiate(stream_.driver(), graph.recording(), true); }));
    order_forks();
  }
  dismantle();
}

/// A recording that failed may have cost forks their driver's stream: what they are given next
/// stays behind what they had before they were pulled in. (The origin was idle by then.)
void Window::order_forks() noexcept {
  if (!device_.captures()) {
    return;
  }
  device_.for_each(
      stream_.capture.lanes().members() & ~lane_bit(stream_.slot()), [&](DeviceStream& fork) {
        static_cast<void>(
            guarded([&] { return device_.driver().wait(fork.driver(), *fork.fork_event); }));
      });
}

/// Back to idle, from wherever the window is.
void Window::dismantle() noexcept {
  StreamCapture& capture = stream_.capture;
  const bool recorded = capture.recording();
  capture.start_closing();
  if (!recorded) {
    // The warm-up may still run on forks whose memory goes back to this stream's pools.
    device_.for_each(capture.lanes().members(), [&](DeviceStream& member) {
      if (!device_.order_after(stream_, member)) {
        static_cast<void>(device_.wait_idle(lock_, member));
      }
    });
  }
  release_members();
  stream_.window = nullptr;
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
    stream_.pool(kind).disarm();
  }
  stream_.infos.close_window();
  stream_.infos.keep_all(false);
  capture.close();
  device_.window_closed(recorded);
}

}  // namespace oriel::core
