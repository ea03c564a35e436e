#include "cuda_api.hpp"

#include "cuda_errors.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace oriel::cuda {

// ---- The device.

Result<std::uint32_t> device_count(const DriverLibrary& library) {
  int count = 0;
  if (const int code = library.device_get_count(&count); code != CUDA_SUCCESS) {
    return fail(error_of(library, {code, "cuDeviceGetCount"}));
  }
  return static_cast<std::uint32_t>(count);
}

Result<DeviceInfo> device_info(const DriverLibrary& library, std::uint32_t ordinal) {
  CUdevice device = 0;
  std::array<char, 256> name{};
  DeviceInfo info;
  Outcome outcome{library.device_get(&device, static_cast<int>(ordinal)), "cuDeviceGet"};
  if (outcome.ok()) {
    outcome = {library.device_get_name(name.data(), static_cast<int>(name.size()), device),
               "cuDeviceGetName"};
  }
  if (outcome.ok()) {
    outcome = {library.device_total_mem(&info.memory_bytes, device), "cuDeviceTotalMem"};
  }
  if (!outcome.ok()) {
    return fail(error_of(library, outcome));
  }
  info.backend = "cuda";
  info.ordinal = ordinal;
  info.name.assign(name.data(), ::strnlen(name.data(), name.size()));
  info.driver_version = version_text(library.version);
  info.emulated = library.emulated;
  return info;
}

Result<std::shared_ptr<const CudaApi>> CudaApi::open(std::shared_ptr<const DriverLibrary> library,
                                                     std::uint32_t ordinal) {
  auto info = device_info(*library, ordinal);
  if (!info) {
    return fail(std::move(info.error()));
  }
  CUdevice device = 0;
  CUcontext context = nullptr;
  Outcome outcome{library->device_get(&device, static_cast<int>(ordinal)), "cuDeviceGet"};
  if (outcome.ok()) {
    outcome = {library->primary_ctx_retain(&context, device), "cuDevicePrimaryCtxRetain"};
  }
  if (outcome.ok() && context == nullptr) {
    outcome.code = Outcome::kMadeNothing;
  }
  if (!outcome.ok()) {
    return fail(error_of(*library, outcome));
  }
  const auto api = std::make_shared<CudaApi>(std::move(library), device, context);
  api->info_ = std::move(*info);
  ORIEL_TRY(stream_capture::judge(*api, api->learn_facts()));
  std::uint32_t unified = 0;
  ORIEL_TRY(stream_capture::judge(
      *api, api->attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, &unified)));
  if (unified == 0) {
    return fail(ErrorCode::kUnsupported,
                api->info_.name + " has no unified addresses, which copies and pinned memory need");
  }
  return api;
}

CudaApi::CudaApi(std::shared_ptr<const DriverLibrary> library, CUdevice device, CUcontext context)
    : cuda_(std::move(library)), device_(device), context_(context) {}

CudaApi::~CudaApi() {
  CUcontext current = nullptr;
  if (cuda_->ctx_get_current(&current) == CUDA_SUCCESS && current == context_) {
    cuda_->ctx_set_current(nullptr);  // this thread shall not keep what may be destroyed now
  }
  if (cuda_->primary_ctx_release(device_) != CUDA_SUCCESS) {
    cuda_->primary_ctx_release(device_);
  }
}

void CudaApi::Scope::enter(const CudaApi& api, CUcontext current) noexcept {
  if (current == nullptr) {
    entered_ = {cuda_.ctx_set_current(api.context_), "cuCtxSetCurrent"};
  } else {
    entered_ = {cuda_.ctx_push_current(api.context_), "cuCtxPushCurrent"};
    pushed_ = entered_.ok();
  }
}

Error CudaApi::error(Outcome outcome) const {
  return error_of(*cuda_, outcome);
}

Outcome CudaApi::attribute(CUdevice_attribute which, std::uint32_t* value) const noexcept {
  int answer = 0;
  const Outcome outcome{cuda_->device_get_attribute(&answer, which, device_),
                        "cuDeviceGetAttribute"};
  *value = static_cast<std::uint32_t>(answer);
  return outcome;
}

