// What the calls on graphs and captures share: lists of dependencies, and nodes' parameters in the
// vendor's form.
#pragma once

#include "entry.hpp"

#include <vector>

namespace oriel::emulator::cuda {

/// Dependencies as a call gives them.
struct NodeList {
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* data = nullptr;  ///< Null: ordinary edges.
  size_t count = 0;
};

[[nodiscard]] CUgraphEdgeData to_edge_data(std::uint32_t data) noexcept;

/// kInvalidValue for a node that isn't the graph's.
[[nodiscard]] Situation read_dependencies(Caller& caller,
                                          const Graph& graph,
                                          const NodeList& list,
                                          std::vector<Edge>& out);

/// A launch as it is asked for, on a stream or as a node.
struct LaunchRequest {
  CUfunction function = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t group[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
};
/// Checks it as the driver does and copies the arguments.
[[nodiscard]] Situation read_launch(Caller& caller, const LaunchRequest& request, KernelWork& out);
[[nodiscard]] Situation read_launch(Caller& caller,
                                    const CUDA_KERNEL_NODE_PARAMS* parameters,
                                    WorkRef& out);
[[nodiscard]] Situation read_copy(Caller& caller, const CUDA_MEMCPY3D* parameters, WorkRef& out);
[[nodiscard]] Situation read_fill(Caller& caller,
                                  const CUDA_MEMSET_NODE_PARAMS* parameters,
                                  WorkRef& out);
[[nodiscard]] Situation read_host(const CUDA_HOST_NODE_PARAMS* parameters, WorkRef& out);

/// Whether the end lies in memory the driver knows, if it says that it does; `bytes` from its
/// start.
[[nodiscard]] bool is_known(const Machine& machine, const CopyEnd& end, std::size_t bytes);

}  // namespace oriel::emulator::cuda
