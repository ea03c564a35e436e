// Executable graphs.
#include "graph_support.hpp"

#include <utility>

namespace oriel::emulator::cuda {

namespace {

constexpr cuuint64_t kInstantiateFlags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

Situation instantiate_graph(Caller& caller, CUgraphExec* out, CUgraph handle, cuuint64_t flags) {
  std::shared_ptr<Graph> graph;
  if (const Situation situation = caller.find(caller.machine.graphs, handle, graph);
      failed(situation)) {
    return situation;
  }
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
    return Situation::kNotSupported;
  }
  std::shared_ptr<Executable> executable;
  const bool frees = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  const Situation situation = instantiate(caller.machine, graph, frees, executable);
  if (!failed(situation)) {
    executable->flags = flags & kInstantiateFlags;
    *out = to_vendor<CUgraphExec>(caller.machine.executables.insert(std::move(executable)));
  }
  return situation;
}

/// Ordered as a launch is; there is nothing to do ahead of one here.
Situation upload(Caller& caller, CUgraphExec handle, CUstream stream_handle) {
  Executable* executable = nullptr;
  Stream* stream = nullptr;
  if (const Situation situation = caller.find(caller.machine.executables, handle, executable);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find_stream(stream_handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture != nullptr) {
    return Situation::kNotSupported;
  }
  executable->last = enqueue(caller.machine, *stream, nullptr, {executable->last});
  return Situation::kSuccess;
}

/// Puts new work into the executable's copy of a node, which must still be there.
Situation set_parameters(
    Caller& caller, CUgraphExec handle, CUgraphNode node_handle, NodeKind kind, WorkRef work) {
  Executable* executable = nullptr;
  Node* node = nullptr;
  if (const Situation situation = caller.find(caller.machine.executables, handle, executable);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find(caller.machine.nodes, node_handle, node);
      failed(situation)) {
    return situation;
  }
  return set_work(*executable, node->handle, kind, std::move(work));
}

CUgraphExecUpdateResult to_vendor_result(UpdateResult result) {
  switch (result) {
    case UpdateResult::kSuccess:
      return CU_GRAPH_EXEC_UPDATE_SUCCESS;
    case UpdateResult::kTopology:
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    case UpdateResult::kNodeKind:
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    case UpdateResult::kParameters:
      return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    case UpdateResult::kNotSupported:
      return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  }
  return CU_GRAPH_EXEC_UPDATE_ERROR;
}

}  // namespace

ORIEL_CUDA_CALL(cuGraphInstantiateWithFlags,
                kContext,
                (CUgraphExec * out, CUgraph graph, unsigned long long flags),
                (out, graph, flags)) {
  const unsigned long long known = kInstantiateFlags | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  if (out == nullptr || (flags & ~known) != 0) {
    return Situation::kInvalidValue;
  }
  return instantiate_graph(caller, out, graph, flags);
}

ORIEL_CUDA_STREAM_CALL(cuGraphInstantiateWithParams,
                       _ptsz,
                       kContext,
                       (CUgraphExec * out,
                        CUgraph graph,
                        CUDA_GRAPH_INSTANTIATE_PARAMS* parameters),
                       (out, graph, parameters)) {
  constexpr cuuint64_t kKnown = kInstantiateFlags | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  if (out == nullptr || parameters == nullptr || (parameters->flags & ~kKnown) != 0) {
    return Situation::kInvalidValue;
  }
  parameters->hErrNode_out = nullptr;
  parameters->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  Situation situation = instantiate_graph(caller, out, graph, parameters->flags);
  if (!failed(situation) && (parameters->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0) {
    situation = upload(caller, *out, parameters->hUploadStream);
  }
  if (!failed(situation)) {
    parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  }
  return situation;
}

ORIEL_CUDA_STREAM_CALL(cuGraphUpload,
                       _ptsz,
                       kContext,
                       (CUgraphExec executable, CUstream stream),
                       (executable, stream)) {
  return upload(caller, executable, stream);
}

ORIEL_CUDA_STREAM_CALL(cuGraphLaunch,
                       _ptsz,
                       kContext,
                       (CUgraphExec handle, CUstream stream_handle),
                       (handle, stream_handle)) {
  std::shared_ptr<Executable> executable;
  Stream* stream = nullptr;
  if (const Situation situation = caller.find(caller.machine.executables, handle, executable);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find_stream(stream_handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  return launch(caller.machine, executable, *stream);
}

ORIEL_CUDA_CALL(cuGraphExecDestroy, kRelease, (CUgraphExec handle), (handle)) {
  Executable* executable = nullptr;
  if (const Situation situation = caller.find(caller.machine.executables, handle, executable);
      failed(situation)) {
    return situation;
  }
  caller.owner = executable->context;
  auto held = caller.machine.executables.erase(executable->handle);
  held.reset();
  collect_memory(caller.machine);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphExecGetFlags,
                kContext,
                (CUgraphExec handle, cuuint64_t* flags),
                (handle, flags)) {
  Executable* executable = nullptr;
  if (flags == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.executables, handle, executable);
  if (!failed(situation)) {
    *flags = executable->flags;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuGraphExecUpdate_v2,
                kContext,
                (CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* result),
                (handle, graph_handle, result)) {
  Executable* executable = nullptr;
  Graph* graph = nullptr;
  if (result == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.executables, handle, executable);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find(caller.machine.graphs, graph_handle, graph);
      failed(situation)) {
    return situation;
  }
  const UpdateReport report = update(*executable, *graph);
  *result = {};
  result->result = to_vendor_result(report.result);
  result->errorNode = to_vendor<CUgraphNode>(report.node);
  return report.result == UpdateResult::kSuccess ? Situation::kSuccess : Situation::kUpdateFailed;
}

ORIEL_CUDA_CALL(cuGraphExecKernelNodeSetParams_v2,
                kContext,
                (CUgraphExec executable,
                 CUgraphNode node,
                 const CUDA_KERNEL_NODE_PARAMS* parameters),
                (executable, node, parameters)) {
  WorkRef work;
  const Situation situation = read_launch(caller, parameters, work);
  return failed(situation) ? situation
                           : set_parameters(caller, executable, node, NodeKind::kKernel, work);
}

ORIEL_CUDA_CALL(
    cuGraphExecMemcpyNodeSetParams,
    kContext,
    (CUgraphExec executable, CUgraphNode node, const CUDA_MEMCPY3D* parameters, CUcontext context),
    (executable, node, parameters, context)) {
  Context* of_node = nullptr;
  WorkRef work;
  if (const Situation situation = caller.find(caller.machine.contexts, context, of_node);
      failed(situation)) {
    return situation;
  }
  const Situation situation = read_copy(caller, parameters, work);
  if (failed(situation)) {
    return situation;
  }
  if (parameters->Height != 1 || parameters->Depth != 1) {
    return Situation::kInvalidValue;  // one-dimensional copies only
  }
  return set_parameters(caller, executable, node, NodeKind::kCopy, work);
}

ORIEL_CUDA_CALL(cuGraphExecMemsetNodeSetParams,
                kContext,
                (CUgraphExec executable,
                 CUgraphNode node,
                 const CUDA_MEMSET_NODE_PARAMS* parameters,
                 CUcontext context),
                (executable, node, parameters, context)) {
  Context* of_node = nullptr;
  WorkRef work;
  if (const Situation situation = caller.find(caller.machine.contexts, context, of_node);
      failed(situation)) {
    return situation;
  }
  const Situation situation = read_fill(caller, parameters, work);
  return failed(situation) ? situation
                           : set_parameters(caller, executable, node, NodeKind::kFill, work);
}

ORIEL_CUDA_CALL(cuGraphExecHostNodeSetParams,
                kContext,
                (CUgraphExec executable, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters),
                (executable, node, parameters)) {
  WorkRef work;
  const Situation situation = read_host(parameters, work);
  return failed(situation) ? situation
                           : set_parameters(caller, executable, node, NodeKind::kHost, work);
}

}  // namespace oriel::emulator::cuda
