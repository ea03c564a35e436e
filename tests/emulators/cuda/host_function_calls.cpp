// Functions of the host in the order of a stream.
#include "graph_support.hpp"

#include <utility>

namespace oriel::emulator::cuda {

ORIEL_CUDA_STREAM_CALL(cuLaunchHostFunc,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUhostFn function, void* payload),
                       (handle, function, payload)) {
  const CUDA_HOST_NODE_PARAMS parameters{function, payload};
  WorkRef work;
  if (const Situation situation = read_host(&parameters, work); failed(situation)) {
    return situation;
  }
  Stream* stream = nullptr;
  const Situation situation = caller.find_stream(handle, Use::kWork, stream);
  if (!failed(situation)) {
    submit(caller.machine, *stream, NodeKind::kHost, std::move(work));
  }
  return situation;
}

}  // namespace oriel::emulator::cuda
