// Contexts: the primary one of each device, others, and each thread's stack of them.
#include "entry.hpp"

#include <algorithm>

namespace oriel::emulator::cuda {

namespace {

constexpr unsigned kContextFlags = CU_CTX_FLAGS_MASK;
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

Context& make_context(Caller& caller, Device& device, unsigned flags, bool primary) {
  auto context = std::make_shared<Context>();
  context->device = &device;
  context->flags = flags;
  context->primary = primary;
  context->legacy = make_stream(*context, StreamKind::kLegacy, true);
  caller.machine.contexts.insert(context);
  return *context;
}

/// Its streams finish; whatever else is left of it is a leak, and stays counted as one.
Situation destroy_context(Caller& caller, Context& context) {
  context.destroyed = true;
  const bool drained = drain(caller.machine, caller.lock, context);
  close_stream(caller.machine, *context.legacy);
  if (context.whole != nullptr) {
    close_stream(caller.machine, *context.whole);
  }
  for (const auto& [thread, stream] : context.per_thread) {
    close_stream(caller.machine, *stream);
  }
  auto held = caller.machine.contexts.erase(context.handle);
  if (held != nullptr) {
    caller.machine.former_contexts.push_back(std::move(held));
  }
  return drained ? Situation::kSuccess : Situation::kDeinitialized;
}

Situation create(Caller& caller, CUcontext* out, unsigned flags, CUdevice ordinal) {
  Device* device = nullptr;
  if (out == nullptr || (flags & ~kContextFlags) != 0) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find_device(ordinal, device); failed(situation)) {
    return situation;
  }
  Context& context = make_context(caller, *device, flags, false);
  caller.thread.contexts.push_back(&context);
  *out = to_vendor<CUcontext>(context.handle);
  return Situation::kSuccess;
}

/// The context of a handle; of a null one, the current context.
Situation find_context(Caller& caller, CUcontext handle, Context*& out) {
  if (handle != nullptr) {
    return caller.find(caller.machine.contexts, handle, out);
  }
  const auto& contexts = caller.thread.contexts;
  if (contexts.empty() || contexts.back() == nullptr) {
    return Situation::kNoCurrentContext;
  }
  out = contexts.back();
  return Situation::kSuccess;
}

}  // namespace

ORIEL_CUDA_CALL(cuDevicePrimaryCtxRetain,
                kInit,
                (CUcontext * out, CUdevice ordinal),
                (out, ordinal)) {
  Device* device = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find_device(ordinal, device); failed(situation)) {
    return situation;
  }
  if (device->primary == nullptr) {
    device->primary = &make_context(caller, *device, device->primary_flags, true);
  }
  ++device->primary_retains;
  *out = to_vendor<CUcontext>(device->primary->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuDevicePrimaryCtxRelease_v2, kRelease, (CUdevice ordinal), (ordinal)) {
  Device* device = nullptr;
  if (const Situation situation = caller.find_device(ordinal, device); failed(situation)) {
    return situation;
  }
  if (device->primary_retains == 0) {
    caller.violate("released a primary context that nobody retains");
    return Situation::kNoCurrentContext;
  }
  if (--device->primary_retains > 0) {
    return Situation::kSuccess;
  }
  Context& context = *device->primary;
  device->primary = nullptr;
  return destroy_context(caller, context);
}

ORIEL_CUDA_CALL(cuDevicePrimaryCtxGetState,
                kInit,
                (CUdevice ordinal, unsigned int* flags, int* active),
                (ordinal, flags, active)) {
  Device* device = nullptr;
  if (flags == nullptr || active == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    *flags = device->primary_flags;
    *active = device->primary != nullptr ? 1 : 0;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDevicePrimaryCtxSetFlags_v2,
                kInit,
                (CUdevice ordinal, unsigned int flags),
                (ordinal, flags)) {
  Device* device = nullptr;
  if ((flags & ~kContextFlags) != 0) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    device->primary_flags = flags;
    if (device->primary != nullptr) {
      device->primary->flags = flags;
    }
  }
  return situation;
}

ORIEL_CUDA_CALL(cuCtxCreate_v2,
                kInit,
                (CUcontext * out, unsigned int flags, CUdevice ordinal),
                (out, flags, ordinal)) {
  return create(caller, out, flags, ordinal);
}

ORIEL_CUDA_CALL(cuCtxCreate_v3,
                kInit,
                (CUcontext * out,
                 CUexecAffinityParam* affinities,
                 int count,
                 unsigned int flags,
                 CUdevice ordinal),
                (out, affinities, count, flags, ordinal)) {
  return affinities != nullptr || count != 0 ? Situation::kNotSupported
                                             : create(caller, out, flags, ordinal);
}

ORIEL_CUDA_CALL(
    cuCtxCreate_v4,
    kInit,
    (CUcontext * out, CUctxCreateParams* parameters, unsigned int flags, CUdevice ordinal),
    (out, parameters, flags, ordinal)) {
  return parameters != nullptr ? Situation::kNotSupported : create(caller, out, flags, ordinal);
}

