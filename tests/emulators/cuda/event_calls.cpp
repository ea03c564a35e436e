// Events.
#include "entry.hpp"

#include <chrono>

namespace oriel::emulator::cuda {

namespace {

constexpr unsigned kEventFlags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

Situation record(Caller& caller, CUevent event_handle, CUstream handle, bool external) {
  Stream* stream = nullptr;
  std::shared_ptr<Event> event;
  if (const Situation situation = caller.find(caller.machine.events, event_handle, event);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (event->context != stream->context) {
    return Situation::kInvalidHandle;
  }
  return record_event(caller.machine, event, *stream, external);
}

Situation elapsed(Caller& caller, float* milliseconds, CUevent start_handle, CUevent end_handle) {
  Event* start = nullptr;
  Event* end = nullptr;
  if (milliseconds == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.events, start_handle, start);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find(caller.machine.events, end_handle, end);
      failed(situation)) {
    return situation;
  }
  for (Event* event : {start, end}) {
    if (const Situation situation = admit_event(caller.machine, *event); failed(situation)) {
      return situation;
    }
    if (!event->timing || !event->recorded) {
      return Situation::kInvalidHandle;
    }
  }
  if (!start->ticket.passed() || !end->ticket.passed()) {
    return Situation::kNotReady;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return Situation::kSuccess;
}

}  // namespace

ORIEL_CUDA_CALL(cuEventCreate, kContext, (CUevent * out, unsigned int flags), (out, flags)) {
  if (out == nullptr || (flags & ~kEventFlags) != 0) {
    return Situation::kInvalidValue;
  }
  if ((flags & CU_EVENT_INTERPROCESS) != 0) {
    return Situation::kNotSupported;
  }
  auto event = std::make_shared<Event>();
  event->context = caller.context;
  event->flags = flags;
  event->timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  *out = to_vendor<CUevent>(caller.machine.events.insert(std::move(event)));
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuEventDestroy_v2, kRelease, (CUevent handle), (handle)) {
  Event* event = nullptr;
  const Situation situation = caller.find(caller.machine.events, handle, event);
  if (!failed(situation)) {
    caller.owner = event->context;
    const auto last = caller.machine.events.erase(event->handle);
  }
  return situation;
}

ORIEL_CUDA_STREAM_CALL(
    cuEventRecord, _ptsz, kContext, (CUevent event, CUstream stream), (event, stream)) {
  return record(caller, event, stream, false);
}

ORIEL_CUDA_STREAM_CALL(cuEventRecordWithFlags,
                       _ptsz,
                       kContext,
                       (CUevent event, CUstream stream, unsigned int flags),
                       (event, stream, flags)) {
  if ((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) != 0) {
    return Situation::kInvalidValue;
  }
  return record(caller, event, stream, (flags & CU_EVENT_RECORD_EXTERNAL) != 0);
}

ORIEL_CUDA_CALL(cuEventQuery, kContext, (CUevent handle), (handle)) {
  Event* event = nullptr;
  if (const Situation situation = caller.find(caller.machine.events, handle, event);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = admit_event(caller.machine, *event); failed(situation)) {
    return situation;
  }
  return event->ticket.passed() ? Situation::kSuccess : Situation::kNotReady;
}

ORIEL_CUDA_CALL(cuEventSynchronize, kContext, (CUevent handle), (handle)) {
  Event* event = nullptr;
  if (const Situation situation = caller.find(caller.machine.events, handle, event);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = admit_event(caller.machine, *event); failed(situation)) {
    return situation;
  }
  const Ticket ticket = event->ticket;  // the event may be recorded again meanwhile
  return caller.wait(ticket);
}

ORIEL_CUDA_CALL(cuEventElapsedTime,
                kContext,
                (float* milliseconds, CUevent start, CUevent end),
                (milliseconds, start, end)) {
  return elapsed(caller, milliseconds, start, end);
}

ORIEL_CUDA_CALL(cuEventElapsedTime_v2,
                kContext,
                (float* milliseconds, CUevent start, CUevent end),
                (milliseconds, start, end)) {
  return elapsed(caller, milliseconds, start, end);
}

}  // namespace oriel::emulator::cuda
