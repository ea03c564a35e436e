#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace oriel::emulator {
namespace {

Situation wait_captured(Stream& stream, Event& event) {
  const std::shared_ptr<Capture>& capture = event.capture;
  if (capture->invalidated) {
    return Situation::kInvalidated;
  }
  if (stream.kind == StreamKind::kLegacy) {
    return break_capture(Situation::kUseOfLegacyByCaptured, *capture);
  }
  if (stream.capture == nullptr) {
    stream.capture = capture;
    capture->members.push_back(&stream);
    stream.frontier = event.nodes;
    return Situation::kSuccess;
  }
  if (stream.capture != capture) {
    Capture* const both[] = {stream.capture.get(), capture.get()};
    return break_captures(Situation::kMerge, both);
  }
  merge_edges(stream.frontier, event.nodes);
  return Situation::kSuccess;
}

}  // namespace

Situation admit_event(Machine& machine, Event& event) {
  if (is_captured(event)) {
    return event.capture->invalidated
               ? Situation::kInvalidated
               : break_capture(Situation::kUseOfCapturedEvent, *event.capture);
  }
  const ThreadState& thread = this_thread();
  return admit_unsafe(machine, Situation::kUnsafeWait, thread.number, thread.mode);
}

Situation record_event(Machine& machine,
                       const std::shared_ptr<Event>& event,
                       Stream& stream,
                       bool external) {
  if (is_captured(*event) && event->capture->invalidated) {
    return Situation::kInvalidated;
  }
  if (stream.capture == nullptr) {
    if (external) {
      return Situation::kExternalOutside;
    }
    event->capture = nullptr;
    event->nodes.clear();
    event->recorded = true;
    ++event->generation;
    event->ticket = enqueue(machine, stream, make_work(RecordWork{event, event->generation}));
    return Situation::kSuccess;
  }
  if (external) {
    capture_work(machine, stream, NodeKind::kRecordEvent, make_work(EventWork{event}));
    return Situation::kSuccess;
  }
  event->capture = stream.capture;
  event->nodes = stream.frontier;
  return Situation::kSuccess;
}

Situation wait_event(Machine& machine,
                     Stream& stream,
                     const std::shared_ptr<Event>& event,
                     bool external) {
  if (external) {
    if (stream.capture == nullptr) {
      return Situation::kExternalOutside;
    }
    capture_work(machine, stream, NodeKind::kWaitEvent, make_work(EventWork{event}));
    return Situation::kSuccess;
  }
  if (is_captured(*event)) {
    return wait_captured(stream, *event);
  }
  if (stream.capture != nullptr) {
    return break_capture(Situation::kUncapturedEvent, *stream.capture);
  }
  if (!event->ticket.passed()) {
    enqueue(machine, stream, nullptr, {event->ticket});
  }
  return Situation::kSuccess;
}

Situation record_context(Machine& machine, const std::shared_ptr<Event>& event, Context& context) {
  if (context.whole == nullptr) {
    context.whole = make_stream(context, StreamKind::kExplicit, false);
  }
  std::vector<Ticket> after;
  for (Stream* stream : streams_of(machine, context)) {
    after.push_back(stream->last());
  }
  event->capture = nullptr;
  event->nodes.clear();
  event->recorded = true;
  ++event->generation;
  event->ticket = enqueue(
      machine, *context.whole, make_work(RecordWork{event, event->generation}), std::move(after));
  return Situation::kSuccess;
}

Situation wait_context(Machine& machine, Context& context, const Event& event) {
  for (Stream* stream : streams_of(machine, context)) {
    if (!stream->closed && !event.ticket.passed()) {
      enqueue(machine, *stream, nullptr, {event.ticket});
    }
  }
  return Situation::kSuccess;
}

}  // namespace oriel::emulator
