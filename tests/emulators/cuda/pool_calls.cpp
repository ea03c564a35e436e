// Memory that is allocated and freed in the order of a stream, or as nodes of a graph.
#include "entry.hpp"

#include <utility>

namespace oriel::emulator::cuda {

namespace {

constexpr Handle kFirstPool = Handle{9} << 40U;  // a kind of handle that no table has

CUmemoryPool default_pool(const Device& device) {
  return to_vendor<CUmemoryPool>(kFirstPool + 16 * (static_cast<Handle>(device.ordinal) + 1));
}

Situation allocate(Caller& caller, CUdeviceptr* out, size_t bytes, CUstream handle) {
  if (out == nullptr || bytes == 0) {
    return Situation::kInvalidValue;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  Machine& machine = caller.machine;
  Device& device = *stream->context->device;
  if (stream->capture != nullptr) {
    BlockRef block = reserve_for_graph(machine, bytes, device);
    if (block == nullptr) {
      return Situation::kOutOfMemory;
    }
    *out = block->address;
    capture_work(machine, *stream, NodeKind::kAllocate, make_work(AllocateWork{std::move(block)}));
    return Situation::kSuccess;
  }
  Situation situation = Situation::kSuccess;
  BlockRef block = reserve_now(machine, BlockKind::kDevice, bytes, device, situation);
  if (block != nullptr) {
    *out = block->address;
    enqueue(machine, *stream, make_work(AllocateWork{std::move(block)}));
  }
  return situation;
}

}  // namespace

ORIEL_CUDA_STREAM_CALL(cuMemAllocAsync,
                       _ptsz,
                       kContext,
                       (CUdeviceptr * out, size_t bytes, CUstream stream),
                       (out, bytes, stream)) {
  return allocate(caller, out, bytes, stream);
}

ORIEL_CUDA_STREAM_CALL(cuMemAllocFromPoolAsync,
                       _ptsz,
                       kContext,
                       (CUdeviceptr * out, size_t bytes, CUmemoryPool pool, CUstream stream),
                       (out, bytes, pool, stream)) {
  return pool == default_pool(*caller.context->device) ? allocate(caller, out, bytes, stream)
                                                       : Situation::kInvalidValue;
}

ORIEL_CUDA_STREAM_CALL(
    cuMemFreeAsync, _ptsz, kContext, (CUdeviceptr address, CUstream handle), (address, handle)) {
  if (address == 0) {
    return Situation::kInvalidValue;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  Machine& machine = caller.machine;
  const BlockRef* found = machine.memory.find(address);
  BlockRef block = found != nullptr && (*found)->address == address ? *found : nullptr;
  if (stream->capture != nullptr) {
    if (block == nullptr || !block->of_graph) {
      return break_capture(Situation::kFreeOfForeign, *stream->capture);
    }
    capture_work(machine, *stream, NodeKind::kFree, make_work(FreeWork{std::move(block)}));
    return Situation::kSuccess;
  }
  if (block == nullptr || block->kind != BlockKind::kDevice || !block->allocated) {
    if (block != nullptr || machine.memory.was_freed(address)) {
      caller.violate("freed memory twice");
    }
    return Situation::kInvalidValue;
  }
  release_bytes(machine, *block);
  enqueue(machine, *stream, make_work(FreeWork{std::move(block)}));
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuDeviceGetDefaultMemPool,
                kInit,
                (CUmemoryPool * out, CUdevice ordinal),
                (out, ordinal)) {
  Device* device = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    *out = default_pool(*device);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceGraphMemTrim, kInit, (CUdevice ordinal), (ordinal)) {
  Device* device = nullptr;
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    collect_memory(caller.machine);
    trim_memory(caller.machine, *device);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceGetGraphMemAttribute,
                kInit,
                (CUdevice ordinal, CUgraphMem_attribute attribute, void* value),
                (ordinal, attribute, value)) {
  Device* device = nullptr;
  if (value == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find_device(ordinal, device); failed(situation)) {
    return situation;
  }
  cuuint64_t bytes = 0;
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      bytes = device->graph_used.current;
      break;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      bytes = device->graph_used.high;
      break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      bytes = device->graph_reserved.current;
      break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      bytes = device->graph_reserved.high;
      break;
    default:
      return Situation::kInvalidValue;
  }
  *static_cast<cuuint64_t*>(value) = bytes;
  return Situation::kSuccess;
}

}  // namespace oriel::emulator::cuda
