// Memory that is allocated at once: the device's, and pinned memory of the host.
#include "entry.hpp"

namespace oriel::emulator::cuda {

namespace {

constexpr unsigned kPinnedFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

/// The allocated block that starts at the address; null, and a violation if it is freed already.
BlockRef find_start(Caller& caller, std::uint64_t address) {
  const BlockRef* block = caller.machine.memory.find(address);
  if (block != nullptr && (*block)->address == address && (*block)->allocated) {
    return *block;
  }
  if ((block != nullptr && (*block)->address == address) ||
      caller.machine.memory.was_freed(address)) {
    caller.violate("freed memory twice");
  }
  return nullptr;
}

Situation allocate_pinned(Caller& caller, void** out, size_t bytes, unsigned flags) {
  if (out == nullptr || bytes == 0 || (flags & ~kPinnedFlags) != 0) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  Situation situation = Situation::kSuccess;
  const BlockRef block =
      allocate_now(caller.machine, BlockKind::kPinned, bytes, *caller.context->device, situation);
  if (block != nullptr) {
    block->flags = flags;
    *out = reinterpret_cast<void*>(block->address);
  }
  return situation;
}

}  // namespace

ORIEL_CUDA_CALL(cuMemAlloc_v2, kContext, (CUdeviceptr * out, size_t bytes), (out, bytes)) {
  if (out == nullptr || bytes == 0) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  Situation situation = Situation::kSuccess;
  const BlockRef block =
      allocate_now(caller.machine, BlockKind::kDevice, bytes, *caller.context->device, situation);
  if (block != nullptr) {
    *out = block->address;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuMemFree_v2, kReleaseHere, (CUdeviceptr address), (address)) {
  if (address == 0) {
    return Situation::kSuccess;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  const BlockRef block = find_start(caller, address);
  if (block == nullptr || block->kind != BlockKind::kDevice) {
    return Situation::kInvalidValue;
  }
  if (!block->live) {  // its allocation is still in a stream
    static_cast<void>(drain(caller.machine, caller.lock, *caller.context));
  }
  release_bytes(caller.machine, *block);
  if (block->of_graph) {
    caller.machine.memory.make_dead(*block);
  } else {
    caller.machine.memory.forget(address);
  }
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemGetInfo_v2, kContext, (size_t * free, size_t* total), (free, total)) {
  if (free == nullptr || total == nullptr) {
    return Situation::kInvalidValue;
  }
  const std::uint64_t limit = caller.machine.options.memory_bytes;
  const std::size_t used = caller.context->device->used_bytes;
  *total = limit;
  *free = used < limit ? limit - used : 0;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemAllocHost_v2, kContext, (void** out, size_t bytes), (out, bytes)) {
  return allocate_pinned(caller, out, bytes, 0);
}

ORIEL_CUDA_CALL(cuMemHostAlloc,
                kContext,
                (void** out, size_t bytes, unsigned int flags),
                (out, bytes, flags)) {
  return allocate_pinned(caller, out, bytes, flags);
}

ORIEL_CUDA_CALL(cuMemFreeHost, kReleaseHere, (void* memory), (memory)) {
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  const BlockRef block = find_start(caller, reinterpret_cast<std::uint64_t>(memory));
  if (block == nullptr || block->kind != BlockKind::kPinned) {
    return Situation::kInvalidValue;
  }
  release_bytes(caller.machine, *block);
  caller.machine.memory.forget(block->address);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemHostRegister_v2,
                kContext,
                (void* memory, size_t bytes, unsigned int flags),
                (memory, bytes, flags)) {
  if (memory == nullptr || bytes == 0 || (flags & ~kRegisterFlags) != 0) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (caller.machine.memory.find(address) != nullptr ||
      caller.machine.memory.find(address + bytes - 1) != nullptr) {
    return Situation::kAlreadyRegistered;
  }
  caller.machine.memory.adopt(memory, bytes)->flags = flags;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemHostUnregister, kReleaseHere, (void* memory), (memory)) {
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const BlockRef* block = caller.machine.memory.find(address);
  if (block == nullptr || (*block)->kind != BlockKind::kRegistered ||
      (*block)->address != address) {
    return Situation::kNotRegistered;
  }
  caller.machine.memory.forget(address);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemHostGetDevicePointer_v2,
                kContext,
                (CUdeviceptr * out, void* memory, unsigned int flags),
                (out, memory, flags)) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const BlockRef* block = caller.machine.memory.find(address);
  if (out == nullptr || flags != 0 || block == nullptr || (*block)->kind == BlockKind::kDevice) {
    return Situation::kInvalidValue;
  }
  *out = address;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuMemGetAddressRange_v2,
                kContext,
                (CUdeviceptr * start, size_t* bytes, CUdeviceptr address),
                (start, bytes, address)) {
  const BlockRef* block = caller.machine.memory.find(address);
  if (block == nullptr || !(*block)->allocated) {
    return Situation::kNotFound;
  }
  if (start != nullptr) {
    *start = (*block)->address;
  }
  if (bytes != nullptr) {
    *bytes = (*block)->bytes;
  }
  return Situation::kSuccess;
}

}  // namespace oriel::emulator::cuda
