#include "cuda_errors.hpp"

#include <algorithm>
#include <iterator>

namespace oriel::cuda {
namespace {

using stream_capture::Outcome;

/// How one of CUDA's codes is told. Meanings are those of the enumeration's comments in cuda.h.
struct Row {
  int code;
  ErrorCode ours;
  const char* advice;
};

constexpr const char* kLost =
    "the device can't be used any more by this process; close the runtime, and look for a kernel "
    "that leaves its buffers";
constexpr const char* kNoCode = "no image of the kernels is for this device; compile them for it";
constexpr const char* kBroken =
    "a call that a capture doesn't allow was made in the window, by a library or another thread; "
    "make it before the window";

constexpr Row kRows[] = {
    {CUDA_ERROR_INVALID_VALUE, ErrorCode::kDriverError, "the driver doesn't take these values"},
    {CUDA_ERROR_OUT_OF_MEMORY,
     ErrorCode::kOutOfMemory,
     "the device has no memory left for it; drop buffers or graphs, or call trim"},
    {CUDA_ERROR_NOT_INITIALIZED, ErrorCode::kUnavailable, "the driver is not initialised"},
    {CUDA_ERROR_DEINITIALIZED, ErrorCode::kUnavailable, "the driver is shutting down"},
    {CUDA_ERROR_STUB_LIBRARY,
     ErrorCode::kUnavailable,
     "this is the toolkit's stub library and no driver; install NVIDIA's driver, or take the stub "
     "out of the loader's path"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE,
     ErrorCode::kDeviceLost,
     "the device is busy or gone; see nvidia-smi"},
    {CUDA_ERROR_NO_DEVICE, ErrorCode::kUnavailable, "the driver found no device; see nvidia-smi"},
    {CUDA_ERROR_INVALID_DEVICE, ErrorCode::kInvalidArgument, "there is no such device"},
    {CUDA_ERROR_INVALID_IMAGE, ErrorCode::kUnsupported, "the kernels' image is not CUDA's"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, ErrorCode::kUnsupported, kNoCode},
    {CUDA_ERROR_ECC_UNCORRECTABLE, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_INVALID_PTX, ErrorCode::kUnsupported, "the kernels' PTX can't be compiled here"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
     ErrorCode::kUnsupported,
     "the kernels are there as PTX only, and the driver has no compiler for it"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     ErrorCode::kUnsupported,
     "the kernels' PTX is newer than the driver; update the driver, or compile for this device"},
    {CUDA_ERROR_NOT_FOUND, ErrorCode::kDriverError, "there is no such symbol in the module"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
     ErrorCode::kDriverError,
     "the kernel needs more registers or memory than a group of this size has; launch smaller "
     "groups"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_MISALIGNED_ADDRESS, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_INVALID_PC, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_LAUNCH_FAILED, ErrorCode::kDeviceLost, kLost},
    {CUDA_ERROR_NOT_PERMITTED, ErrorCode::kNotPermitted, "not from a host function"},
    {CUDA_ERROR_NOT_SUPPORTED, ErrorCode::kUnsupported, "this device or driver can't do that"},
    {CUDA_ERROR_SYSTEM_NOT_READY,
     ErrorCode::kUnavailable,
     "the system's fabric is not up; start NVIDIA's fabric manager"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
     ErrorCode::kIncompatible,
     "the kernel's driver and libcuda are of different versions; install them together"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_MERGE, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
     ErrorCode::kUnjoined,
     "a stream was pulled into the window and not joined back; record an event on it and wait for "
     "that before the close"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_CAPTURED_EVENT, ErrorCode::kDoomed, kBroken},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
     ErrorCode::kInvalidState,
     "the window must be closed by the thread that began it"},
};

constexpr Row kUnknown{0, ErrorCode::kDriverError, "the driver gives no further reason"};

const Row& row_of(int code) noexcept {
  const Row* found = std::find_if(
      std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.code == code; });
  return found == std::end(kRows) ? kUnknown : *found;
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error error_of(const DriverLibrary& library, Outcome outcome) {
  if (outcome.code == Outcome::kMadeNothing) {
    return {ErrorCode::kDriverError,
            std::string(outcome.call) + " answered success and made nothing; the driver is broken"};
  }
  const Row& row = row_of(outcome.code);
  Error error(row.ours, std::string(outcome.call) + " failed: " + row.advice);
  error.native.value = outcome.code;
  const char* name = nullptr;
  if (library.get_error_name != nullptr) {
    library.get_error_name(static_cast<CUresult>(outcome.code), &name);
  }
  error.native.name = name != nullptr ? name : "CUDA_ERROR";
  return error;
}

}  // namespace oriel::cuda
