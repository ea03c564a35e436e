// Copies. As with the real driver, an eager copy from pageable memory has read it when the call
// returns, and one to pageable memory has written it; only captured ones, and those of pinned
// memory, touch the host's memory later.
#include "graph_support.hpp"

#include <utility>

namespace oriel::emulator::cuda {

namespace {

enum class Waits : bool { kNo, kYes };

CopyEnd device_end(CUdeviceptr address) {
  return {address, true, 0, 0};
}

CopyEnd host_end(const void* memory) {
  return {reinterpret_cast<std::uint64_t>(memory), false, 0, 0};
}

bool is_pageable(const Machine& machine, const CopyEnd& end) {
  return !end.device && machine.memory.find(end.address) == nullptr &&
         !machine.memory.was_freed(end.address);
}

Situation check(const Machine& machine, const CopyWork& work) {
  const bool known = is_known(machine, work.from, work.width) &&
                     is_known(machine, work.to, work.width) && work.from.address != 0 &&
                     work.to.address != 0;
  return known ? Situation::kSuccess : Situation::kInvalidValue;
}

/// Takes the bytes of pageable memory that the call may not need later.
void take_snapshot(const Machine& machine, CopyWork& work) {
  if (is_pageable(machine, work.from)) {
    const auto* bytes = reinterpret_cast<const std::byte*>(work.from.address);
    work.snapshot.assign(bytes, bytes + work.width);
  }
}

Situation copy_async(Caller& caller, CUstream handle, CopyWork work) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (work.width == 0) {
    return Situation::kSuccess;
  }
  if (const Situation situation = check(caller.machine, work); failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    capture_work(caller.machine, *stream, NodeKind::kCopy, make_work(std::move(work)));
    return Situation::kSuccess;
  }
  const bool waits = is_pageable(caller.machine, work.to);
  take_snapshot(caller.machine, work);
  const Ticket ticket = enqueue(caller.machine, *stream, make_work(std::move(work)));
  return waits ? caller.wait(ticket) : Situation::kSuccess;
}

Situation copy_now(Caller& caller, CopyWork work, Waits waits) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(nullptr, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {  // a thread's own stream
    return break_capture(Situation::kSyncOfCapturing, *stream->capture);
  }
  if (const Situation situation = caller.admit_unsafe(Situation::kUnsafeCopy); failed(situation)) {
    return situation;
  }
  if (work.width == 0) {
    return Situation::kSuccess;
  }
  if (const Situation situation = check(caller.machine, work); failed(situation)) {
    return situation;
  }
  const Ticket ticket = enqueue(caller.machine, *stream, make_work(std::move(work)));
  return waits == Waits::kYes ? caller.wait(ticket) : Situation::kSuccess;
}

CopyWork plain(CopyEnd to, CopyEnd from, std::size_t bytes) {
  CopyWork work;
  work.to = to;
  work.from = from;
  work.width = bytes;
  return work;
}

/// Ends of which only the addresses are given.
CopyWork unified(const Machine& machine, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const bool to_known = machine.memory.find(to) != nullptr;
  const bool from_known = machine.memory.find(from) != nullptr;
  return plain({to, to_known, 0, 0}, {from, from_known, 0, 0}, bytes);
}

bool between_devices(const Machine& machine, const CopyWork& work) {
  const auto is_device = [&](const CopyEnd& end) {
    const BlockRef* block = machine.memory.find(end.address);
    return block != nullptr && (*block)->kind == BlockKind::kDevice;
  };
  return is_device(work.to) && is_device(work.from);
}

}  // namespace

ORIEL_CUDA_STREAM_CALL(cuMemcpy,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                       (to, from, bytes)) {
  CopyWork work = unified(caller.machine, to, from, bytes);
  const bool waits = !between_devices(caller.machine, work);
  return copy_now(caller, std::move(work), waits ? Waits::kYes : Waits::kNo);
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyHtoD_v2,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, const void* from, size_t bytes),
                       (to, from, bytes)) {
  return copy_now(caller, plain(device_end(to), host_end(from), bytes), Waits::kYes);
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyDtoH_v2,
                       _ptds,
                       kContext,
                       (void* to, CUdeviceptr from, size_t bytes),
                       (to, from, bytes)) {
  return copy_now(caller, plain(host_end(to), device_end(from), bytes), Waits::kYes);
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyDtoD_v2,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                       (to, from, bytes)) {
  return copy_now(caller, plain(device_end(to), device_end(from), bytes), Waits::kNo);
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyAsync,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                       (to, from, bytes, stream)) {
  return copy_async(caller, stream, unified(caller.machine, to, from, bytes));
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyHtoDAsync_v2,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, const void* from, size_t bytes, CUstream stream),
                       (to, from, bytes, stream)) {
  return copy_async(caller, stream, plain(device_end(to), host_end(from), bytes));
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyDtoHAsync_v2,
                       _ptsz,
                       kContext,
                       (void* to, CUdeviceptr from, size_t bytes, CUstream stream),
                       (to, from, bytes, stream)) {
  return copy_async(caller, stream, plain(host_end(to), device_end(from), bytes));
}

ORIEL_CUDA_STREAM_CALL(cuMemcpyDtoDAsync_v2,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                       (to, from, bytes, stream)) {
  return copy_async(caller, stream, plain(device_end(to), device_end(from), bytes));
}

}  // namespace oriel::emulator::cuda
