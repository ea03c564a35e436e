// The states of a capture (section 1.2) and rows 20, 21: what can be asked and changed meanwhile.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

struct Info {
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  std::vector<CUgraphNode> dependencies;
};

Info info(CUstream stream) {
  Info info;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  REQUIRE(CU(cuStreamGetCaptureInfo_v2)(
              stream, &info.status, &info.id, &info.graph, &nodes, &count) == CUDA_SUCCESS);
  info.dependencies.assign(nodes, nodes + count);
  return info;
}

CUgraphEdgeData programmatic() {
  CUgraphEdgeData data{};
  data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return data;
}

}  // namespace

TEST_CASE("A capture goes from none to active and back, and records without running") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  REQUIRE(launch_add(add, stream, words, 3) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(stream));
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(node_count(graph) == 1);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 0);
}

TEST_CASE("No two captures of a process have the same id") {
  Session session;
  CUstream one = session.stream();
  CUstream two = session.stream();
  REQUIRE(begin(one) == CUDA_SUCCESS);
  REQUIRE(begin(two) == CUDA_SUCCESS);
  const cuuint64_t first = info(one).id;
  CHECK(first != info(two).id);
  session.keep(end(one));
  REQUIRE(begin(one) == CUDA_SUCCESS);
  CHECK(info(one).id != first);
  CHECK(info(one).id != info(two).id);
  session.keep(end(one));
  session.keep(end(two));
}

TEST_CASE("The graph can be read while it is captured, but neither destroyed nor instantiated") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  const Info now = info(stream);
  CHECK(now.status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(node_types(now.graph) == std::vector{CU_GRAPH_NODE_TYPE_KERNEL});
  REQUIRE(now.dependencies.size() == 1);
  CUgraphExec executable = nullptr;
  CHECK(CU(cuGraphDestroy)(now.graph) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphInstantiateWithFlags)(&executable, now.graph, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(session.keep(end(stream)) == now.graph);
}

TEST_CASE("A capture into a graph adds to what is there") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = nullptr;
  CUgraphNode first = nullptr;
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  session.keep(graph);
  REQUIRE(CU(cuGraphAddEmptyNode)(&first, graph, nullptr, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamBeginCaptureToGraph)(
              stream, graph, &first, nullptr, 1, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
          CUDA_SUCCESS);
  CHECK(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CHECK(end(stream) == graph);
  CHECK(node_count(graph) == 2);
  executable = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("The end of a broken capture into a graph leaves the graph") {
  Session session;
  CUstream stream = session.stream();
  CUgraph graph = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  session.keep(graph);
  REQUIRE(CU(cuStreamBeginCaptureToGraph)(
              stream, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
          CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
  CHECK(node_count(graph) == 0);
}

TEST_CASE("row 20: dependencies are updated on capturing streams only") {
  Session session;
  CUstream stream = session.stream();
  CHECK(CU(cuStreamUpdateCaptureDependencies)(stream, nullptr, 0, 0) == CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE("Dependencies that are set replace those that were there") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  std::vector<CUgraphNode> first = info(stream).dependencies;
  REQUIRE(CU(cuStreamUpdateCaptureDependencies)(
              stream, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS);
  CHECK(info(stream).dependencies.empty());
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamUpdateCaptureDependencies)(
              stream, first.data(), 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS);
  CHECK(info(stream).dependencies.size() == 2);
  CHECK(CU(cuStreamUpdateCaptureDependencies)(stream, first.data(), 1, 2) ==
        CUDA_ERROR_INVALID_VALUE);
  session.keep(end(stream));
}

TEST_CASE("A fork whose nodes were taken from its dependencies needs no join") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream origin = session.stream();
  CUstream forked = session.stream();
  CUevent fork = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(forked, fork, 0) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, forked, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamUpdateCaptureDependencies)(
              forked, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS);
  session.keep(end(origin));
}

TEST_CASE("row 21: a query that would drop what edges say gives 402") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CUgraphNode node = info(stream).dependencies.at(0);
  const CUgraphEdgeData data = programmatic();
  REQUIRE(CU(cuStreamUpdateCaptureDependencies_v2)(
              stream, &node, &data, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS);

  CUstreamCaptureStatus state{};
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  CHECK(CU(cuStreamGetCaptureInfo_v2)(stream, &state, nullptr, nullptr, &nodes, &count) ==
        CUDA_ERROR_LOSSY_QUERY);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  REQUIRE(CU(cuStreamGetCaptureInfo_v3)(stream, &state, nullptr, nullptr, &nodes, &edges, &count) ==
          CUDA_SUCCESS);
  REQUIRE(count == 1);
  CHECK(edges[0].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);

  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(stream));
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  CUgraphEdgeData edge{};
  count = 1;
  CHECK(CU(cuGraphGetEdges)(graph, &from, &to, &count) == CUDA_ERROR_LOSSY_QUERY);
  count = 1;
  CHECK(CU(cuGraphGetEdges_v2)(graph, &from, &to, &edge, &count) == CUDA_SUCCESS);
  CHECK(edge.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
}

TEST_CASE("A stream can't be destroyed while it captures") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("A capture counts as a live object until it ends, and its graph only then") {
  Session session;
  CUstream stream = session.stream();
  oriel::emulator::Live live;
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  control().live(&live);
  CHECK(live.captures == 1);
  CHECK(live.graphs == 0);
  session.keep(end(stream));
  control().live(&live);
  CHECK(live.captures == 0);
  CHECK(live.graphs == 1);
}
