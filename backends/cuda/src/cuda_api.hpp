#pragma once

#include "cuda_driver_library.hpp"

#include <oriel/stream_capture/api.hpp>

#include <cstring>
#include <memory>

namespace oriel::cuda {

using stream_capture::NodeClass;
using stream_capture::Outcome;

/// One CUDA device, by its primary context: CUDA's calls by the neutral names that
/// stream_capture::CaptureApi lists.
class CudaApi {
 public:
  using Stream = CUstream;
  using Event = CUevent;
  using Module = CUmodule;
  using Function = CUfunction;
  using Graph = CUgraph;
  using Node = CUgraphNode;
  using Executable = CUgraphExec;

  /// The driver maps device memory by pages of this size (CUDA programming guide, virtual memory
  /// management: the usual granularity).
  static constexpr std::size_t kDevicePage = std::size_t{2} << 20;
  static constexpr std::size_t kPinnedPage = 4096;
  /// An end takes the streams out of capture mode whatever it answers (cuda.h, programming guide):
  /// if they are not, it has not been made.
  static constexpr bool kEndsAgain = true;

  /// Retains the primary context of device `ordinal`, which must be there.
  [[nodiscard]] static Result<std::shared_ptr<const CudaApi>> open(
      std::shared_ptr<const DriverLibrary> library, std::uint32_t ordinal);
  CudaApi(std::shared_ptr<const DriverLibrary> library, CUdevice device, CUcontext context);
  CudaApi(const CudaApi&) = delete;
  CudaApi& operator=(const CudaApi&) = delete;
  ~CudaApi();

  /// Makes the primary context the thread's current one. A thread that has none keeps it, so that
  /// the next call costs one question; a caller's own context is put back.
  class Scope {
   public:
    explicit Scope(const CudaApi& api, bool lift_restrictions = false) noexcept
        : cuda_(*api.cuda_) {
      CUcontext current = nullptr;
      entered_ = {cuda_.ctx_get_current(&current), "cuCtxGetCurrent"};
      if (entered_.ok() && current != api.context_) [[unlikely]] {
        enter(api, current);
      }
      if (lift_restrictions && entered_.ok()) {
        // Should it fail the call is made all the same, with the restrictions that there are.
        lifted_ = cuda_.exchange_capture_mode(&mode_) == CUDA_SUCCESS;
      }
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if (lifted_) {
        cuda_.exchange_capture_mode(&mode_);
      }
      if (pushed_) [[unlikely]] {
        CUcontext ours = nullptr;
        cuda_.ctx_pop_current(&ours);
      }
    }

    [[nodiscard]] const Outcome& entered() const noexcept { return entered_; }

   private:
    void enter(const CudaApi& api, CUcontext current) noexcept;

    const DriverLibrary& cuda_;
    Outcome entered_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool lifted_ = false;
    bool pushed_ = false;
  };

  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const Capabilities& capabilities() const noexcept { return capabilities_; }
  [[nodiscard]] Error error(Outcome outcome) const;