ORIEL_CUDA_CALL(cuCtxDestroy_v2, kRelease, (CUcontext handle), (handle)) {
  Context* context = nullptr;
  if (const Situation situation = caller.find(caller.machine.contexts, handle, context);
      failed(situation)) {
    return situation;
  }
  if (context->primary) {
    return Situation::kInvalidValue;
  }
  if (!caller.thread.contexts.empty() && caller.thread.contexts.back() == context) {
    caller.thread.contexts.pop_back();
  }
  return destroy_context(caller, *context);
}

ORIEL_CUDA_CALL(cuCtxGetCurrent, kInit, (CUcontext * out), (out)) {
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  const auto& contexts = caller.thread.contexts;
  const bool none = contexts.empty() || contexts.back() == nullptr;
  *out = none ? nullptr : to_vendor<CUcontext>(contexts.back()->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxSetCurrent, kInit, (CUcontext handle), (handle)) {
  Context* context = nullptr;
  if (handle != nullptr) {
    if (const Situation situation = caller.find(caller.machine.contexts, handle, context);
        failed(situation)) {
      return situation;
    }
  }
  auto& contexts = caller.thread.contexts;
  if (!contexts.empty()) {
    contexts.pop_back();
  }
  if (context != nullptr) {
    contexts.push_back(context);
  }
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxPushCurrent_v2, kInit, (CUcontext handle), (handle)) {
  Context* context = nullptr;
  const Situation situation = caller.find(caller.machine.contexts, handle, context);
  if (!failed(situation)) {
    caller.thread.contexts.push_back(context);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuCtxPopCurrent_v2, kInit, (CUcontext * out), (out)) {
  auto& contexts = caller.thread.contexts;
  if (contexts.empty()) {
    return Situation::kNoCurrentContext;
  }
  if (out != nullptr) {
    *out = to_vendor<CUcontext>(contexts.back()->handle);
  }
  contexts.pop_back();
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxGetLimit, kContext, (std::size_t * value, CUlimit limit), (value, limit)) {
  const auto index = static_cast<std::size_t>(limit);
  if (value == nullptr || index >= caller.context->limits.size()) {
    return Situation::kInvalidValue;
  }
  *value = caller.context->limits[index];
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxSetLimit, kContext, (CUlimit limit, std::size_t value), (limit, value)) {
  const auto index = static_cast<std::size_t>(limit);
  if (index >= caller.context->limits.size()) {
    return Situation::kInvalidValue;
  }
  caller.context->limits[index] = value;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxGetDevice, kContext, (CUdevice * out), (out)) {
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  *out = caller.context->device->ordinal;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxSynchronize, kContext, (), ()) {
  const Situation situation =
      admit_context(caller.machine, Situation::kSyncOfContext, *caller.context);
  return failed(situation) ? situation : caller.wait(*caller.context);
}

ORIEL_CUDA_CALL(cuCtxGetStreamPriorityRange,
                kContext,
                (int* least, int* greatest),
                (least, greatest)) {
  if (least != nullptr) {
    *least = kLeastPriority;
  }
  if (greatest != nullptr) {
    *greatest = kGreatestPriority;
  }
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxRecordEvent,
                kContext,
                (CUcontext context_handle, CUevent event_handle),
                (context_handle, event_handle)) {
  Context* context = nullptr;
  std::shared_ptr<Event> event;
  if (const Situation situation = find_context(caller, context_handle, context);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find(caller.machine.events, event_handle, event);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation =
          admit_context(caller.machine, Situation::kEventOfContext, *context);
      failed(situation)) {
    return situation;
  }
  return record_context(caller.machine, event, *context);
}

ORIEL_CUDA_CALL(cuCtxWaitEvent,
                kContext,
                (CUcontext context_handle, CUevent event_handle),
                (context_handle, event_handle)) {
  Context* context = nullptr;
  std::shared_ptr<Event> event;
  if (const Situation situation = find_context(caller, context_handle, context);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find(caller.machine.events, event_handle, event);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation =
          admit_context(caller.machine, Situation::kEventOfContext, *context);
      failed(situation)) {
    return situation;
  }
  return wait_context(caller.machine, *context, *event);
}

ORIEL_CUDA_CALL(cuCtxGetDevice_v2, kInit, (CUdevice * out, CUcontext handle), (out, handle)) {
  Context* context = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = find_context(caller, handle, context); failed(situation)) {
    return situation;
  }
  *out = context->device->ordinal;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuCtxSynchronize_v2, kInit, (CUcontext handle), (handle)) {
  Context* context = nullptr;
  if (const Situation situation = find_context(caller, handle, context); failed(situation)) {
    return situation;
  }
  const Situation situation = admit_context(caller.machine, Situation::kSyncOfContext, *context);
  return failed(situation) ? situation : caller.wait(*context);
}

}  // namespace oriel::emulator::cuda
