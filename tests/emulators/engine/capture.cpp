#include "capture.hpp"

#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace oriel::emulator {
namespace {

template <class Involved>
std::vector<Capture*> select(const Machine& machine, Involved&& involved) {
  std::vector<Capture*> selected;
  for (const auto& capture : machine.captures) {
    if (involved(*capture)) {
      selected.push_back(capture.get());
    }
  }
  return selected;
}

bool has_blocking_member(const Capture& capture, const Context& context) {
  return std::any_of(capture.members.begin(), capture.members.end(), [&](const Stream* member) {
    return member->blocking && member->context == &context;
  });
}

bool is_joined(const Capture& capture) {
  const Stream& origin = *capture.members.front();
  return std::all_of(capture.members.begin(), capture.members.end(), [&](const Stream* member) {
    return precede(member->frontier, origin.frontier);
  });
}

/// The capture is over, however it ended: its streams are as before, its events never recorded.
void finish(Machine& machine, Capture& capture) {
  capture.ended = true;
  capture.graph->capture = nullptr;
  std::shared_ptr<Capture> held;
  for (Stream* member : capture.members) {
    held = std::move(member->capture);
    member->capture = nullptr;
    member->frontier.clear();
  }
  std::erase(machine.captures, held);
}

void drop_graph(Machine& machine, const Capture& capture) {
  if (!capture.into_graph) {
    destroy_graph(machine, *capture.graph);
  }
}

}  // namespace

bool is_captured(const Event& event) noexcept {
  return event.capture != nullptr && !event.capture->ended;
}

Situation break_captures(Situation situation, std::span<Capture* const> captures) noexcept {
  if (vendor_rules().of(situation).invalidates) {
    for (Capture* capture : captures) {
      capture->invalidated = true;
    }
  }
  return situation;
}

Situation break_capture(Situation situation, Capture& capture) noexcept {
  Capture* const one[] = {&capture};
  return break_captures(situation, one);
}

Situation admit(Machine& machine, Stream& stream, Use use) {
  if (stream.kind == StreamKind::kLegacy && use == Use::kBegin) {
    return Situation::kBeginOnLegacy;
  }
  if (machine.captures.empty() || use == Use::kHandle) {
    return Situation::kSuccess;
  }
  if (stream.kind == StreamKind::kLegacy) {
    const auto involved = select(machine, [&](const Capture& capture) {
      return has_blocking_member(capture, *stream.context);
    });
    if (involved.empty()) {
      return Situation::kSuccess;
    }
    return break_captures(use == Use::kAsk ? Situation::kAskAboutLegacy : Situation::kUseOfLegacy,
                          involved);
  }
  const bool broken = stream.capture != nullptr && stream.capture->invalidated;
  return broken && (use == Use::kWork || use == Use::kBegin) ? Situation::kInvalidated
                                                             : Situation::kSuccess;
}

Situation admit_unsafe(Machine& machine,
                       Situation situation,
                       std::uint64_t thread,
                       CaptureMode thread_mode) {
  if (machine.captures.empty() || thread_mode == CaptureMode::kRelaxed) {
    return Situation::kSuccess;
  }
  const auto involved = select(machine, [&](const Capture& capture) {
    return capture.thread == thread
               ? capture.mode != CaptureMode::kRelaxed
               : thread_mode == CaptureMode::kGlobal && capture.mode == CaptureMode::kGlobal;
  });
  return involved.empty() ? Situation::kSuccess : break_captures(situation, involved);
}

Situation admit_context(Machine& machine, Situation situation, const Context& context) {
  if (machine.captures.empty()) {
    return Situation::kSuccess;
  }
  // By device, not by context, thread or mode: that is how far it was seen to reach.
  const auto involved = select(
      machine, [&](const Capture& capture) { return capture.context->device == context.device; });
  return involved.empty() ? Situation::kSuccess : break_captures(situation, involved);
}

Situation begin_capture(Machine& machine, Stream& stream, BeginRequest request) {
  if (stream.capture != nullptr) {
    return Situation::kBeginWhileCapturing;
  }
  auto capture = std::make_shared<Capture>();
  capture->id = ++machine.capture_ids;
  capture->mode = request.mode;
  capture->thread = request.thread;
  capture->context = stream.context;
  capture->into_graph = request.graph != nullptr;
  capture->graph = std::move(request.graph);
  if (!capture->into_graph) {
    capture->graph = std::make_shared<Graph>();
    capture->graph->context = stream.context;
    capture->graph->of_capture = true;
    machine.graphs.insert(capture->graph);
  }
  capture->graph->capture = capture;
  capture->members.push_back(&stream);
  stream.frontier = std::move(request.after);
  stream.capture = capture;
  machine.captures.push_back(std::move(capture));
  return Situation::kSuccess;
}

Situation end_capture(Machine& machine,
                      Stream& stream,
                      std::uint64_t thread,
                      std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (capture == nullptr) {
    return Situation::kEndOnIdle;
  }
  if (capture->members.front() != &stream) {
    return break_capture(Situation::kEndOnJoined, *capture);
  }
  if (capture->mode != CaptureMode::kRelaxed && capture->thread != thread) {
    return break_capture(Situation::kEndOnWrongThread, *capture);
  }
  const bool joined = is_joined(*capture);
  const std::shared_ptr<Graph> written = capture->graph;
  finish(machine, *capture);
  if (capture->invalidated || !joined) {
    drop_graph(machine, *capture);
    return capture->invalidated ? Situation::kEndInvalidated : Situation::kUnjoined;
  }
  written->of_capture = false;
  graph = written;
  return Situation::kSuccess;
}

void capture_work(Machine& machine, Stream& stream, NodeKind kind, WorkRef work) {
  Node& node =
      add_node(machine, *stream.capture->graph, kind, std::move(work), std::move(stream.frontier));
  stream.frontier.assign(1, Edge{&node});
}

}  // namespace oriel::emulator
