// Launches of kernels.
#include "graph_support.hpp"

#include <algorithm>
#include <utility>

namespace oriel::emulator::cuda {
namespace {

bool are_sizes_allowed(const LaunchRequest& request) {
  constexpr std::uint32_t kGridLimits[] = {0x7FFFFFFF, 65535, 65535};
  constexpr std::uint32_t kGroupLimits[] = {1024, 1024, 64};
  constexpr std::uint64_t kThreads = 1024;
  std::uint64_t threads = 1;
  for (int d = 0; d < 3; ++d) {
    if (request.grid[d] == 0 || request.grid[d] > kGridLimits[d] || request.group[d] == 0 ||
        request.group[d] > kGroupLimits[d]) {
      return false;
    }
    threads *= request.group[d];
  }
  return threads <= kThreads;
}

bool is_shared_memory_allowed(const Kernel& kernel, unsigned bytes) {
  const auto set = kernel.attributes.find(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  constexpr unsigned kDefault = 48 * 1024;
  const unsigned chosen = set != kernel.attributes.end() ? static_cast<unsigned>(set->second) : 0;
  return bytes <= std::max(kDefault, chosen);
}

}  // namespace

Situation read_launch(Caller& caller, const LaunchRequest& request, KernelWork& out) {
  std::shared_ptr<Kernel> kernel;
  if (const Situation situation = caller.find(caller.machine.kernels, request.function, kernel);
      failed(situation)) {
    return situation;
  }
  if (!are_sizes_allowed(request) || !is_shared_memory_allowed(*kernel, request.shared_bytes)) {
    return Situation::kInvalidValue;
  }
  if (request.extra != nullptr) {
    return Situation::kNotSupported;  // how values lie in a buffer is the compiler's secret
  }
  if (kernel->host == nullptr) {
    caller.violate("was given a function of a module for which there is no host image");
    return Situation::kLaunchFailed;
  }
  const std::size_t count = kernel->offsets.size();
  if (count != 0 && (request.parameters == nullptr ||
                     std::any_of(request.parameters, request.parameters + count, [](void* p) {
                       return p == nullptr;
                     }))) {
    return Situation::kInvalidValue;
  }
  out = make_kernel_work(std::move(kernel), request.parameters);
  std::copy_n(request.grid, 3, out.grid);
  std::copy_n(request.group, 3, out.group);
  out.shared_bytes = request.shared_bytes;
  return Situation::kSuccess;
}

namespace {

/// The first driver that can load a function within a capture.
constexpr std::uint64_t kLoadsInCapture = 12030;

Situation launch_kernel(Caller& caller, CUstream handle, const LaunchRequest& request) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  KernelWork work;
  if (const Situation situation = read_launch(caller, request, work); failed(situation)) {
    return situation;
  }
  if (work.kernel->context != stream->context) {
    return Situation::kInvalidHandle;
  }
  if (!work.kernel->loaded && stream->capture != nullptr &&
      caller.machine.options.driver_version < kLoadsInCapture) {
    return break_capture(Situation::kLazyLoad, *stream->capture);
  }
  work.kernel->loaded = true;
  submit(caller.machine, *stream, NodeKind::kKernel, make_work(std::move(work)));
  return Situation::kSuccess;
}

}  // namespace

ORIEL_CUDA_STREAM_CALL(cuLaunchKernel,
                       _ptsz,
                       kContext,
                       (CUfunction function,
                        unsigned int grid_x,
                        unsigned int grid_y,
                        unsigned int grid_z,
                        unsigned int block_x,
                        unsigned int block_y,
                        unsigned int block_z,
                        unsigned int shared_bytes,
                        CUstream stream,
                        void** parameters,
                        void** extra),
                       (function,
                        grid_x,
                        grid_y,
                        grid_z,
                        block_x,
                        block_y,
                        block_z,
                        shared_bytes,
                        stream,
                        parameters,
                        extra)) {
  return launch_kernel(caller,
                       stream,
                       {function,
                        {grid_x, grid_y, grid_z},
                        {block_x, block_y, block_z},
                        shared_bytes,
                        parameters,
                        extra});
}

ORIEL_CUDA_STREAM_CALL(
    cuLaunchKernelEx,
    _ptsz,
    kContext,
    (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra),
    (config, function, parameters, extra)) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) {
    return Situation::kInvalidValue;
  }
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttributeID id = config->attrs[i].id;
    if (id != CU_LAUNCH_ATTRIBUTE_IGNORE && id != CU_LAUNCH_ATTRIBUTE_PRIORITY) {
      return Situation::kNotSupported;
    }
  }
  return launch_kernel(caller,
                       config->hStream,
                       {function,
                        {config->gridDimX, config->gridDimY, config->gridDimZ},
                        {config->blockDimX, config->blockDimY, config->blockDimZ},
                        config->sharedMemBytes,
                        parameters,
                        extra});
}

}  // namespace oriel::emulator::cuda
