#include "graph_support.hpp"

#include <algorithm>
#include <utility>

namespace oriel::emulator::cuda {
namespace {

std::uint32_t from_edge_data(const CUgraphEdgeData& data) noexcept {
  return data.from_port | static_cast<std::uint32_t>(data.to_port << 8) |
         static_cast<std::uint32_t>(data.type << 16);
}

bool read_end(CUmemorytype type,
              const void* host,
              CUdeviceptr device,
              const std::size_t (&place)[5],  // x in bytes, y, z, pitch, height
              CopyEnd& out) {
  const auto [x, y, z, pitch, height] = place;
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      out.address = reinterpret_cast<std::uint64_t>(host);
      break;
    case CU_MEMORYTYPE_DEVICE:
      out.address = device;
      out.device = true;
      break;
    case CU_MEMORYTYPE_UNIFIED:
      out.address = device;
      break;
    default:
      return false;  // arrays: there are none
  }
  out.pitch = pitch;
  out.slice = pitch * height;
  out.address += x + y * pitch + z * out.slice;
  return out.address != 0;
}

}  // namespace

CUgraphEdgeData to_edge_data(std::uint32_t data) noexcept {
  CUgraphEdgeData edge{};
  edge.from_port = static_cast<unsigned char>(data & 0xFFU);
  edge.to_port = static_cast<unsigned char>((data >> 8U) & 0xFFU);
  edge.type = static_cast<unsigned char>((data >> 16U) & 0xFFU);
  return edge;
}

Situation read_dependencies(Caller& caller,
                            const Graph& graph,
                            const NodeList& list,
                            std::vector<Edge>& out) {
  if (list.nodes == nullptr && list.count != 0) {
    return Situation::kInvalidValue;
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    Edge edge;
    if (const Situation situation = caller.find(caller.machine.nodes, list.nodes[i], edge.node);
        failed(situation)) {
      return situation;
    }
    if (edge.node->graph != &graph) {
      return Situation::kInvalidValue;
    }
    edge.data = list.data != nullptr ? from_edge_data(list.data[i]) : 0;
    out.push_back(edge);
  }
  return Situation::kSuccess;
}

Situation read_launch(Caller& caller, const CUDA_KERNEL_NODE_PARAMS* parameters, WorkRef& out) {
  if (parameters == nullptr) {
    return Situation::kInvalidValue;
  }
  LaunchRequest request;
  request.function = parameters->func;
  request.grid[0] = parameters->gridDimX;
  request.grid[1] = parameters->gridDimY;
  request.grid[2] = parameters->gridDimZ;
  request.group[0] = parameters->blockDimX;
  request.group[1] = parameters->blockDimY;
  request.group[2] = parameters->blockDimZ;
  request.shared_bytes = parameters->sharedMemBytes;
  request.parameters = parameters->kernelParams;
  request.extra = parameters->extra;
  KernelWork work;
  const Situation situation = read_launch(caller, request, work);
  if (!failed(situation)) {
    out = make_work(std::move(work));
  }
  return situation;
}

bool is_known(const Machine& machine, const CopyEnd& end, std::size_t bytes) {
  if (!end.device) {
    return true;
  }
  const BlockRef* block = machine.memory.find(end.address);
  return block != nullptr && (*block)->holds(end.address, bytes);
}

Situation read_copy(Caller& caller, const CUDA_MEMCPY3D* parameters, WorkRef& out) {
  if (parameters == nullptr) {
    return Situation::kInvalidValue;
  }
  const CUDA_MEMCPY3D& p = *parameters;
  CopyWork work;
  work.width = p.WidthInBytes;
  work.height = p.Height;
  work.depth = p.Depth;
  const std::size_t from[] = {p.srcXInBytes, p.srcY, p.srcZ, p.srcPitch, p.srcHeight};
  const std::size_t to[] = {p.dstXInBytes, p.dstY, p.dstZ, p.dstPitch, p.dstHeight};
  if (work.width == 0 || work.height == 0 || work.depth == 0 ||
      !read_end(p.srcMemoryType, p.srcHost, p.srcDevice, from, work.from) ||
      !read_end(p.dstMemoryType, p.dstHost, p.dstDevice, to, work.to) ||
      !is_known(caller.machine, work.from, work.span(work.from)) ||
      !is_known(caller.machine, work.to, work.span(work.to))) {
    return Situation::kInvalidValue;
  }
  out = make_work(std::move(work));
  return Situation::kSuccess;
}

Situation read_fill(Caller& caller, const CUDA_MEMSET_NODE_PARAMS* parameters, WorkRef& out) {
  if (parameters == nullptr) {
    return Situation::kInvalidValue;
  }
  const std::uint32_t size = parameters->elementSize;
  FillWork work{parameters->dst,
                parameters->pitch,
                parameters->value,
                size,
                parameters->width,
                parameters->height};
  if ((size != 1 && size != 2 && size != 4) || parameters->dst % size != 0 || work.width == 0 ||
      work.height == 0 ||
      !is_known(caller.machine, CopyEnd{work.address, true, 0, 0}, work.span())) {
    return Situation::kInvalidValue;
  }
  out = make_work(work);
  return Situation::kSuccess;
}

Situation read_host(const CUDA_HOST_NODE_PARAMS* parameters, WorkRef& out) {
  if (parameters == nullptr || parameters->fn == nullptr) {
    return Situation::kInvalidValue;
  }
  out = make_work(HostWork{parameters->fn, parameters->userData});
  return Situation::kSuccess;
}

}  // namespace oriel::emulator::cuda
