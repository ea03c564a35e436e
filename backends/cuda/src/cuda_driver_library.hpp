#pragma once

#include <oriel/error.hpp>
#include <oriel/vendor/vendor_library.hpp>

#include <cuda.h>

#include <memory>
#include <string>

static_assert(CUDA_VERSION >= 12030,
              "the CUDA backend is built with headers of CUDA 12.3 or newer");

namespace oriel::cuda {

/// NVIDIA's driver library: the functions that this backend calls, each by the suffixed name that
/// belongs to its signature, so that headers and driver may be of different versions.
///
/// Invariant: every required function is there, and the driver is initialised and at least
/// kOldestDriver.
struct DriverLibrary {
  static constexpr int kOldestDriver = 12000;  ///< CUDA 12.0: exec updates by node, version 2.

  /// Opens libcuda (or what ORIEL_CUDA_LIBRARY names) and initialises it. Errors: `unavailable`
  /// where there is none, where it is the toolkit's stub or has no device; `incompatible` where it
  /// is too old or lacks functions, all of which are named.
  [[nodiscard]] static Result<std::shared_ptr<const DriverLibrary>> open();

  std::string name;       ///< The path or name that it was opened by.
  int version = 0;        ///< As cuDriverGetVersion writes it: 13000 for 13.0.
  bool emulated = false;  ///< It says itself that it is no hardware's.

  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) driver_get_version = nullptr;
  decltype(&::cuGetErrorName) get_error_name = nullptr;

  decltype(&::cuDeviceGetCount) device_get_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_get_name = nullptr;
  decltype(&::cuDeviceTotalMem_v2) device_total_mem = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) primary_ctx_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease_v2) primary_ctx_release = nullptr;
  decltype(&::cuCtxGetCurrent) ctx_get_current = nullptr;
  decltype(&::cuCtxSetCurrent) ctx_set_current = nullptr;
  decltype(&::cuCtxPushCurrent_v2) ctx_push_current = nullptr;
  decltype(&::cuCtxPopCurrent_v2) ctx_pop_current = nullptr;
  decltype(&::cuCtxGetLimit) ctx_get_limit = nullptr;

  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy_v2) stream_destroy = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuStreamQuery) stream_query = nullptr;
  decltype(&::cuStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventDestroy_v2) event_destroy = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventQuery) event_query = nullptr;
  decltype(&::cuEventSynchronize) event_synchronize = nullptr;
  // From CUDA 13 on the headers know only its second version, of the same signature.
  CUresult(CUDAAPI* event_elapsed_time)(float*, CUevent, CUevent) = nullptr;

  decltype(&::cuMemAlloc_v2) mem_alloc = nullptr;
  decltype(&::cuMemFree_v2) mem_free = nullptr;
  decltype(&::cuMemHostAlloc) mem_host_alloc = nullptr;
  decltype(&::cuMemFreeHost) mem_free_host = nullptr;
  decltype(&::cuMemcpyAsync) memcpy_async = nullptr;
  decltype(&::cuMemsetD8Async) memset_d8_async = nullptr;
  decltype(&::cuMemsetD16Async) memset_d16_async = nullptr;
  decltype(&::cuMemsetD32Async) memset_d32_async = nullptr;
  decltype(&::cuLaunchKernel) launch_kernel = nullptr;
  decltype(&::cuLaunchHostFunc) launch_host_func = nullptr;

  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuFuncGetAttribute) func_get_attribute = nullptr;
  CUresult(CUDAAPI* func_load)(CUfunction) = nullptr;  ///< 12.4; null before that.

  decltype(&::cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
  decltype(&::cuStreamBeginCapture_v2) stream_begin_capture = nullptr;
  decltype(&::cuStreamEndCapture) stream_end_capture = nullptr;
  decltype(&::cuStreamIsCapturing) stream_is_capturing = nullptr;
  CUresult(CUDAAPI* capture_info_v2)(CUstream,
                                     CUstreamCaptureStatus*,
                                     cuuint64_t*,
                                     CUgraph*,
                                     const CUgraphNode**,
                                     std::size_t*) = nullptr;
  /// 12.3, and null before that. Edges that carry data, which only calls behind Oriel's back make,
  /// are an error of the second version's.
  CUresult(CUDAAPI* capture_info_v3)(CUstream,
                                     CUstreamCaptureStatus*,
                                     cuuint64_t*,
                                     CUgraph*,
                                     const CUgraphNode**,
                                     const CUgraphEdgeData**,
                                     std::size_t*) = nullptr;
  decltype(&::cuGraphGetNodes) graph_get_nodes = nullptr;
  decltype(&::cuGraphNodeGetType) graph_node_get_type = nullptr;
  decltype(&::cuGraphChildGraphNodeGetGraph) child_graph_get_graph = nullptr;
  decltype(&::cuGraphDestroy) graph_destroy = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
  decltype(&::cuGraphUpload) graph_upload = nullptr;
  decltype(&::cuGraphLaunch) graph_launch = nullptr;
  decltype(&::cuGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&::cuGraphExecKernelNodeSetParams_v2) graph_exec_kernel_set_params = nullptr;
};

}  // namespace oriel::cuda
