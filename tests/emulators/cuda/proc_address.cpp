// cuGetProcAddress: functions by their base names and a version of CUDA.
#include "entry.hpp"

#include <cstring>

namespace oriel::emulator::cuda {

namespace {

using Address = void (*)();

/// A function of that name since that version of CUDA. Versions are those in the type names of
/// cudaTypedefs.h.
struct Row {
  const char* name;
  int since;
  Address address;
  Address
      per_thread;  ///< Where the null stream is the thread's own; null if it makes no difference.
};

template <class Function>
Address as_address(Function* function) {
  return reinterpret_cast<Address>(function);
}

const Row kRows[] = {
    {"cuCtxCreate", 3020, as_address(cuCtxCreate_v2), nullptr},
    {"cuCtxCreate", 11040, as_address(cuCtxCreate_v3), nullptr},
    {"cuCtxCreate", 12050, as_address(cuCtxCreate_v4), nullptr},
    {"cuCtxDestroy", 4000, as_address(cuCtxDestroy_v2), nullptr},
    {"cuCtxGetCurrent", 4000, as_address(cuCtxGetCurrent), nullptr},
    {"cuCtxGetDevice", 2000, as_address(cuCtxGetDevice), nullptr},
    {"cuCtxGetDevice", 13000, as_address(cuCtxGetDevice_v2), nullptr},
    {"cuCtxGetStreamPriorityRange", 5050, as_address(cuCtxGetStreamPriorityRange), nullptr},
    {"cuCtxPopCurrent", 4000, as_address(cuCtxPopCurrent_v2), nullptr},
    {"cuCtxPushCurrent", 4000, as_address(cuCtxPushCurrent_v2), nullptr},
    {"cuCtxRecordEvent", 12050, as_address(cuCtxRecordEvent), nullptr},
    {"cuCtxSetCurrent", 4000, as_address(cuCtxSetCurrent), nullptr},
    {"cuCtxSynchronize", 2000, as_address(cuCtxSynchronize), nullptr},
    {"cuCtxSynchronize", 13000, as_address(cuCtxSynchronize_v2), nullptr},
    {"cuCtxWaitEvent", 12050, as_address(cuCtxWaitEvent), nullptr},
    {"cuDeviceComputeCapability", 2000, as_address(cuDeviceComputeCapability), nullptr},
    {"cuDeviceGet", 2000, as_address(cuDeviceGet), nullptr},
    {"cuDeviceGetAttribute", 2000, as_address(cuDeviceGetAttribute), nullptr},
    {"cuDeviceGetCount", 2000, as_address(cuDeviceGetCount), nullptr},
    {"cuDeviceGetDefaultMemPool", 11020, as_address(cuDeviceGetDefaultMemPool), nullptr},
    {"cuDeviceGetGraphMemAttribute", 11040, as_address(cuDeviceGetGraphMemAttribute), nullptr},
    {"cuDeviceGetName", 2000, as_address(cuDeviceGetName), nullptr},
    {"cuDeviceGetUuid", 9020, as_address(cuDeviceGetUuid), nullptr},
    {"cuDeviceGetUuid", 11040, as_address(cuDeviceGetUuid_v2), nullptr},
    {"cuDeviceGraphMemTrim", 11040, as_address(cuDeviceGraphMemTrim), nullptr},
    {"cuDevicePrimaryCtxGetState", 7000, as_address(cuDevicePrimaryCtxGetState), nullptr},
    {"cuDevicePrimaryCtxRelease", 11000, as_address(cuDevicePrimaryCtxRelease_v2), nullptr},
    {"cuDevicePrimaryCtxRetain", 7000, as_address(cuDevicePrimaryCtxRetain), nullptr},
    {"cuDevicePrimaryCtxSetFlags", 11000, as_address(cuDevicePrimaryCtxSetFlags_v2), nullptr},
    {"cuDeviceTotalMem", 3020, as_address(cuDeviceTotalMem_v2), nullptr},
    {"cuDriverGetVersion", 2020, as_address(cuDriverGetVersion), nullptr},
    {"cuEventCreate", 2000, as_address(cuEventCreate), nullptr},
    {"cuEventDestroy", 4000, as_address(cuEventDestroy_v2), nullptr},
    {"cuEventElapsedTime", 2000, as_address(cuEventElapsedTime), nullptr},
    {"cuEventElapsedTime", 12080, as_address(cuEventElapsedTime_v2), nullptr},
    {"cuEventQuery", 2000, as_address(cuEventQuery), nullptr},
    {"cuEventRecord", 2000, as_address(cuEventRecord), as_address(cuEventRecord_ptsz)},
    {"cuEventRecordWithFlags",
     11010,
     as_address(cuEventRecordWithFlags),
     as_address(cuEventRecordWithFlags_ptsz)},
    {"cuEventSynchronize", 2000, as_address(cuEventSynchronize), nullptr},
    {"cuFuncGetAttribute", 2020, as_address(cuFuncGetAttribute), nullptr},
    {"cuFuncIsLoaded", 12040, as_address(cuFuncIsLoaded), nullptr},
    {"cuFuncLoad", 12040, as_address(cuFuncLoad), nullptr},
    {"cuFuncSetAttribute", 9000, as_address(cuFuncSetAttribute), nullptr},
    {"cuGetErrorName", 6000, as_address(cuGetErrorName), nullptr},
    {"cuGetErrorString", 6000, as_address(cuGetErrorString), nullptr},
    {"cuGetProcAddress", 11030, as_address(cuGetProcAddress), nullptr},
    {"cuGetProcAddress", 12000, as_address(cuGetProcAddress_v2), nullptr},
    {"cuGraphAddChildGraphNode", 10000, as_address(cuGraphAddChildGraphNode), nullptr},
    {"cuGraphAddEmptyNode", 10000, as_address(cuGraphAddEmptyNode), nullptr},
    {"cuGraphAddHostNode", 10000, as_address(cuGraphAddHostNode), nullptr},
    {"cuGraphAddKernelNode", 12000, as_address(cuGraphAddKernelNode_v2), nullptr},
    {"cuGraphAddMemAllocNode", 11040, as_address(cuGraphAddMemAllocNode), nullptr},
    {"cuGraphAddMemFreeNode", 11040, as_address(cuGraphAddMemFreeNode), nullptr},
    {"cuGraphAddMemcpyNode", 10000, as_address(cuGraphAddMemcpyNode), nullptr},
    {"cuGraphAddMemsetNode", 10000, as_address(cuGraphAddMemsetNode), nullptr},
    {"cuGraphChildGraphNodeGetGraph", 10000, as_address(cuGraphChildGraphNodeGetGraph), nullptr},
    {"cuGraphClone", 10000, as_address(cuGraphClone), nullptr},
    {"cuGraphCreate", 10000, as_address(cuGraphCreate), nullptr},
    {"cuGraphDebugDotPrint", 11030, as_address(cuGraphDebugDotPrint), nullptr},
    {"cuGraphDestroy", 10000, as_address(cuGraphDestroy), nullptr},
    {"cuGraphExecDestroy", 10000, as_address(cuGraphExecDestroy), nullptr},
    {"cuGraphExecGetFlags", 12000, as_address(cuGraphExecGetFlags), nullptr},
    {"cuGraphExecHostNodeSetParams", 10020, as_address(cuGraphExecHostNodeSetParams), nullptr},
    {"cuGraphExecKernelNodeSetParams",
     12000,
     as_address(cuGraphExecKernelNodeSetParams_v2),
     nullptr},
    {"cuGraphExecMemcpyNodeSetParams", 10020, as_address(cuGraphExecMemcpyNodeSetParams), nullptr},
    {"cuGraphExecMemsetNodeSetParams", 10020, as_address(cuGraphExecMemsetNodeSetParams), nullptr},
    {"cuGraphExecUpdate", 12000, as_address(cuGraphExecUpdate_v2), nullptr},
    {"cuGraphGetEdges", 10000, as_address(cuGraphGetEdges), nullptr},
    {"cuGraphGetEdges", 12030, as_address(cuGraphGetEdges_v2), nullptr},
    {"cuGraphGetNodes", 10000, as_address(cuGraphGetNodes), nullptr},
    {"cuGraphInstantiateWithFlags", 11040, as_address(cuGraphInstantiateWithFlags), nullptr},
    {"cuGraphInstantiateWithParams",
     12000,
     as_address(cuGraphInstantiateWithParams),
     as_address(cuGraphInstantiateWithParams_ptsz)},
    {"cuGraphKernelNodeGetParams", 12000, as_address(cuGraphKernelNodeGetParams_v2), nullptr},
    {"cuGraphKernelNodeSetParams", 12000, as_address(cuGraphKernelNodeSetParams_v2), nullptr},
    {"cuGraphLaunch", 10000, as_address(cuGraphLaunch), as_address(cuGraphLaunch_ptsz)},
    {"cuGraphNodeGetDependencies", 10000, as_address(cuGraphNodeGetDependencies), nullptr},
    {"cuGraphNodeGetDependencies", 12030, as_address(cuGraphNodeGetDependencies_v2), nullptr},
    {"cuGraphNodeGetType", 10000, as_address(cuGraphNodeGetType), nullptr},
    {"cuGraphUpload", 11010, as_address(cuGraphUpload), as_address(cuGraphUpload_ptsz)},
    {"cuInit", 2000, as_address(cuInit), nullptr},
    {"cuLaunchHostFunc", 10000, as_address(cuLaunchHostFunc), as_address(cuLaunchHostFunc_ptsz)},
    {"cuLaunchKernel", 4000, as_address(cuLaunchKernel), as_address(cuLaunchKernel_ptsz)},
    {"cuLaunchKernelEx", 11060, as_address(cuLaunchKernelEx), as_address(cuLaunchKernelEx_ptsz)},
    {"cuMemAllocAsync", 11020, as_address(cuMemAllocAsync), as_address(cuMemAllocAsync_ptsz)},
    {"cuMemAllocFromPoolAsync",
     11020,
     as_address(cuMemAllocFromPoolAsync),
     as_address(cuMemAllocFromPoolAsync_ptsz)},
    {"cuMemAllocHost", 3020, as_address(cuMemAllocHost_v2), nullptr},
    {"cuMemAlloc", 3020, as_address(cuMemAlloc_v2), nullptr},
    {"cuMemFreeAsync", 11020, as_address(cuMemFreeAsync), as_address(cuMemFreeAsync_ptsz)},
    {"cuMemFreeHost", 2000, as_address(cuMemFreeHost), nullptr},
    {"cuMemFree", 3020, as_address(cuMemFree_v2), nullptr},
    {"cuMemGetAddressRange", 3020, as_address(cuMemGetAddressRange_v2), nullptr},
    {"cuMemGetInfo", 3020, as_address(cuMemGetInfo_v2), nullptr},
    {"cuMemHostAlloc", 2020, as_address(cuMemHostAlloc), nullptr},
    {"cuMemHostGetDevicePointer", 3020, as_address(cuMemHostGetDevicePointer_v2), nullptr},
    {"cuMemHostRegister", 6050, as_address(cuMemHostRegister_v2), nullptr},
    {"cuMemHostUnregister", 4000, as_address(cuMemHostUnregister), nullptr},
    {"cuMemcpy", 4000, as_address(cuMemcpy), as_address(cuMemcpy_ptds)},
    {"cuMemcpyAsync", 4000, as_address(cuMemcpyAsync), as_address(cuMemcpyAsync_ptsz)},
    {"cuMemcpyDtoDAsync",
     3020,
     as_address(cuMemcpyDtoDAsync_v2),
     as_address(cuMemcpyDtoDAsync_v2_ptsz)},
    {"cuMemcpyDtoD", 3020, as_address(cuMemcpyDtoD_v2), as_address(cuMemcpyDtoD_v2_ptds)},
    {"cuMemcpyDtoHAsync",
     3020,
     as_address(cuMemcpyDtoHAsync_v2),
     as_address(cuMemcpyDtoHAsync_v2_ptsz)},
    {"cuMemcpyDtoH", 3020, as_address(cuMemcpyDtoH_v2), as_address(cuMemcpyDtoH_v2_ptds)},
    {"cuMemcpyHtoDAsync",
     3020,
     as_address(cuMemcpyHtoDAsync_v2),
     as_address(cuMemcpyHtoDAsync_v2_ptsz)},
    {"cuMemcpyHtoD", 3020, as_address(cuMemcpyHtoD_v2), as_address(cuMemcpyHtoD_v2_ptds)},
    {"cuMemsetD16Async", 3020, as_address(cuMemsetD16Async), as_address(cuMemsetD16Async_ptsz)},
    {"cuMemsetD16", 3020, as_address(cuMemsetD16_v2), as_address(cuMemsetD16_v2_ptds)},
    {"cuMemsetD32Async", 3020, as_address(cuMemsetD32Async), as_address(cuMemsetD32Async_ptsz)},
    {"cuMemsetD32", 3020, as_address(cuMemsetD32_v2), as_address(cuMemsetD32_v2_ptds)},
    {"cuMemsetD8Async", 3020, as_address(cuMemsetD8Async), as_address(cuMemsetD8Async_ptsz)},
    {"cuMemsetD8", 3020, as_address(cuMemsetD8_v2), as_address(cuMemsetD8_v2_ptds)},
    {"cuModuleGetFunction", 2000, as_address(cuModuleGetFunction), nullptr},
    {"cuModuleLoadData", 2000, as_address(cuModuleLoadData), nullptr},
    {"cuModuleLoadDataEx", 2010, as_address(cuModuleLoadDataEx), nullptr},
    {"cuModuleLoadFatBinary", 2000, as_address(cuModuleLoadFatBinary), nullptr},
    {"cuModuleUnload", 2000, as_address(cuModuleUnload), nullptr},
    {"cuPointerGetAttribute", 4000, as_address(cuPointerGetAttribute), nullptr},
    {"cuPointerGetAttributes", 7000, as_address(cuPointerGetAttributes), nullptr},
    {"cuStreamAddCallback",
     5000,
     as_address(cuStreamAddCallback),
     as_address(cuStreamAddCallback_ptsz)},
    {"cuStreamAttachMemAsync",
     6000,
     as_address(cuStreamAttachMemAsync),
     as_address(cuStreamAttachMemAsync_ptsz)},
    {"cuStreamBeginCaptureToGraph",
     12030,
     as_address(cuStreamBeginCaptureToGraph),
     as_address(cuStreamBeginCaptureToGraph_ptsz)},
    {"cuStreamBeginCapture",
     10010,
     as_address(cuStreamBeginCapture_v2),
     as_address(cuStreamBeginCapture_v2_ptsz)},
    {"cuStreamCreate", 2000, as_address(cuStreamCreate), nullptr},
    {"cuStreamCreateWithPriority", 5050, as_address(cuStreamCreateWithPriority), nullptr},
    {"cuStreamDestroy", 4000, as_address(cuStreamDestroy_v2), nullptr},
    {"cuStreamEndCapture",
     10000,
     as_address(cuStreamEndCapture),
     as_address(cuStreamEndCapture_ptsz)},
    {"cuStreamGetCaptureInfo",
     11030,
     as_address(cuStreamGetCaptureInfo_v2),
     as_address(cuStreamGetCaptureInfo_v2_ptsz)},
    {"cuStreamGetCaptureInfo",
     12030,
     as_address(cuStreamGetCaptureInfo_v3),
     as_address(cuStreamGetCaptureInfo_v3_ptsz)},
    {"cuStreamGetCtx", 9020, as_address(cuStreamGetCtx), as_address(cuStreamGetCtx_ptsz)},
    {"cuStreamGetCtx", 12050, as_address(cuStreamGetCtx_v2), as_address(cuStreamGetCtx_v2_ptsz)},
    {"cuStreamGetFlags", 5050, as_address(cuStreamGetFlags), as_address(cuStreamGetFlags_ptsz)},
    {"cuStreamGetPriority",
     5050,
     as_address(cuStreamGetPriority),
     as_address(cuStreamGetPriority_ptsz)},
    {"cuStreamIsCapturing",
     10000,
     as_address(cuStreamIsCapturing),
     as_address(cuStreamIsCapturing_ptsz)},
    {"cuStreamQuery", 2000, as_address(cuStreamQuery), as_address(cuStreamQuery_ptsz)},
    {"cuStreamSynchronize",
     2000,
     as_address(cuStreamSynchronize),
     as_address(cuStreamSynchronize_ptsz)},
    {"cuStreamUpdateCaptureDependencies",
     11030,
     as_address(cuStreamUpdateCaptureDependencies),
     as_address(cuStreamUpdateCaptureDependencies_ptsz)},
    {"cuStreamUpdateCaptureDependencies",
     12030,
     as_address(cuStreamUpdateCaptureDependencies_v2),
     as_address(cuStreamUpdateCaptureDependencies_v2_ptsz)},
    {"cuStreamWaitEvent", 3020, as_address(cuStreamWaitEvent), as_address(cuStreamWaitEvent_ptsz)},
    {"cuThreadExchangeStreamCaptureMode",
     10010,
     as_address(cuThreadExchangeStreamCaptureMode),
     nullptr},
};

constexpr cuuint64_t kFlags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

/// The newest function of the name that the version has.
const Row* find_row(const char* name, int version, bool& name_known) {
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, name) == 0) {
      name_known = true;
      if (row.since <= version && (best == nullptr || row.since > best->since)) {
        best = &row;
      }
    }
  }
  return best;
}

