// Section 1.9: launches, their order, and what becomes of executables in flight.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <atomic>

using namespace oriel::emulator::test;

namespace {

/// A graph that adds 1 to the words, behind a gate if there is one.
CUgraph capture_add(Session& session, CUstream stream, CUdeviceptr words, Gate* gate = nullptr) {
  CUfunction add = session.kernel("emulator_add");
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  if (gate != nullptr) {
    REQUIRE(gate->put(stream) == CUDA_SUCCESS);
  }
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  return end(stream);
}

struct Overlap {
  std::atomic<int> running{0};
  std::atomic<bool> seen{false};
};

void enter(void* overlap) {
  auto& self = *static_cast<Overlap*>(overlap);
  if (++self.running > 1) {
    self.seen = true;
  }
}

void leave(void* overlap) {
  --static_cast<Overlap*>(overlap)->running;
}

}  // namespace

TEST_CASE("Launches of one executable never overlap, on whatever stream") {
  Session session;
  CUstream streams[] = {session.stream(), session.stream(), session.stream()};
  Overlap overlap;
  REQUIRE(begin(streams[0]) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(streams[0], enter, &overlap) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(streams[0], leave, &overlap) == CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(session.keep(end(streams[0])));
  for (int round = 0; round < 50; ++round) {
    for (CUstream stream : streams) {
      REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
    }
  }
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK_FALSE(overlap.seen);
}

TEST_CASE("A launch waits for the last one, though its own stream is idle") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream one = session.stream();
  CUstream two = session.stream();
  Gate gate;
  CUgraphExec executable =
      session.instantiate(session.keep(capture_add(session, one, words, &gate)));
  REQUIRE(CU(cuGraphLaunch)(executable, one) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, two) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(two) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(two) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 2);
}

TEST_CASE("An executable may be destroyed in flight, and its graph before it was launched") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  Gate gate;
  CUgraph graph = capture_add(session, stream, words, &gate);
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphExecDestroy)(executable) == CUDA_SUCCESS);
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("A destroyed executable is answered with an invalid handle") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = session.keep(capture_add(session, stream, words));
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphExecDestroy)(executable) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(executable, stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphExecDestroy)(executable) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphLaunch)(nullptr, stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 2);
}

TEST_CASE("A replay that reaches freed memory is not run and breaks the context") {
  Session session;
  CUdeviceptr words = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&words, 16) == CUDA_SUCCESS);
  CUstream stream = session.stream();
  CUgraphExec executable = session.instantiate(session.keep(capture_add(session, stream, words)));
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);  // sticky
  CHECK(std::string(control().violation(0)).find("was freed") != std::string::npos);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");  // forgets the error
}

TEST_CASE("A replay after its module was unloaded is not run") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  REQUIRE(CU(cuModuleLoadData)(&module, kernel_image().c_str()) == CUDA_SUCCESS);
  REQUIRE(CU(cuModuleGetFunction)(&add, module, "emulator_add") == CUDA_SUCCESS);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(session.keep(end(stream)));
  REQUIRE(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
}

TEST_CASE("Without the sticky option an error of work is told once") {
  Session session;
  session.set("sticky", "0");
  CUdeviceptr words = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&words, 16) == CUDA_SUCCESS);
  CUstream stream = session.stream();
  CUgraphExec executable = session.instantiate(session.keep(capture_add(session, stream, words)));
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(session.take_violations() == 1);
}

TEST_CASE("An upload is ordered like a launch") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUgraph graph = session.keep(capture_add(session, stream, words));
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
  parameters.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  parameters.hUploadStream = stream;
  parameters.result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithParams)(&executable, graph, &parameters) == CUDA_SUCCESS);
  session.keep(executable);
  CHECK(parameters.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  CHECK(CU(cuGraphUpload)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("Flags that there are not, and upload without its stream, are refused") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUgraph graph = session.keep(capture_add(session, session.stream(), words));
  CUgraphExec executable = nullptr;
  CHECK(CU(cuGraphInstantiateWithFlags)(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphInstantiateWithFlags)(&executable, graph, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphInstantiateWithFlags)(nullptr, graph, 0) == CUDA_ERROR_INVALID_VALUE);
  CUgraphExec ordered = session.instantiate(graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  cuuint64_t flags = 0;
  CHECK(CU(cuGraphExecGetFlags)(ordered, &flags) == CUDA_SUCCESS);
  CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
}

TEST_CASE("Of nodes that don't depend on each other the younger one runs first") {
  Session session;
  CUstream origin = session.stream();
  CUstream forked = session.stream();
  CUevent fork = session.event();
  CUevent join = session.event();
  std::vector<int> order;
  struct Step {
    std::vector<int>* order;
    int number;
  };
  Step first{&order, 1};
  Step second{&order, 2};
  Step last{&order, 3};
  const auto note = [](void* step) {
    static_cast<Step*>(step)->order->push_back(static_cast<Step*>(step)->number);
  };
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(forked, fork, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(origin, note, &first) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(forked, note, &second) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(join, forked) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(origin, join, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchHostFunc)(origin, note, &last) == CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(session.keep(end(origin)));
  REQUIRE(CU(cuGraphLaunch)(executable, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(origin) == CUDA_SUCCESS);
  CHECK(order == std::vector{2, 1, 3});
}

TEST_CASE("After an error of work, what is given back is given back and the error told") {
  Session session;
  CUdeviceptr words = 0;
  CUdeviceptr other = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuMemAlloc_v2)(&words, 16) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&other, 16) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventCreate)(&event, 0) == CUDA_SUCCESS);
  CUgraph graph = capture_add(session, stream, words);
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuGraphExecDestroy)(executable) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuEventDestroy_v2)(event) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(CU(cuMemFree_v2)(other) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
  oriel::emulator::Live live;
  control().live(&live);
  CHECK(live.streams + live.events + live.graphs + live.executables + live.device_blocks == 0);
}
