// Section 1.8: graphs that allocate and free.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

/// A graph that allocates four words and fills them, and frees them if asked to.
CUgraph capture_allocation(Session& session, CUstream stream, CUdeviceptr& words, bool frees) {
  CUfunction fill = session.kernel("emulator_fill");
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocAsync)(&words, 16, stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(fill, stream, words, 4) == CUDA_SUCCESS);
  if (frees) {
    REQUIRE(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
  }
  return session.keep(end(stream));
}

cuuint64_t graph_memory(CUgraphMem_attribute attribute) {
  cuuint64_t bytes = 0;
  REQUIRE(CU(cuDeviceGetGraphMemAttribute)(0, attribute, &bytes) == CUDA_SUCCESS);
  return bytes;
}

}  // namespace

TEST_CASE("A graph's memory has its address from the capture on and is there after a launch") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraphExec executable = session.instantiate(capture_allocation(session, stream, words, false));
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words) == std::vector<std::uint32_t>(4, 4));
  CHECK(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
}

TEST_CASE("A relaunch while an allocation isn't freed is an invalid value") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraphExec executable = session.instantiate(capture_allocation(session, stream, words, false));
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(executable, stream) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 4);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
}

TEST_CASE("With automatic free an executable is launched again and again") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraphExec executable = session.instantiate(capture_allocation(session, stream, words, false),
                                               CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  }
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 4);
  CHECK(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
}

TEST_CASE("A graph that frees what it allocates is launched again and again") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraphExec executable = session.instantiate(capture_allocation(session, stream, words, true));
  for (int i = 0; i < 3; ++i) {
    REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  }
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}

TEST_CASE("There is one executable at a time of a graph that allocates") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraph graph = capture_allocation(session, stream, words, true);
  CUgraphExec first = nullptr;
  CUgraphExec second = nullptr;
  CUgraph copy = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&first, graph, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&second, graph, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphClone)(&copy, graph) == CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE(CU(cuGraphExecDestroy)(first) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&second, graph, 0) == CUDA_SUCCESS);
  session.keep(second);
}

TEST_CASE("A graph's memory isn't there before its launch nor after its free") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  capture_allocation(session, stream, words, true);
  REQUIRE(CU(cuMemsetD32Async)(words, 1, 4, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
}

TEST_CASE("Memory that a graph left outlives the graph and its executable") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocAsync)(&words, 16, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32Async)(words, 4, 4, stream) == CUDA_SUCCESS);
  graph = end(stream);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphExecDestroy)(executable) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 4);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
}

TEST_CASE("What graphs use and keep is told, and trimming gives it back") {
  Session session;
  CHECK(CU(cuDeviceGraphMemTrim)(0) == CUDA_SUCCESS);
  const cuuint64_t kept = graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  CUstream stream = session.stream();
  CUdeviceptr words = 0;
  CUgraphExec executable = session.instantiate(capture_allocation(session, stream, words, false));
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 16);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 16);
  REQUIRE(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == kept + 16);
  CHECK(CU(cuDeviceGraphMemTrim)(0) == CUDA_SUCCESS);
  CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == kept);
}

TEST_CASE("Memory nodes can be put in by hand") {
  Session session;
  CUfunction fill = session.kernel("emulator_fill");
  CUstream stream = session.stream();
  CUgraph graph = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  session.keep(graph);
  CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  parameters.bytesize = 16;
  CUgraphNode allocation = nullptr;
  CUgraphNode kernel = nullptr;
  CUgraphNode freeing = nullptr;
  REQUIRE(CU(cuGraphAddMemAllocNode)(&allocation, graph, nullptr, 0, &parameters) == CUDA_SUCCESS);
  std::uint32_t value = 3;
  void* arguments[] = {&parameters.dptr, &value};
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.func = fill;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = 4;
  launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  REQUIRE(CU(cuGraphAddKernelNode_v2)(&kernel, graph, &allocation, 1, &launch) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphAddMemFreeNode)(&freeing, graph, &kernel, 1, parameters.dptr) == CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}
