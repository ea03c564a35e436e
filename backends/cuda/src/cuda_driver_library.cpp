#include "cuda_driver_library.hpp"

#include "cuda_errors.hpp"

#include <array>
#include <utility>

namespace oriel::cuda {
namespace {

void resolve_devices(DriverLibrary& it, vendor::SymbolTable& symbols) {
  symbols.require(it.init, "cuInit");
  symbols.require(it.driver_get_version, "cuDriverGetVersion");
  symbols.require(it.get_error_name, "cuGetErrorName");
  symbols.require(it.device_get_count, "cuDeviceGetCount");
  symbols.require(it.device_get, "cuDeviceGet");
  symbols.require(it.device_get_name, "cuDeviceGetName");
  symbols.require(it.device_total_mem, "cuDeviceTotalMem_v2");
  symbols.require(it.device_get_attribute, "cuDeviceGetAttribute");
  symbols.require(it.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  symbols.require(it.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  symbols.require(it.ctx_get_current, "cuCtxGetCurrent");
  symbols.require(it.ctx_set_current, "cuCtxSetCurrent");
  symbols.require(it.ctx_push_current, "cuCtxPushCurrent_v2");
  symbols.require(it.ctx_pop_current, "cuCtxPopCurrent_v2");
  symbols.require(it.ctx_get_limit, "cuCtxGetLimit");
}

void resolve_streams(DriverLibrary& it, vendor::SymbolTable& symbols) {
  symbols.require(it.stream_create, "cuStreamCreate");
  symbols.require(it.stream_destroy, "cuStreamDestroy_v2");
  symbols.require(it.stream_synchronize, "cuStreamSynchronize");
  symbols.require(it.stream_query, "cuStreamQuery");
  symbols.require(it.stream_wait_event, "cuStreamWaitEvent");
  symbols.require(it.event_create, "cuEventCreate");
  symbols.require(it.event_destroy, "cuEventDestroy_v2");
  symbols.require(it.event_record, "cuEventRecord");
  symbols.require(it.event_query, "cuEventQuery");
  symbols.require(it.event_synchronize, "cuEventSynchronize");
  symbols.require(it.event_elapsed_time, "cuEventElapsedTime");
}

void resolve_work(DriverLibrary& it, vendor::SymbolTable& symbols) {
  symbols.require(it.mem_alloc, "cuMemAlloc_v2");
  symbols.require(it.mem_free, "cuMemFree_v2");
  symbols.require(it.mem_host_alloc, "cuMemHostAlloc");
  symbols.require(it.mem_free_host, "cuMemFreeHost");
  symbols.require(it.memcpy_async, "cuMemcpyAsync");
  symbols.require(it.memset_d8_async, "cuMemsetD8Async");
  symbols.require(it.memset_d16_async, "cuMemsetD16Async");
  symbols.require(it.memset_d32_async, "cuMemsetD32Async");
  symbols.require(it.launch_kernel, "cuLaunchKernel");
  symbols.require(it.launch_host_func, "cuLaunchHostFunc");
  symbols.require(it.module_load_data, "cuModuleLoadData");
  symbols.require(it.module_unload, "cuModuleUnload");
  symbols.require(it.module_get_function, "cuModuleGetFunction");
  symbols.require(it.func_get_attribute, "cuFuncGetAttribute");
  symbols.prefer(it.func_load, "cuFuncLoad");
}

void resolve_graphs(DriverLibrary& it, vendor::SymbolTable& symbols) {
  symbols.require(it.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  symbols.require(it.stream_begin_capture, "cuStreamBeginCapture_v2");
  symbols.require(it.stream_end_capture, "cuStreamEndCapture");
  symbols.require(it.stream_is_capturing, "cuStreamIsCapturing");
  symbols.require(it.capture_info_v2, "cuStreamGetCaptureInfo_v2");
  symbols.prefer(it.capture_info_v3, "cuStreamGetCaptureInfo_v3");
  symbols.require(it.graph_get_nodes, "cuGraphGetNodes");
  symbols.require(it.graph_node_get_type, "cuGraphNodeGetType");
  symbols.require(it.child_graph_get_graph, "cuGraphChildGraphNodeGetGraph");
  symbols.require(it.graph_destroy, "cuGraphDestroy");
  symbols.require(it.graph_instantiate, "cuGraphInstantiateWithFlags");
  symbols.require(it.graph_upload, "cuGraphUpload");
  symbols.require(it.graph_launch, "cuGraphLaunch");
  symbols.require(it.graph_exec_destroy, "cuGraphExecDestroy");
  symbols.require(it.graph_exec_kernel_set_params, "cuGraphExecKernelNodeSetParams_v2");
}

/// Asked first: a driver that is too old is that, whatever functions it lacks because of it.
Result<void> check_version(DriverLibrary& it) {
  if (it.driver_get_version == nullptr) {
    return {};  // the list of what is missing says more
  }
  if (const int code = it.driver_get_version(&it.version); code != CUDA_SUCCESS) {
    return fail(error_of(it, {code, "cuDriverGetVersion"}));
  }
  if (it.version < DriverLibrary::kOldestDriver) {
    return fail(ErrorCode::kIncompatible,
                it.name + " serves CUDA " + version_text(it.version) + "; Oriel needs " +
                    version_text(DriverLibrary::kOldestDriver) +
                    " or newer: install a newer driver");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const DriverLibrary>> DriverLibrary::open() {
  static constexpr std::array<const char*, 1> kNames{"libcuda.so.1"};
  auto library = vendor::VendorLibrary::open("ORIEL_CUDA_LIBRARY", kNames);
  if (!library) {
    return fail(std::move(library.error()));
  }
  auto it = std::make_shared<DriverLibrary>();
  it->name = library->name();
  it->emulated = library->find("oriel_emulator") != nullptr;
  vendor::SymbolTable symbols(*library);
  resolve_devices(*it, symbols);
  resolve_streams(*it, symbols);
  resolve_work(*it, symbols);
  resolve_graphs(*it, symbols);
  ORIEL_TRY(check_version(*it));
  if (!symbols.missing().empty()) {
    return fail(vendor::lacks_functions(
        *library,
        symbols.missing(),
        "a driver of CUDA " + version_text(kOldestDriver) + " or newer has them" +
            (it->version == 0 ? "" : " (this one says " + version_text(it->version) + ")")));
  }
  if (const int code = it->init(0); code != CUDA_SUCCESS) {
    return fail(error_of(*it, {code, "cuInit"}));
  }
  return it;
}

}  // namespace oriel::cuda
