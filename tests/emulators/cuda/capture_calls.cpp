// Capture of streams.
#include "graph_support.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace oriel::emulator::cuda {

namespace {

std::optional<CaptureMode> mode_of(CUstreamCaptureMode mode) {
  switch (mode) {
    case CU_STREAM_CAPTURE_MODE_GLOBAL:
      return CaptureMode::kGlobal;
    case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
      return CaptureMode::kThreadLocal;
    case CU_STREAM_CAPTURE_MODE_RELAXED:
      return CaptureMode::kRelaxed;
  }
  return std::nullopt;
}

CUstreamCaptureMode mode_of(CaptureMode mode) {
  return static_cast<CUstreamCaptureMode>(mode);
}
static_assert(static_cast<int>(CaptureMode::kRelaxed) == CU_STREAM_CAPTURE_MODE_RELAXED);

CUstreamCaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) {
    return CU_STREAM_CAPTURE_STATUS_NONE;
  }
  return stream.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                     : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

struct InfoRequest {
  CUstreamCaptureStatus* status = nullptr;
  cuuint64_t* id = nullptr;
  CUgraph* graph = nullptr;
  const CUgraphNode** dependencies = nullptr;
  const CUgraphEdgeData** edges = nullptr;
  size_t* count = nullptr;
};

/// The arrays that were handed out last on this thread.
struct InfoArrays {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;
};

Situation get_info(Caller& caller, CUstream handle, const InfoRequest& request) {
  if (request.status == nullptr || (request.edges != nullptr && request.dependencies == nullptr)) {
    return Situation::kInvalidValue;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kAsk, stream);
      failed(situation)) {
    return situation;
  }
  *request.status = status_of(*stream);
  if (*request.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
    return Situation::kSuccess;
  }
  thread_local InfoArrays arrays;
  arrays.nodes.clear();
  arrays.edges.clear();
  for (const Edge& edge : stream->frontier) {
    if (edge.data != 0 && request.dependencies != nullptr && request.edges == nullptr) {
      return Situation::kEdgeDataLost;
    }
    arrays.nodes.push_back(to_vendor<CUgraphNode>(edge.node->handle));
    arrays.edges.push_back(to_edge_data(edge.data));
  }
  if (request.id != nullptr) {
    *request.id = stream->capture->id;
  }
  if (request.graph != nullptr) {
    *request.graph = to_vendor<CUgraph>(stream->capture->graph->handle);
  }
  if (request.dependencies != nullptr) {
    *request.dependencies = arrays.nodes.data();
  }
  if (request.edges != nullptr) {
    *request.edges = arrays.edges.data();
  }
  if (request.count != nullptr) {
    *request.count = arrays.nodes.size();
  }
  return Situation::kSuccess;
}

Situation update_dependencies(Caller& caller,
                              CUstream handle,
                              const NodeList& list,
                              unsigned int flags) {
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
    return Situation::kInvalidValue;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kWork, stream);
      failed(situation)) {
    return situation;
  }
  if (stream->capture == nullptr) {
    return Situation::kUpdateIdle;
  }
  std::vector<Edge> edges;
  if (const Situation situation = read_dependencies(caller, *stream->capture->graph, list, edges);
      failed(situation)) {
    return situation;
  }
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
    stream->frontier = std::move(edges);
  } else {
    merge_edges(stream->frontier, edges);
  }
  return Situation::kSuccess;
}

}  // namespace

ORIEL_CUDA_CALL(cuThreadExchangeStreamCaptureMode, kInit, (CUstreamCaptureMode * mode), (mode)) {
  if (mode == nullptr) {
    return Situation::kBadCaptureArgument;
  }
  const auto wanted = mode_of(*mode);
  if (!wanted.has_value()) {
    return Situation::kBadCaptureArgument;
  }
  *mode = mode_of(caller.thread.mode);
  caller.thread.mode = *wanted;
  return Situation::kSuccess;
}

ORIEL_CUDA_STREAM_CALL(cuStreamBeginCapture_v2,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUstreamCaptureMode mode),
                       (handle, mode)) {
  const auto wanted = mode_of(mode);
  if (!wanted.has_value()) {
    return Situation::kBadCaptureArgument;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kBegin, stream);
      failed(situation)) {
    return situation;
  }
  return begin_capture(caller.machine, *stream, {*wanted, caller.thread.number, nullptr, {}});
}

