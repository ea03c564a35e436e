// Names of the driver's codes, and a few words on those that this driver gives.
#include "entry.hpp"

#include <algorithm>
#include <iterator>

namespace oriel::emulator::cuda {

namespace {

struct Name {
  CUresult code;
  const char* name;
  const char* text;
};

constexpr const char* kOther = "an error that the emulated driver does not raise by itself";

#define ORIEL_NAME(code, text) \
  { code, #code, text }
constexpr Name kNames[] = {
    ORIEL_NAME(CUDA_SUCCESS, "no error"),
    ORIEL_NAME(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    ORIEL_NAME(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    ORIEL_NAME(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called"),
    ORIEL_NAME(CUDA_ERROR_DEINITIALIZED, "the driver is shutting down"),
    ORIEL_NAME(CUDA_ERROR_PROFILER_DISABLED, kOther),
    ORIEL_NAME(CUDA_ERROR_PROFILER_NOT_INITIALIZED, kOther),
    ORIEL_NAME(CUDA_ERROR_PROFILER_ALREADY_STARTED, kOther),
    ORIEL_NAME(CUDA_ERROR_PROFILER_ALREADY_STOPPED, kOther),
    ORIEL_NAME(CUDA_ERROR_STUB_LIBRARY, "this library is a stub"),
    ORIEL_NAME(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, kOther),
    ORIEL_NAME(CUDA_ERROR_DEVICE_UNAVAILABLE, "the device is unavailable"),
    ORIEL_NAME(CUDA_ERROR_NO_DEVICE, "there is no device"),
    ORIEL_NAME(CUDA_ERROR_INVALID_DEVICE, "no such device"),
    ORIEL_NAME(CUDA_ERROR_DEVICE_NOT_LICENSED, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_IMAGE, "the image is not valid"),
    ORIEL_NAME(CUDA_ERROR_INVALID_CONTEXT, "no valid current context"),
    ORIEL_NAME(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, kOther),
    ORIEL_NAME(CUDA_ERROR_MAP_FAILED, kOther),
    ORIEL_NAME(CUDA_ERROR_UNMAP_FAILED, kOther),
    ORIEL_NAME(CUDA_ERROR_ARRAY_IS_MAPPED, kOther),
    ORIEL_NAME(CUDA_ERROR_ALREADY_MAPPED, kOther),
    ORIEL_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU, "no code for the device in the image"),
    ORIEL_NAME(CUDA_ERROR_ALREADY_ACQUIRED, kOther),
    ORIEL_NAME(CUDA_ERROR_NOT_MAPPED, kOther),
    ORIEL_NAME(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, kOther),
    ORIEL_NAME(CUDA_ERROR_NOT_MAPPED_AS_POINTER, kOther),
    ORIEL_NAME(CUDA_ERROR_ECC_UNCORRECTABLE, kOther),
    ORIEL_NAME(CUDA_ERROR_UNSUPPORTED_LIMIT, kOther),
    ORIEL_NAME(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, kOther),
    ORIEL_NAME(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_PTX, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, kOther),
    ORIEL_NAME(CUDA_ERROR_NVLINK_UNCORRECTABLE, kOther),
    ORIEL_NAME(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, kOther),
    ORIEL_NAME(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, kOther),
    ORIEL_NAME(CUDA_ERROR_JIT_COMPILATION_DISABLED, kOther),
    ORIEL_NAME(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, kOther),
    ORIEL_NAME(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, kOther),
    ORIEL_NAME(CUDA_ERROR_CONTAINED, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_SOURCE, kOther),
    ORIEL_NAME(CUDA_ERROR_FILE_NOT_FOUND, kOther),
    ORIEL_NAME(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, kOther),
    ORIEL_NAME(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, kOther),
    ORIEL_NAME(CUDA_ERROR_OPERATING_SYSTEM, "the operating system reported an error"),
    ORIEL_NAME(CUDA_ERROR_INVALID_HANDLE, "invalid handle"),
    ORIEL_NAME(CUDA_ERROR_ILLEGAL_STATE, "not allowed in this state"),
    ORIEL_NAME(CUDA_ERROR_LOSSY_QUERY, "the query would lose information"),
    ORIEL_NAME(CUDA_ERROR_NOT_FOUND, "no such symbol"),
    ORIEL_NAME(CUDA_ERROR_NOT_READY, "not finished yet"),
    ORIEL_NAME(CUDA_ERROR_ILLEGAL_ADDRESS, "work used an address that is not allocated"),
    ORIEL_NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, kOther),
    ORIEL_NAME(CUDA_ERROR_LAUNCH_TIMEOUT, kOther),
    ORIEL_NAME(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, kOther),
    ORIEL_NAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, kOther),
    ORIEL_NAME(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, kOther),
    ORIEL_NAME(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is active"),
    ORIEL_NAME(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context is destroyed"),
    ORIEL_NAME(CUDA_ERROR_ASSERT, kOther),
    ORIEL_NAME(CUDA_ERROR_TOO_MANY_PEERS, kOther),
    ORIEL_NAME(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "the memory is registered already"),
    ORIEL_NAME(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "the memory is not registered"),
    ORIEL_NAME(CUDA_ERROR_HARDWARE_STACK_ERROR, kOther),
    ORIEL_NAME(CUDA_ERROR_ILLEGAL_INSTRUCTION, kOther),
    ORIEL_NAME(CUDA_ERROR_MISALIGNED_ADDRESS, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_ADDRESS_SPACE, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_PC, kOther),
    ORIEL_NAME(CUDA_ERROR_LAUNCH_FAILED, "a launch failed"),
    ORIEL_NAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, kOther),
    ORIEL_NAME(CUDA_ERROR_TENSOR_MEMORY_LEAK, kOther),
    ORIEL_NAME(CUDA_ERROR_NOT_PERMITTED, "not permitted here"),
    ORIEL_NAME(CUDA_ERROR_NOT_SUPPORTED, "not supported"),
    ORIEL_NAME(CUDA_ERROR_SYSTEM_NOT_READY, kOther),
    ORIEL_NAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, kOther),
    ORIEL_NAME(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_CONNECTION_FAILED, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_RPC_FAILURE, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_SERVER_NOT_READY, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, kOther),
    ORIEL_NAME(CUDA_ERROR_MPS_CLIENT_TERMINATED, kOther),
    ORIEL_NAME(CUDA_ERROR_CDP_NOT_SUPPORTED, kOther),
    ORIEL_NAME(CUDA_ERROR_CDP_VERSION_MISMATCH, kOther),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "not permitted while a stream captures"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "the capture was invalidated by an earlier error"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures would be merged"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture was not begun on this stream"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "a forked stream was not joined"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a dependency on work outside of the capture"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
               "an implicit dependency of the legacy stream on a capture"),
    ORIEL_NAME(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture"),
    ORIEL_NAME(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture was begun on another thread"),
    ORIEL_NAME(CUDA_ERROR_TIMEOUT, kOther),
    ORIEL_NAME(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the executable graph can not be updated so"),
    ORIEL_NAME(CUDA_ERROR_EXTERNAL_DEVICE, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_CLUSTER_SIZE, kOther),
    ORIEL_NAME(CUDA_ERROR_FUNCTION_NOT_LOADED, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_RESOURCE_TYPE, kOther),
    ORIEL_NAME(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, kOther),
    ORIEL_NAME(CUDA_ERROR_KEY_ROTATION, kOther),
    ORIEL_NAME(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef ORIEL_NAME

const Name* find_name(CUresult code) {
  const auto* found = std::find_if(
      std::begin(kNames), std::end(kNames), [&](const Name& row) { return row.code == code; });
  return found != std::end(kNames) ? found : nullptr;
}

}  // namespace

ORIEL_CUDA_CALL(cuGetErrorName, kNothing, (CUresult code, const char** out), (code, out)) {
  const Name* row = find_name(code);
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  *out = row != nullptr ? row->name : nullptr;
  return row != nullptr ? Situation::kSuccess : Situation::kInvalidValue;
}

ORIEL_CUDA_CALL(cuGetErrorString, kNothing, (CUresult code, const char** out), (code, out)) {
  const Name* row = find_name(code);
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  *out = row != nullptr ? row->text : nullptr;
  return row != nullptr ? Situation::kSuccess : Situation::kInvalidValue;
}

}  // namespace oriel::emulator::cuda
