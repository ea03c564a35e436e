// The driver and its devices.
#include "entry.hpp"

#include <algorithm>
#include <cstring>

namespace oriel::emulator::cuda {

namespace {

constexpr char kDeviceName[] = "Emulated CUDA device (no hardware)";

int attribute_of(const Machine& machine, int attribute) {
  const int architecture = static_cast<int>(machine.options.architecture);
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 0x7FFFFFFF;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 48 * 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 227 * 1024;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return 64 * 1024;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 4;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 1000000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return architecture / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return architecture % 10;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
      return 512;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      return 1;
    default:
      return 0;  // managed memory, peers, cooperative launches, virtual memory and so on: none
  }
}

}  // namespace

ORIEL_CUDA_CALL(cuInit, kNothing, (unsigned int flags), (flags)) {
  if (flags != 0) {
    return Situation::kInvalidValue;
  }
  if (caller.machine.options.devices == 0) {
    return Situation::kNoDevice;
  }
  caller.machine.initialized = true;
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuDriverGetVersion, kNothing, (int* version), (version)) {
  if (version == nullptr) {
    return Situation::kInvalidValue;
  }
  *version = static_cast<int>(caller.machine.options.driver_version);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuDeviceGetCount, kInit, (int* count), (count)) {
  if (count == nullptr) {
    return Situation::kInvalidValue;
  }
  *count = static_cast<int>(caller.machine.options.devices);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuDeviceGet, kInit, (CUdevice * device, int ordinal), (device, ordinal)) {
  if (device == nullptr) {
    return Situation::kInvalidValue;
  }
  Device* found = nullptr;
  const Situation situation = caller.find_device(ordinal, found);
  if (!failed(situation)) {
    *device = ordinal;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceGetName,
                kInit,
                (char* name, int bytes, CUdevice ordinal),
                (name, bytes, ordinal)) {
  Device* device = nullptr;
  if (name == nullptr || bytes <= 0) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    const std::size_t size = std::min(sizeof kDeviceName, static_cast<std::size_t>(bytes));
    std::memcpy(name, kDeviceName, size);
    name[size - 1] = '\0';
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceTotalMem_v2, kInit, (size_t * bytes, CUdevice ordinal), (bytes, ordinal)) {
  Device* device = nullptr;
  if (bytes == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    *bytes = caller.machine.options.memory_bytes;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceGetAttribute,
                kInit,
                (int* value, CUdevice_attribute attribute, CUdevice ordinal),
                (value, attribute, ordinal)) {
  Device* device = nullptr;
  if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    *value = attribute_of(caller.machine, attribute);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuDeviceComputeCapability,
                kInit,
                (int* major, int* minor, CUdevice ordinal),
                (major, minor, ordinal)) {
  Device* device = nullptr;
  if (major == nullptr || minor == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    *major = attribute_of(caller.machine, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute_of(caller.machine, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  }
  return situation;
}

namespace {

Situation get_uuid(Caller& caller, CUuuid* uuid, CUdevice ordinal) {
  Device* device = nullptr;
  if (uuid == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find_device(ordinal, device);
  if (!failed(situation)) {
    constexpr char kStart[] = "oriel-emulated-";  // and the ordinal in the sixteenth byte
    static_assert(sizeof kStart == sizeof uuid->bytes);
    std::memcpy(uuid->bytes, kStart, sizeof kStart);
    uuid->bytes[sizeof kStart - 1] = static_cast<char>(ordinal);
  }
  return situation;
}

}  // namespace

ORIEL_CUDA_CALL(cuDeviceGetUuid, kInit, (CUuuid * uuid, CUdevice ordinal), (uuid, ordinal)) {
  return get_uuid(caller, uuid, ordinal);
}

ORIEL_CUDA_CALL(cuDeviceGetUuid_v2, kInit, (CUuuid * uuid, CUdevice ordinal), (uuid, ordinal)) {
  return get_uuid(caller, uuid, ordinal);
}

}  // namespace oriel::emulator::cuda
