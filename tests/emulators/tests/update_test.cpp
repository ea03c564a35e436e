// Changing an executable: node by node, and by another graph.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

CUgraph capture(CUstream stream, const std::function<void()>& record) {
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  record();
  return end(stream);
}

CUgraphNode only_node(CUgraph graph) {
  CUgraphNode node = nullptr;
  std::size_t count = 1;
  REQUIRE(CU(cuGraphGetNodes)(graph, &node, &count) == CUDA_SUCCESS);
  REQUIRE(count == 1);
  return node;
}

std::uint32_t run(CUgraphExec executable, CUstream stream, CUdeviceptr words) {
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  return read(words)[0];
}

}  // namespace

TEST_CASE("A kernel node's parameters can be read and exchanged in an executable") {
  Session session;
  CUfunction fill = session.kernel("emulator_fill");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = session.keep(capture(stream, [&] { launch_add(fill, stream, words, 3); }));
  CUgraphExec executable = session.instantiate(graph);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  REQUIRE(CU(cuGraphKernelNodeGetParams_v2)(only_node(graph), &parameters) == CUDA_SUCCESS);
  CHECK(parameters.func == fill);
  CHECK(parameters.blockDimX == 4);
  CHECK(*static_cast<CUdeviceptr*>(parameters.kernelParams[0]) == words);
  CHECK(*static_cast<std::uint32_t*>(parameters.kernelParams[1]) == 3);

  std::uint32_t value = 8;
  void* arguments[] = {&words, &value};
  parameters.kernelParams = arguments;
  REQUIRE(CU(cuGraphExecKernelNodeSetParams_v2)(executable, only_node(graph), &parameters) ==
          CUDA_SUCCESS);
  CHECK(run(executable, stream, words) == 8);
  CHECK(run(session.instantiate(graph), stream, words) == 3);  // the graph is as it was
  REQUIRE(CU(cuGraphKernelNodeSetParams_v2)(only_node(graph), &parameters) == CUDA_SUCCESS);
  CHECK(run(session.instantiate(graph), stream, words) == 8);
}

TEST_CASE("An exchange concerns later launches only") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = session.keep(capture(stream, [&] { launch_add(add, stream, words, 1); }));
  CUgraphExec executable = session.instantiate(graph);
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  REQUIRE(CU(cuGraphKernelNodeGetParams_v2)(only_node(graph), &parameters) == CUDA_SUCCESS);
  std::uint32_t value = 100;
  void* arguments[] = {&words, &value};
  parameters.kernelParams = arguments;
  REQUIRE(CU(cuGraphExecKernelNodeSetParams_v2)(executable, only_node(graph), &parameters) ==
          CUDA_SUCCESS);
  gate.open();
  CHECK(run(executable, stream, words) == 101);
}

TEST_CASE("Copies, fills and host functions can be exchanged too") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::uint32_t* source = session.pinned(4);
  source[0] = 6;
  source[1] = 7;

  CUgraph copy = session.keep(capture(stream, [&] {
    CU(cuMemcpyHtoDAsync_v2)
    (words, source, 4, stream);
  }));
  CUgraphExec copies = session.instantiate(copy);
  CUDA_MEMCPY3D from_second{};
  from_second.srcMemoryType = CU_MEMORYTYPE_HOST;
  from_second.srcHost = source + 1;
  from_second.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  from_second.dstDevice = words;
  from_second.WidthInBytes = 4;
  from_second.Height = from_second.Depth = 1;
  REQUIRE(CU(cuGraphExecMemcpyNodeSetParams)(
              copies, only_node(copy), &from_second, session.context()) == CUDA_SUCCESS);
  CHECK(run(copies, stream, words) == 7);

  CUgraph fill = session.keep(capture(stream, [&] { CU(cuMemsetD32Async)(words, 1, 4, stream); }));
  CUgraphExec fills = session.instantiate(fill);
  const CUDA_MEMSET_NODE_PARAMS other{words, 0, 9, 4, 4, 1};
  REQUIRE(CU(cuGraphExecMemsetNodeSetParams)(fills, only_node(fill), &other, session.context()) ==
          CUDA_SUCCESS);
  CHECK(run(fills, stream, words) == 9);
  CHECK(CU(cuGraphExecMemsetNodeSetParams)(copies, only_node(copy), &other, session.context()) ==
        CUDA_ERROR_INVALID_VALUE);

  const auto set = [](void* flag) { *static_cast<bool*>(flag) = true; };
  bool first = false;
  bool second = false;
  CUgraph host = session.keep(capture(stream, [&] { CU(cuLaunchHostFunc)(stream, set, &first); }));
  CUgraphExec hosts = session.instantiate(host);
  const CUDA_HOST_NODE_PARAMS to_second{set, &second};
  REQUIRE(CU(cuGraphExecHostNodeSetParams)(hosts, only_node(host), &to_second) == CUDA_SUCCESS);
  run(hosts, stream, words);
  CHECK_FALSE(first);
  CHECK(second);
}

TEST_CASE("A graph of the same shape updates an executable") {
  Session session;
  CUfunction fill = session.kernel("emulator_fill");
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph before = session.keep(capture(stream, [&] { launch_add(fill, stream, words, 3); }));
  CUgraph after = session.keep(capture(stream, [&] { launch_add(add, stream, words, 4); }));
  CUgraphExec executable = session.instantiate(before);
  CHECK(run(executable, stream, words) == 3);
  CUgraphExecUpdateResultInfo result{};
  REQUIRE(CU(cuGraphExecUpdate_v2)(executable, after, &result) == CUDA_SUCCESS);
  CHECK(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK(run(executable, stream, words) == 7);
}

TEST_CASE("A graph of another shape gives 910 and the reason, and the executable is as it was") {
  Session session;
  CUfunction fill = session.kernel("emulator_fill");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph before = session.keep(capture(stream, [&] { launch_add(fill, stream, words, 3); }));
  CUgraphExec executable = session.instantiate(before);
  CUgraph longer = session.keep(capture(stream, [&] {
    launch_add(fill, stream, words, 3);
    launch_add(fill, stream, words, 4);
  }));
  CUgraph other = session.keep(capture(stream, [&] { CU(cuMemsetD32Async)(words, 1, 4, stream); }));
  CUgraphExecUpdateResultInfo result{};
  CHECK(CU(cuGraphExecUpdate_v2)(executable, longer, &result) ==
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CHECK(CU(cuGraphExecUpdate_v2)(executable, other, &result) ==
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  CHECK(result.errorNode == only_node(other));
  CHECK(run(executable, stream, words) == 3);
}