Outcome CudaApi::learn_facts() {
  std::uint32_t processors = 0;
  std::uint32_t threads = 0;
  capabilities_.recording = RecordingMode::kCaptures;
  capabilities_.fork_join = true;
  capabilities_.update = true;
  capabilities_.host_functions = true;
  capabilities_.event_timing = true;
  capabilities_.double_precision = true;
  capabilities_.printf_per_replay = true;
  capabilities_.fill_pattern_bytes = 4;
  const std::pair<CUdevice_attribute, std::uint32_t*> questions[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &capabilities_.max_group_items},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &capabilities_.max_group.x},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &capabilities_.max_group.y},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &capabilities_.max_group.z},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &capabilities_.max_grid.x},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &capabilities_.max_grid.y},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &capabilities_.max_grid.z},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &threads},
  };
  for (const auto& [which, value] : questions) {
    if (const Outcome outcome = attribute(which, value); !outcome.ok()) {
      return outcome;
    }
  }
  resident_threads_ = std::size_t{processors} * threads;
  return stream_capture::within(*this, [&] {
    return Outcome{cuda_->ctx_get_limit(&stack_bytes_, CU_LIMIT_STACK_SIZE), "cuCtxGetLimit"};
  });
}

// ---- Work.

Outcome CudaApi::fill(const core::FillCommand& command, Stream stream) const noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, command.pattern, command.pattern_bytes);
  const std::size_t count = command.bytes / command.pattern_bytes;
  switch (command.pattern_bytes) {
    case 1:
      return {cuda_->memset_d8_async(
                  command.destination, static_cast<unsigned char>(value), count, stream),
              "cuMemsetD8Async"};
    case 2:
      return {cuda_->memset_d16_async(
                  command.destination, static_cast<unsigned short>(value), count, stream),
              "cuMemsetD16Async"};
    default:
      return {cuda_->memset_d32_async(command.destination, value, count, stream),
              "cuMemsetD32Async"};
  }
}

/// With lazy loading (the default since CUDA 12.2) a function is loaded when it is first asked
/// after; where cuFuncLoad is there it is told to. The driver makes room for private memory beyond
/// the stack limit when a kernel that needs it is first launched (cuda.h, cuCtxSetLimit).
Outcome CudaApi::function_load(Function function, std::size_t* scratch_bytes) const noexcept {
  if (cuda_->func_load != nullptr) {
    if (const Outcome loaded{cuda_->func_load(function), "cuFuncLoad"}; !loaded.ok()) {
      return loaded;
    }
  }
  int local_bytes = 0;
  const Outcome outcome{
      cuda_->func_get_attribute(&local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function),
      "cuFuncGetAttribute"};
  const auto needed = static_cast<std::size_t>(local_bytes);
  *scratch_bytes = needed > stack_bytes_ ? needed * resident_threads_ : 0;
  return outcome;
}

// ---- Capture.

Outcome CudaApi::capture_begin(Stream stream, core::CaptureMode mode) const noexcept {
  CUstreamCaptureMode native = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (mode == core::CaptureMode::kThreadLocal) {
    native = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  } else if (mode == core::CaptureMode::kGlobal) {
    native = CU_STREAM_CAPTURE_MODE_GLOBAL;
  }
  return {cuda_->stream_begin_capture(stream, native), "cuStreamBeginCapture"};
}

/// What the next call would depend on is, right after a call, the node of that call alone.
Outcome CudaApi::capture_last_node(Stream stream, Node* node) const noexcept {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const Node* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;  // asked for, or edges that carry data were an error
  std::size_t count = 0;
  const CUresult code =
      cuda_->capture_info_v3 != nullptr
          ? cuda_->capture_info_v3(stream, &status, nullptr, nullptr, &nodes, &edges, &count)
          : cuda_->capture_info_v2(stream, &status, nullptr, nullptr, &nodes, &count);
  *node = code == CUDA_SUCCESS && count == 1 ? *nodes : nullptr;
  return {code, "cuStreamGetCaptureInfo"};
}

// ---- Graphs.

Outcome CudaApi::node_class(Node node, NodeClass* kind) const noexcept {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  const Outcome outcome{cuda_->graph_node_get_type(node, &type), "cuGraphNodeGetType"};
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_HOST:
      *kind = NodeClass::kWork;
      break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      *kind = NodeClass::kAllocation;
      break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      *kind = NodeClass::kChild;
      break;
    default:
      *kind = NodeClass::kOther;
  }
  return outcome;
}

Outcome CudaApi::executable_update(Executable executable,
                                   Node node,
                                   Function function,
                                   const core::LaunchCommand& command) const noexcept {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  parameters.func = function;
  parameters.gridDimX = command.grid.x;
  parameters.gridDimY = command.grid.y;
  parameters.gridDimZ = command.grid.z;
  parameters.blockDimX = command.group.x;
  parameters.blockDimY = command.group.y;
  parameters.blockDimZ = command.group.z;
  parameters.kernelParams = const_cast<void**>(command.values.data());
  return {cuda_->graph_exec_kernel_set_params(executable, node, &parameters),
          "cuGraphExecKernelNodeSetParams"};
}

}  // namespace oriel::cuda
