// Nodes that are put into graphs one by one.
#include "graph_support.hpp"

#include <utility>
#include <vector>

namespace oriel::emulator::cuda {

namespace {

/// Where a node goes: what all of these calls are given.
struct Place {
  CUgraphNode* out = nullptr;
  CUgraph graph = nullptr;
  NodeList after;
};

Situation read_place(Caller& caller, const Place& place, Graph*& graph, std::vector<Edge>& after) {
  if (place.out == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.graphs, place.graph, graph);
  return failed(situation) ? situation : read_dependencies(caller, *graph, place.after, after);
}

Situation add(Caller& caller, const Place& place, NodeKind kind, WorkRef work) {
  Graph* graph = nullptr;
  std::vector<Edge> after;
  const Situation situation = read_place(caller, place, graph, after);
  if (!failed(situation)) {
    const Node& node = add_node(caller.machine, *graph, kind, std::move(work), std::move(after));
    *place.out = to_vendor<CUgraphNode>(node.handle);
  }
  return situation;
}

bool is_plain_allocation(const CUmemPoolProps& properties) {
  return properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
         properties.handleTypes == CU_MEM_HANDLE_TYPE_NONE &&
         properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

}  // namespace

ORIEL_CUDA_CALL(cuGraphAddKernelNode_v2,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph,
                 const CUgraphNode* after,
                 size_t count,
                 const CUDA_KERNEL_NODE_PARAMS* parameters),
                (out, graph, after, count, parameters)) {
  WorkRef work;
  const Situation situation = read_launch(caller, parameters, work);
  return failed(situation)
             ? situation
             : add(caller, {out, graph, {after, nullptr, count}}, NodeKind::kKernel, work);
}

ORIEL_CUDA_CALL(cuGraphAddMemcpyNode,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph,
                 const CUgraphNode* after,
                 size_t count,
                 const CUDA_MEMCPY3D* parameters,
                 CUcontext context),
                (out, graph, after, count, parameters, context)) {
  Context* of_node = nullptr;
  WorkRef work;
  if (const Situation situation = caller.find(caller.machine.contexts, context, of_node);
      failed(situation)) {
    return situation;
  }
  const Situation situation = read_copy(caller, parameters, work);
  return failed(situation)
             ? situation
             : add(caller, {out, graph, {after, nullptr, count}}, NodeKind::kCopy, work);
}

ORIEL_CUDA_CALL(cuGraphAddMemsetNode,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph,
                 const CUgraphNode* after,
                 size_t count,
                 const CUDA_MEMSET_NODE_PARAMS* parameters,
                 CUcontext context),
                (out, graph, after, count, parameters, context)) {
  Context* of_node = nullptr;
  WorkRef work;
  if (const Situation situation = caller.find(caller.machine.contexts, context, of_node);
      failed(situation)) {
    return situation;
  }
  const Situation situation = read_fill(caller, parameters, work);
  return failed(situation)
             ? situation
             : add(caller, {out, graph, {after, nullptr, count}}, NodeKind::kFill, work);
}

ORIEL_CUDA_CALL(cuGraphAddHostNode,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph,
                 const CUgraphNode* after,
                 size_t count,
                 const CUDA_HOST_NODE_PARAMS* parameters),
                (out, graph, after, count, parameters)) {
  WorkRef work;
  const Situation situation = read_host(parameters, work);
  return failed(situation)
             ? situation
             : add(caller, {out, graph, {after, nullptr, count}}, NodeKind::kHost, work);
}

ORIEL_CUDA_CALL(cuGraphAddEmptyNode,
                kContext,
                (CUgraphNode * out, CUgraph graph, const CUgraphNode* after, size_t count),
                (out, graph, after, count)) {
  return add(caller, {out, graph, {after, nullptr, count}}, NodeKind::kEmpty, nullptr);
}

