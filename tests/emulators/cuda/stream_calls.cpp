// Streams, outside of capture.
#include "entry.hpp"

#include <algorithm>

namespace oriel::emulator::cuda {

namespace {

Situation create(Caller& caller, CUstream* out, unsigned flags, int priority) {
  if (out == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  auto stream =
      make_stream(*caller.context, StreamKind::kExplicit, (flags & CU_STREAM_NON_BLOCKING) == 0);
  stream->flags = flags;
  stream->priority = std::clamp(priority, -5, 0);  // cuCtxGetStreamPriorityRange
  *out = to_vendor<CUstream>(caller.machine.streams.insert(std::move(stream)));
  return Situation::kSuccess;
}

}  // namespace

ORIEL_CUDA_CALL(cuStreamCreate, kContext, (CUstream * out, unsigned int flags), (out, flags)) {
  return create(caller, out, flags, 0);
}

ORIEL_CUDA_CALL(cuStreamCreateWithPriority,
                kContext,
                (CUstream * out, unsigned int flags, int priority),
                (out, flags, priority)) {
  return create(caller, out, flags, priority);
}

ORIEL_CUDA_CALL(cuStreamDestroy_v2, kRelease, (CUstream handle), (handle)) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find(caller.machine.streams, handle, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return break_capture(Situation::kDestroyOfCapturing, *stream->capture);
  }
  caller.owner = stream->context;
  const std::shared_ptr<Stream> held = caller.machine.streams.erase(stream->handle);
  close_stream(caller.machine, *stream);
  return Situation::kSuccess;
}

ORIEL_CUDA_STREAM_CALL(cuStreamQuery, _ptsz, kContext, (CUstream handle), (handle)) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return break_capture(Situation::kSyncOfCapturing, *stream->capture);
  }
  if (const Situation situation = caller.admit_unsafe(Situation::kUnsafeWait); failed(situation)) {
    return situation;
  }
  return stream->idle() ? Situation::kSuccess : Situation::kNotReady;
}

ORIEL_CUDA_STREAM_CALL(cuStreamSynchronize, _ptsz, kContext, (CUstream handle), (handle)) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return break_capture(Situation::kSyncOfCapturing, *stream->capture);
  }
  if (const Situation situation = caller.admit_unsafe(Situation::kUnsafeWait); failed(situation)) {
    return situation;
  }
  if (stream->kind == StreamKind::kLegacy) {  // whose order takes in the blocking streams
    enqueue(caller.machine, *stream, nullptr);
  }
  return caller.wait(stream->last());
}

ORIEL_CUDA_STREAM_CALL(cuStreamWaitEvent,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUevent event_handle, unsigned int flags),
                       (handle, event_handle, flags)) {
  if ((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) != 0) {
    return Situation::kInvalidValue;
  }
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
  return wait_event(caller.machine, *stream, event, (flags & CU_EVENT_WAIT_EXTERNAL) != 0);
}

ORIEL_CUDA_STREAM_CALL(cuStreamAddCallback,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUstreamCallback callback, void* data, unsigned int flags),
                       (handle, callback, data, flags)) {
  if (callback == nullptr || flags != 0) {
    return Situation::kInvalidValue;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return break_capture(Situation::kCallbackInCapture, *stream->capture);
  }
  enqueue(
      caller.machine, *stream, make_work(CallbackWork{[handle, callback, data](Situation state) {
        callback(handle, static_cast<CUresult>(vendor_rules().code(state)), data);
      }}));
  return Situation::kSuccess;
}

ORIEL_CUDA_STREAM_CALL(cuStreamAttachMemAsync,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUdeviceptr address, size_t bytes, unsigned int flags),
                       (handle, address, bytes, flags)) {
  static_cast<void>(address);
  static_cast<void>(bytes);
  static_cast<void>(flags);
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return break_capture(Situation::kAttachInCapture, *stream->capture);
  }
  return Situation::kInvalidValue;  // only managed memory can be attached, and there is none
}

ORIEL_CUDA_STREAM_CALL(
    cuStreamGetFlags, _ptsz, kContext, (CUstream handle, unsigned int* flags), (handle, flags)) {
  Stream* stream = nullptr;
  if (flags == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_stream(handle, Use::kHandle, stream);
  if (!failed(situation)) {
    *flags = stream->flags;
  }
  return situation;
}

ORIEL_CUDA_STREAM_CALL(
    cuStreamGetPriority, _ptsz, kContext, (CUstream handle, int* priority), (handle, priority)) {
  Stream* stream = nullptr;
  if (priority == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_stream(handle, Use::kHandle, stream);
  if (!failed(situation)) {
    *priority = stream->priority;
  }
  return situation;
}

namespace {

Situation get_context(Caller& caller, CUstream handle, CUcontext* context) {
  Stream* stream = nullptr;
  if (context == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_stream(handle, Use::kHandle, stream);
  if (!failed(situation)) {
    *context = to_vendor<CUcontext>(stream->context->handle);
  }
  return situation;
}

}  // namespace

ORIEL_CUDA_STREAM_CALL(
    cuStreamGetCtx, _ptsz, kContext, (CUstream handle, CUcontext* context), (handle, context)) {
  return get_context(caller, handle, context);
}

ORIEL_CUDA_STREAM_CALL(cuStreamGetCtx_v2,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUcontext* context, CUgreenCtx* green),
                       (handle, context, green)) {
  if (green == nullptr) {
    return Situation::kInvalidValue;
  }
  *green = nullptr;  // no stream here is of a green context
  return get_context(caller, handle, context);
}

}  // namespace oriel::emulator::cuda