Situation get_address(Caller& caller,
                      const char* name,
                      void** out,
                      int version,
                      cuuint64_t flags,
                      CUdriverProcAddressQueryResult& result) {
  if (name == nullptr || out == nullptr || (flags & ~kFlags) != 0 ||
      version > static_cast<int>(caller.machine.options.driver_version)) {
    return Situation::kInvalidValue;
  }
  bool name_known = false;
  const Row* row = find_row(name, version, name_known);
  *out = nullptr;
  if (row == nullptr) {
    result = name_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return Situation::kSuccess;
  }
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *out = reinterpret_cast<void*>(per_thread && row->per_thread != nullptr ? row->per_thread
                                                                          : row->address);
  result = CU_GET_PROC_ADDRESS_SUCCESS;
  return Situation::kSuccess;
}

}  // namespace

/// The older form has no place for the result, so what isn't found is an error.
ORIEL_CUDA_CALL(cuGetProcAddress,
                kNothing,
                (const char* name, void** out, int version, cuuint64_t flags),
                (name, out, version, flags)) {
  CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SUCCESS;
  const Situation situation = get_address(caller, name, out, version, flags, result);
  return !failed(situation) && result != CU_GET_PROC_ADDRESS_SUCCESS ? Situation::kNotFound
                                                                     : situation;
}

ORIEL_CUDA_CALL(cuGetProcAddress_v2,
                kNothing,
                (const char* name,
                 void** out,
                 int version,
                 cuuint64_t flags,
                 CUdriverProcAddressQueryResult* status),
                (name, out, version, flags, status)) {
  CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SUCCESS;
  const Situation situation = get_address(caller, name, out, version, flags, result);
  if (!failed(situation) && status != nullptr) {
    *status = result;
  }
  return situation;
}

}  // namespace oriel::emulator::cuda