ORIEL_CUDA_CALL(cuGraphAddChildGraphNode,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph_handle,
                 const CUgraphNode* after,
                 size_t count,
                 CUgraph child_handle),
                (out, graph_handle, after, count, child_handle)) {
  std::shared_ptr<Graph> child;
  Graph* graph = nullptr;
  std::vector<Edge> edges;
  if (const Situation situation = caller.find(caller.machine.graphs, child_handle, child);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation =
          read_place(caller, {out, graph_handle, {after, nullptr, count}}, graph, edges);
      failed(situation)) {
    return situation;
  }
  if (has_memory_nodes(*child)) {
    return Situation::kNotSupported;  // such a graph can't be cloned
  }
  const Node& node = add_child(caller.machine, *graph, *child, std::move(edges));
  *out = to_vendor<CUgraphNode>(node.handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphAddMemAllocNode,
                kContext,
                (CUgraphNode * out,
                 CUgraph graph_handle,
                 const CUgraphNode* after,
                 size_t count,
                 CUDA_MEM_ALLOC_NODE_PARAMS* parameters),
                (out, graph_handle, after, count, parameters)) {
  if (parameters == nullptr || parameters->bytesize == 0 ||
      !is_plain_allocation(parameters->poolProps)) {
    return Situation::kInvalidValue;
  }
  const Place place{out, graph_handle, {after, nullptr, count}};
  Graph* graph = nullptr;
  std::vector<Edge> edges;
  Device* device = nullptr;
  if (const Situation situation = read_place(caller, place, graph, edges); failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.find_device(parameters->poolProps.location.id, device);
      failed(situation)) {
    return situation;
  }
  BlockRef block = reserve_for_graph(caller.machine, parameters->bytesize, *device);
  if (block == nullptr) {
    return Situation::kOutOfMemory;
  }
  parameters->dptr = block->address;
  return add(caller, place, NodeKind::kAllocate, make_work(AllocateWork{std::move(block)}));
}

ORIEL_CUDA_CALL(
    cuGraphAddMemFreeNode,
    kContext,
    (CUgraphNode * out, CUgraph graph, const CUgraphNode* after, size_t count, CUdeviceptr address),
    (out, graph, after, count, address)) {
  const BlockRef* block = caller.machine.memory.find(address);
  if (block == nullptr || (*block)->address != address || !(*block)->of_graph) {
    return Situation::kInvalidValue;
  }
  return add(
      caller, {out, graph, {after, nullptr, count}}, NodeKind::kFree, make_work(FreeWork{*block}));
}

ORIEL_CUDA_CALL(cuGraphKernelNodeGetParams_v2,
                kContext,
                (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* out),
                (handle, out)) {
  Node* node = nullptr;
  if (out == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.nodes, handle, node);
      failed(situation)) {
    return situation;
  }
  if (node->kind != NodeKind::kKernel) {
    return Situation::kInvalidValue;
  }
  const auto& work = std::get<KernelWork>(node->work->what);
  *out = {};
  out->func = to_vendor<CUfunction>(work.kernel->handle);
  out->gridDimX = work.grid[0];
  out->gridDimY = work.grid[1];
  out->gridDimZ = work.grid[2];
  out->blockDimX = work.group[0];
  out->blockDimY = work.group[1];
  out->blockDimZ = work.group[2];
  out->sharedMemBytes = work.shared_bytes;
  // The node's own memory, which the caller may read and not write.
  out->kernelParams = const_cast<void**>(work.arguments.data());
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuGraphKernelNodeSetParams_v2,
                kContext,
                (CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* parameters),
                (handle, parameters)) {
  Node* node = nullptr;
  if (const Situation situation = caller.find(caller.machine.nodes, handle, node);
      failed(situation)) {
    return situation;
  }
  if (node->kind != NodeKind::kKernel) {
    return Situation::kInvalidValue;
  }
  return read_launch(caller, parameters, node->work);
}

}  // namespace oriel::emulator::cuda