  // Streams and events.
  Outcome stream_create(Stream* stream) const noexcept {
    return {cuda_->stream_create(stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"};
  }
  Outcome stream_destroy(Stream stream) const noexcept {
    return {cuda_->stream_destroy(stream), "cuStreamDestroy"};
  }
  Outcome stream_synchronize(Stream stream) const noexcept {
    return {cuda_->stream_synchronize(stream), "cuStreamSynchronize"};
  }
  Outcome stream_query(Stream stream) const noexcept {
    return {cuda_->stream_query(stream), "cuStreamQuery"};
  }
  Outcome stream_wait(Stream stream, Event event) const noexcept {
    return {cuda_->stream_wait_event(stream, event, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent"};
  }
  Outcome event_create(Event* event) const noexcept {
    return {cuda_->event_create(event, CU_EVENT_DEFAULT), "cuEventCreate"};
  }
  Outcome event_destroy(Event event) const noexcept {
    return {cuda_->event_destroy(event), "cuEventDestroy"};
  }
  Outcome event_record(Event event, Stream stream) const noexcept {
    return {cuda_->event_record(event, stream), "cuEventRecord"};
  }
  Outcome event_query(Event event) const noexcept {
    return {cuda_->event_query(event), "cuEventQuery"};
  }
  Outcome event_synchronize(Event event) const noexcept {
    return {cuda_->event_synchronize(event), "cuEventSynchronize"};
  }
  Outcome event_elapsed(float* milliseconds, Event from, Event to) const noexcept {
    return {cuda_->event_elapsed_time(milliseconds, from, to), "cuEventElapsedTime"};
  }

  // Work.
  Outcome launch(Function function,
                 const core::LaunchCommand& command,
                 Stream stream) const noexcept {
    return {cuda_->launch_kernel(function,
                                 command.grid.x,
                                 command.grid.y,
                                 command.grid.z,
                                 command.group.x,
                                 command.group.y,
                                 command.group.z,
                                 0,
                                 stream,
                                 const_cast<void**>(command.values.data()),
                                 nullptr),
            "cuLaunchKernel"};
  }
  Outcome copy(const core::CopyCommand& command, Stream stream) const noexcept {
    // Addresses are unified: the driver knows by them what kind of memory each end is.
    return {cuda_->memcpy_async(command.destination, command.source, command.bytes, stream),
            "cuMemcpyAsync"};
  }
  Outcome fill(const core::FillCommand& command, Stream stream) const noexcept;
  Outcome call_host(const core::HostCommand& command, Stream stream) const noexcept {
    return {cuda_->launch_host_func(stream, command.function, command.payload), "cuLaunchHostFunc"};
  }

  // Code.
  [[nodiscard]] static bool runs(ImageFormat format) noexcept {
    return format == ImageFormat::kFatbin || format == ImageFormat::kCubin ||
           format == ImageFormat::kPtx;
  }
  Outcome module_load(Module* module, const KernelImage& image) const noexcept {
    return {cuda_->module_load_data(module, image.bytes.data()), "cuModuleLoadData"};
  }
  [[nodiscard]] static bool is_other_architecture(Outcome outcome) noexcept {
    return outcome.code == CUDA_ERROR_NO_BINARY_FOR_GPU ||
           outcome.code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  Outcome module_unload(Module module) const noexcept {
    return {cuda_->module_unload(module), "cuModuleUnload"};
  }
  Outcome module_function(Function* function, Module module, const char* name) const noexcept {
    return {cuda_->module_get_function(function, module, name), "cuModuleGetFunction"};
  }
  Outcome function_load(Function function, std::size_t* scratch_bytes) const noexcept;

  // Capture.
  Outcome capture_begin(Stream stream, core::CaptureMode mode) const noexcept;
  Outcome capture_end(Stream stream, Graph* graph) const noexcept {
    return {cuda_->stream_end_capture(stream, graph), "cuStreamEndCapture"};
  }
  Outcome capture_active(Stream stream, bool* active) const noexcept {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const Outcome outcome{cuda_->stream_is_capturing(stream, &status), "cuStreamIsCapturing"};
    *active = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return outcome;
  }
  Outcome capture_last_node(Stream stream, Node* node) const noexcept;

  // Graphs.
  Outcome graph_nodes(Graph graph, Node* nodes, std::size_t* size) const noexcept {
    return {cuda_->graph_get_nodes(graph, nodes, size), "cuGraphGetNodes"};
  }
  Outcome graph_destroy(Graph graph) const noexcept {
    return {cuda_->graph_destroy(graph), "cuGraphDestroy"};
  }
  Outcome node_class(Node node, NodeClass* kind) const noexcept;
  Outcome child_graph(Node node, Graph* child) const noexcept {
    return {cuda_->child_graph_get_graph(node, child), "cuGraphChildGraphNodeGetGraph"};
  }
  Outcome executable_create(Executable* executable, Graph graph) const noexcept {
    return {cuda_->graph_instantiate(executable, graph, 0), "cuGraphInstantiateWithFlags"};
  }
  Outcome executable_destroy(Executable executable) const noexcept {
    return {cuda_->graph_exec_destroy(executable), "cuGraphExecDestroy"};
  }
  Outcome executable_upload(Executable executable, Stream stream) const noexcept {
    return {cuda_->graph_upload(executable, stream), "cuGraphUpload"};
  }
  Outcome executable_launch(Executable executable, Stream stream) const noexcept {
    return {cuda_->graph_launch(executable, stream), "cuGraphLaunch"};
  }
  Outcome executable_update(Executable executable,
                            Node node,
                            Function function,
                            const core::LaunchCommand& command) const noexcept;

  // Memory.
  Outcome device_allocate(std::uint64_t* address, std::size_t bytes) const noexcept {
    CUdeviceptr pointer = 0;
    const Outcome outcome{cuda_->mem_alloc(&pointer, bytes), "cuMemAlloc"};
    *address = pointer;
    return outcome;
  }
  Outcome device_free(std::uint64_t address) const noexcept {
    return {cuda_->mem_free(address), "cuMemFree"};
  }
  Outcome pinned_allocate(void** pointer, std::size_t bytes) const noexcept {
    return {cuda_->mem_host_alloc(pointer, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc"};
  }
  Outcome pinned_free(void* pointer) const noexcept {
    return {cuda_->mem_free_host(pointer), "cuMemFreeHost"};
  }

 private:
  Outcome learn_facts();
  Outcome attribute(CUdevice_attribute which, std::uint32_t* value) const noexcept;

  std::shared_ptr<const DriverLibrary> cuda_;
  CUdevice device_;
  CUcontext context_;
  DeviceInfo info_;
  Capabilities capabilities_;
  std::size_t stack_bytes_ = 0;       ///< Private memory of a thread that is set aside already.
  std::size_t resident_threads_ = 0;  ///< The most that the device runs at once.
};

/// What device `ordinal` is, without opening it.
[[nodiscard]] Result<DeviceInfo> device_info(const DriverLibrary& library, std::uint32_t ordinal);
/// How many devices there are.
[[nodiscard]] Result<std::uint32_t> device_count(const DriverLibrary& library);

}  // namespace oriel::cuda