ORIEL_CUDA_STREAM_CALL(cuStreamBeginCaptureToGraph,
                       _ptsz,
                       kContext,
                       (CUstream handle,
                        CUgraph graph_handle,
                        const CUgraphNode* nodes,
                        const CUgraphEdgeData* data,
                        size_t count,
                        CUstreamCaptureMode mode),
                       (handle, graph_handle, nodes, data, count, mode)) {
  const auto wanted = mode_of(mode);
  if (!wanted.has_value()) {
    return Situation::kBadCaptureArgument;
  }
  BeginRequest request{*wanted, caller.thread.number, nullptr, {}};
  if (const Situation situation = caller.find(caller.machine.graphs, graph_handle, request.graph);
      failed(situation)) {
    return situation;
  }
  if (request.graph->capture != nullptr) {
    return Situation::kBadCaptureArgument;
  }
  if (const Situation situation =
          read_dependencies(caller, *request.graph, {nodes, data, count}, request.after);
      failed(situation)) {
    return situation;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kBegin, stream);
      failed(situation)) {
    return situation;
  }
  return begin_capture(caller.machine, *stream, std::move(request));
}

ORIEL_CUDA_STREAM_CALL(
    cuStreamEndCapture, _ptsz, kContext, (CUstream handle, CUgraph* out), (handle, out)) {
  if (out == nullptr) {
    return Situation::kBadCaptureArgument;
  }
  Stream* stream = nullptr;
  if (const Situation situation = caller.find_stream(handle, Use::kEnd, stream);
      failed(situation)) {
    return situation;
  }
  *out = nullptr;
  std::shared_ptr<Graph> graph;
  const Situation situation = end_capture(caller.machine, *stream, caller.thread.number, graph);
  if (graph != nullptr) {
    *out = to_vendor<CUgraph>(graph->handle);
  }
  return situation;
}

ORIEL_CUDA_STREAM_CALL(cuStreamIsCapturing,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUstreamCaptureStatus* status),
                       (handle, status)) {
  if (status == nullptr) {
    return Situation::kBadCaptureArgument;
  }
  Stream* stream = nullptr;
  const Situation situation = caller.find_stream(handle, Use::kAsk, stream);
  if (!failed(situation)) {
    *status = status_of(*stream);
  }
  return situation;
}

ORIEL_CUDA_STREAM_CALL(cuStreamGetCaptureInfo_v2,
                       _ptsz,
                       kContext,
                       (CUstream handle,
                        CUstreamCaptureStatus* status,
                        cuuint64_t* id,
                        CUgraph* graph,
                        const CUgraphNode** dependencies,
                        size_t* count),
                       (handle, status, id, graph, dependencies, count)) {
  return get_info(caller, handle, {status, id, graph, dependencies, nullptr, count});
}

ORIEL_CUDA_STREAM_CALL(cuStreamGetCaptureInfo_v3,
                       _ptsz,
                       kContext,
                       (CUstream handle,
                        CUstreamCaptureStatus* status,
                        cuuint64_t* id,
                        CUgraph* graph,
                        const CUgraphNode** dependencies,
                        const CUgraphEdgeData** edges,
                        size_t* count),
                       (handle, status, id, graph, dependencies, edges, count)) {
  return get_info(caller, handle, {status, id, graph, dependencies, edges, count});
}

ORIEL_CUDA_STREAM_CALL(cuStreamUpdateCaptureDependencies,
                       _ptsz,
                       kContext,
                       (CUstream handle, CUgraphNode* nodes, size_t count, unsigned int flags),
                       (handle, nodes, count, flags)) {
  return update_dependencies(caller, handle, {nodes, nullptr, count}, flags);
}

ORIEL_CUDA_STREAM_CALL(cuStreamUpdateCaptureDependencies_v2,
                       _ptsz,
                       kContext,
                       (CUstream handle,
                        CUgraphNode* nodes,
                        const CUgraphEdgeData* data,
                        size_t count,
                        unsigned int flags),
                       (handle, nodes, data, count, flags)) {
  return update_dependencies(caller, handle, {nodes, data, count}, flags);
}

}  // namespace oriel::emulator::cuda
