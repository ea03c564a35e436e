// Fills. Those without a stream are the null stream's, and don't wait either.
#include "graph_support.hpp"

namespace oriel::emulator::cuda {

namespace {

Situation fill(Caller& caller, CUstream handle, const CUDA_MEMSET_NODE_PARAMS& parameters) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (parameters.width == 0) {
    return Situation::kSuccess;
  }
  WorkRef work;
  const Situation situation = read_fill(caller, &parameters, work);
  if (!failed(situation)) {
    submit(caller.machine, *stream, NodeKind::kFill, std::move(work));
  }
  return situation;
}

Situation fill_now(Caller& caller, const CUDA_MEMSET_NODE_PARAMS& parameters) {
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(nullptr, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {  // a thread's own stream
    return break_capture(Situation::kSyncOfCapturing, *stream->capture);
  }
  const Situation situation = caller.admit_unsafe(Situation::kUnsafeCopy);
  return failed(situation) ? situation : fill(caller, nullptr, parameters);
}

CUDA_MEMSET_NODE_PARAMS row(CUdeviceptr to, unsigned value, unsigned element, size_t count) {
  return {to, 0, value, element, count, 1};
}

}  // namespace

ORIEL_CUDA_STREAM_CALL(cuMemsetD8_v2,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, unsigned char value, size_t count),
                       (to, value, count)) {
  return fill_now(caller, row(to, value, 1, count));
}

ORIEL_CUDA_STREAM_CALL(cuMemsetD16_v2,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, unsigned short value, size_t count),
                       (to, value, count)) {
  return fill_now(caller, row(to, value, 2, count));
}

ORIEL_CUDA_STREAM_CALL(cuMemsetD32_v2,
                       _ptds,
                       kContext,
                       (CUdeviceptr to, unsigned int value, size_t count),
                       (to, value, count)) {
  return fill_now(caller, row(to, value, 4, count));
}

ORIEL_CUDA_STREAM_CALL(cuMemsetD8Async,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
                       (to, value, count, stream)) {
  return fill(caller, stream, row(to, value, 1, count));
}

ORIEL_CUDA_STREAM_CALL(cuMemsetD16Async,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),
                       (to, value, count, stream)) {
  return fill(caller, stream, row(to, value, 2, count));
}

ORIEL_CUDA_STREAM_CALL(cuMemsetD32Async,
                       _ptsz,
                       kContext,
                       (CUdeviceptr to, unsigned int value, size_t count, CUstream stream),
                       (to, value, count, stream)) {
  return fill(caller, stream, row(to, value, 4, count));
}

}  // namespace oriel::emulator::cuda
