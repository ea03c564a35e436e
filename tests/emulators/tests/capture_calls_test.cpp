// Section 1.5, and rows 22 to 25: what each call does on a capturing stream.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <numeric>

using namespace oriel::emulator::test;

namespace {

void count(void* counter) {
  ++*static_cast<int*>(counter);
}

void call_driver(void* result) {
  *static_cast<CUresult*>(result) = CU(cuStreamQuery)(nullptr);
}

void CUDA_CB call_back(CUstream, CUresult state, void* seen) {
  *static_cast<CUresult*>(seen) = state;
}

/// Captures what `record` does, and replays it as often as `times` says.
void capture_and_replay(Session& session,
                        CUstream stream,
                        int times,
                        const std::function<void()>& record) {
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  record();
  CUgraphExec executable = session.instantiate(session.keep(end(stream)));
  for (int i = 0; i < times; ++i) {
    REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  }
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}

}  // namespace

TEST_CASE("A launch becomes a kernel node whose argument values were copied at the call") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  capture_and_replay(session, stream, 2, [&] {
    CUdeviceptr address = words;
    std::uint32_t value = 5;
    REQUIRE(launch(add, stream, 4, {&address, &value}) == CUDA_SUCCESS);
    address = 0;
    value = 1000;
  });
  CHECK(read(words) == std::vector<std::uint32_t>(4, 10));
}

TEST_CASE("A launch with a configuration is captured like any other") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  capture_and_replay(session, stream, 1, [&] {
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 4;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    std::uint32_t value = 5;
    void* arguments[] = {&words, &value};
    REQUIRE(CU(cuLaunchKernelEx)(&config, add, arguments, nullptr) == CUDA_SUCCESS);
  });
  CHECK(read(words)[3] == 5);
}

TEST_CASE("A captured copy reads and writes host memory at each replay, pageable or not") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::vector<std::uint32_t> source(4, 1);
  std::vector<std::uint32_t> target(4, 0);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyHtoDAsync_v2)(words, source.data(), 16, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(target.data(), words, 16, stream) == CUDA_SUCCESS);
  CUgraphExec executable = session.instantiate(session.keep(end(stream)));
  for (std::uint32_t round = 2; round < 5; ++round) {
    source.assign(4, round);
    REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
    CHECK(target == source);
  }
}

TEST_CASE("Fills of all sizes become nodes") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  capture_and_replay(session, stream, 1, [&] {
    REQUIRE(CU(cuMemsetD32Async)(words, 0x01020304, 4, stream) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemsetD16Async)(words + 4, 0x0506, 2, stream) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemsetD8Async)(words + 8, 7, 4, stream) == CUDA_SUCCESS);
  });
  CHECK(read(words) == std::vector<std::uint32_t>{0x01020304, 0x05060506, 0x07070707, 0x01020304});
}

TEST_CASE("A host function becomes a node that runs at each replay") {
  Session session;
  CUstream stream = session.stream();
  int calls = 0;
  capture_and_replay(session, stream, 3, [&] {
    REQUIRE(CU(cuLaunchHostFunc)(stream, count, &calls) == CUDA_SUCCESS);
  });
  CHECK(calls == 3);
}

TEST_CASE("Allocation and free in the order of the stream become memory nodes") {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr memory = 0;
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocAsync)(&memory, 64, stream) == CUDA_SUCCESS);
  CHECK(memory != 0);
  REQUIRE(CU(cuMemsetD8Async)(memory, 1, 64, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemFreeAsync)(memory, stream) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(stream));
  CHECK(node_types(graph) == std::vector{CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                         CU_GRAPH_NODE_TYPE_MEMSET,
                                         CU_GRAPH_NODE_TYPE_MEM_FREE});
}

TEST_CASE("Recording an event makes no node") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  CHECK(node_count(session.keep(end(stream))) == 0);
}

TEST_CASE("The launch of a graph becomes a child graph") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CUgraphExec inner = session.instantiate(session.keep(end(stream)));
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(inner, stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 10) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(stream));
  CHECK(node_types(graph) == std::vector{CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_KERNEL});
  CUgraphExec outer = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(outer, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 11);
}

TEST_CASE("Memory that a relaxed thread allocates within a capture is there at once") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  CHECK(CU(cuMemAlloc_v2)(&memory, 16) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD8Async)(memory, 1, 16, stream) == CUDA_SUCCESS);
  CHECK(node_count(session.keep(end(stream))) == 1);
  CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
}

TEST_CASE("row 22: a callback can't be captured") {
  Session session;
  CUstream stream = session.stream();
  CUresult seen = CUDA_ERROR_UNKNOWN;
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamAddCallback)(stream, call_back, &seen, 0) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
  CHECK(CU(cuStreamAddCallback)(stream, call_back, &seen, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(seen == CUDA_SUCCESS);
}

TEST_CASE("row 23: memory can't be attached on a capturing stream") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamAttachMemAsync)(stream, words, 0, CU_MEM_ATTACH_GLOBAL) ==
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("row 24: a capture frees only what a graph allocated") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeAsync)(words, stream) == CUDA_ERROR_INVALID_VALUE);
  end_broken(stream);
}

TEST_CASE("row 25: a host function may not call the driver") {
  Session session;
  CUstream stream = session.stream();
  CUresult result = CUDA_SUCCESS;
  REQUIRE(CU(cuLaunchHostFunc)(stream, call_driver, &result) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(result == CUDA_ERROR_NOT_PERMITTED);
  CHECK(session.take_violations() == 1);
}

TEST_CASE("The first launch of a function within a capture needs a driver that can load there") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUfunction fill = session.kernel("emulator_fill");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUfunctionLoadingState state{};
  session.set("driver_version", "12020");
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(launch_add(add, stream, words, 1) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  end_broken(stream);
  REQUIRE(CU(cuFuncIsLoaded)(&state, add) == CUDA_SUCCESS);
  CHECK(state == CU_FUNCTION_LOADING_STATE_UNLOADED);
  REQUIRE(CU(cuFuncLoad)(add) == CUDA_SUCCESS);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  session.keep(end(stream));

  session.set("driver_version", "12030");
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(launch_add(fill, stream, words, 1) == CUDA_SUCCESS);
  session.keep(end(stream));
  REQUIRE(CU(cuFuncIsLoaded)(&state, fill) == CUDA_SUCCESS);
  CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
}
