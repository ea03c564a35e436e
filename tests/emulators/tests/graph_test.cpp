// Graphs that are built by hand, and what can be asked about graphs.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace oriel::emulator::test;

namespace {

CUgraph make_graph(Session& session) {
  CUgraph graph = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  return session.keep(graph);
}

CUgraphNode add_fill(Session& session,
                     CUgraph graph,
                     std::vector<CUgraphNode> after,
                     CUdeviceptr words,
                     unsigned value) {
  const CUDA_MEMSET_NODE_PARAMS parameters{words, 0, value, 4, 4, 1};
  CUgraphNode node = nullptr;
  REQUIRE(CU(cuGraphAddMemsetNode)(
              &node, graph, after.data(), after.size(), &parameters, session.context()) ==
          CUDA_SUCCESS);
  return node;
}

}  // namespace

TEST_CASE("Nodes of every kind that are put in by hand run in their order") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::uint32_t* seen = session.pinned(4);
  CUgraph graph = make_graph(session);
  CUgraph inner = make_graph(session);

  CUgraphNode fill = add_fill(session, graph, {}, words, 5);
  std::uint32_t value = 2;
  void* arguments[] = {&words, &value};
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.func = add;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = 4;
  launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  CUgraphNode in_child = nullptr;
  CUgraphNode child = nullptr;
  REQUIRE(CU(cuGraphAddKernelNode_v2)(&in_child, inner, nullptr, 0, &launch) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphAddChildGraphNode)(&child, graph, &fill, 1, inner) == CUDA_SUCCESS);
  CUDA_MEMCPY3D parameters{};
  parameters.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  parameters.srcDevice = words;
  parameters.dstMemoryType = CU_MEMORYTYPE_HOST;
  parameters.dstHost = seen;
  parameters.WidthInBytes = 16;
  parameters.Height = parameters.Depth = 1;
  CUgraphNode copy = nullptr;
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, graph, &child, 1, &parameters, session.context()) ==
          CUDA_SUCCESS);
  CUgraphNode host = nullptr;
  const CUDA_HOST_NODE_PARAMS doubling{[](void* word) { *static_cast<std::uint32_t*>(word) *= 2; },
                                       seen};
  REQUIRE(CU(cuGraphAddHostNode)(&host, graph, &copy, 1, &doubling) == CUDA_SUCCESS);

  CUgraphExec executable = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(seen[0] == 14);
  CHECK(seen[1] == 7);
  CHECK(node_types(graph) == std::vector{CU_GRAPH_NODE_TYPE_MEMSET,
                                         CU_GRAPH_NODE_TYPE_GRAPH,
                                         CU_GRAPH_NODE_TYPE_MEMCPY,
                                         CU_GRAPH_NODE_TYPE_HOST});
  CUgraph child_graph = nullptr;
  REQUIRE(CU(cuGraphChildGraphNodeGetGraph)(child, &child_graph) == CUDA_SUCCESS);
  CHECK(node_types(child_graph) == std::vector{CU_GRAPH_NODE_TYPE_KERNEL});
  CHECK(CU(cuGraphDestroy)(child_graph) == CUDA_ERROR_INVALID_VALUE);
  CHECK(session.take_violations() == 1);
}

TEST_CASE("Copies and fills of rows leave what is between them") {
  Session session;
  CUdeviceptr words = session.memory(16);
  CUdeviceptr target = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = make_graph(session);
  const CUDA_MEMSET_NODE_PARAMS column{words, 16, 3, 4, 1, 4};  // the first word of four rows
  CUgraphNode fill = nullptr;
  CUgraphNode copy = nullptr;
  REQUIRE(CU(cuGraphAddMemsetNode)(&fill, graph, nullptr, 0, &column, session.context()) ==
          CUDA_SUCCESS);
  CUDA_MEMCPY3D parameters{};
  parameters.srcMemoryType = parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  parameters.srcDevice = words;
  parameters.srcPitch = 16;
  parameters.dstDevice = target;
  parameters.dstPitch = 4;
  parameters.WidthInBytes = 4;
  parameters.Height = 4;
  parameters.Depth = 1;
  REQUIRE(CU(cuGraphAddMemcpyNode)(&copy, graph, &fill, 1, &parameters, session.context()) ==
          CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(target) == std::vector<std::uint32_t>(4, 3));
  CHECK(read(words, 5) == std::vector<std::uint32_t>{3, 0, 0, 0, 3});
}

TEST_CASE("Lists are given out as far as there is room, and padded with null") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUgraph graph = make_graph(session);
  CUgraphNode first = add_fill(session, graph, {}, words, 1);
  CUgraphNode second = add_fill(session, graph, {first}, words, 2);
  CUgraphNode third = add_fill(session, graph, {first, second}, words, 3);
  CHECK(node_count(graph) == 3);
  CUgraphNode nodes[4] = {first, first, first, first};
  std::size_t count = 2;
  REQUIRE(CU(cuGraphGetNodes)(graph, nodes, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CHECK(nodes[1] == second);
  CHECK(nodes[2] == first);
  count = 4;
  REQUIRE(CU(cuGraphGetNodes)(graph, nodes, &count) == CUDA_SUCCESS);
  CHECK(count == 3);
  CHECK(nodes[3] == nullptr);

  CUgraphNode from[3] = {};
  CUgraphNode to[3] = {};
  REQUIRE(CU(cuGraphGetEdges)(graph, nullptr, nullptr, &count) == CUDA_SUCCESS);
  REQUIRE(count == 3);
  REQUIRE(CU(cuGraphGetEdges)(graph, from, to, &count) == CUDA_SUCCESS);
  CHECK(from[2] == second);
  CHECK(to[2] == third);
  count = 2;
  REQUIRE(CU(cuGraphNodeGetDependencies)(third, from, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CHECK(from[0] == first);
}

TEST_CASE("A clone is a graph of its own") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUgraph graph = make_graph(session);
  CUgraphNode first = add_fill(session, graph, {}, words, 1);
  CUgraph copy = nullptr;
  REQUIRE(CU(cuGraphClone)(&copy, graph) == CUDA_SUCCESS);
  session.keep(copy);
  add_fill(session, graph, {first}, words, 2);
  CHECK(node_count(copy) == 1);
  CUgraphNode node = nullptr;
  CHECK(CU(cuGraphAddEmptyNode)(&node, copy, &first, 1) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("Handles of a destroyed graph and its nodes are dead") {
  Session session;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphNodeType type{};
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphAddEmptyNode)(&node, graph, nullptr, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphNodeGetType)(node, &type) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 2);
}

TEST_CASE("A graph is written as DOT, or it is said that it can't be") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUgraph graph = make_graph(session);
  CUgraphNode first = add_fill(session, graph, {}, words, 1);
  add_fill(session, graph, {first}, words, 2);
  const char* path = "emulators.cuda.test.dot";
  REQUIRE(CU(cuGraphDebugDotPrint)(graph, path, 0) == CUDA_SUCCESS);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(text.str().find("memset") != std::string::npos);
  CHECK(text.str().find("\"node_0\" -> \"node_1\"") != std::string::npos);
  std::remove(path);
  CHECK(CU(cuGraphDebugDotPrint)(graph, "/no such folder/x", 0) == CUDA_ERROR_OPERATING_SYSTEM);
}
