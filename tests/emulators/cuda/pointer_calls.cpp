// What the driver knows about an address.
#include "entry.hpp"

namespace oriel::emulator::cuda {

namespace {

Situation get_attribute(const Caller& caller, void* data, int attribute, const Block& block) {
  const bool device = block.kind == BlockKind::kDevice;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(data) = device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = block.device;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(data) = block.address;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t*>(data) = block.bytes;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(data) = 0;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<unsigned*>(data) = block.live ? 1 : 0;
      return Situation::kSuccess;
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      const Context* primary =
          caller.machine.devices[static_cast<std::size_t>(block.device)].primary;
      *static_cast<CUcontext*>(data) =
          primary != nullptr ? to_vendor<CUcontext>(primary->handle) : nullptr;
      return Situation::kSuccess;
    }
    default:
      return Situation::kNotSupported;
  }
}

Situation get_attribute(const Caller& caller, void* data, int attribute, CUdeviceptr address) {
  const BlockRef* block = caller.machine.memory.find(address);
  if (data == nullptr || block == nullptr || !(*block)->allocated) {
    return Situation::kInvalidValue;
  }
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) {
    *static_cast<CUdeviceptr*>(data) = address;
    return Situation::kSuccess;
  }
  if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) {
    if ((*block)->kind == BlockKind::kDevice) {
      return Situation::kInvalidValue;
    }
    *static_cast<void**>(data) = reinterpret_cast<void*>(address);
    return Situation::kSuccess;
  }
  return get_attribute(caller, data, attribute, **block);
}

}  // namespace

ORIEL_CUDA_CALL(cuPointerGetAttribute,
                kContext,
                (void* data, CUpointer_attribute attribute, CUdeviceptr address),
                (data, attribute, address)) {
  return get_attribute(caller, data, attribute, address);
}

ORIEL_CUDA_CALL(
    cuPointerGetAttributes,
    kContext,
    (unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr address),
    (count, attributes, data, address)) {
  if (count == 0 || attributes == nullptr || data == nullptr) {
    return Situation::kInvalidValue;
  }
  for (unsigned i = 0; i < count; ++i) {
    const Situation situation = get_attribute(caller, data[i], attributes[i], address);
    if (failed(situation) && caller.machine.memory.find(address) != nullptr) {
      return situation;
    }
    // For an address that the driver doesn't know the call succeeds with zeroes; only their size
    // differs, and the memory type's is known.
    if (failed(situation) && attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
      *static_cast<unsigned*>(data[i]) = 0;
    }
  }
  return Situation::kSuccess;
}

}  // namespace oriel::emulator::cuda
