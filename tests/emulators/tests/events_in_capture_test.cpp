// Rows 7, 11, 12, 15, 16 and 26: events and captures; forks and joins.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

TEST_CASE("row 7: asking for a captured event invalidates its capture") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  CUevent before = session.event();
  float milliseconds = 0;
  REQUIRE(CU(cuEventRecord)(before, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;  // it doesn't depend on the mode
  REQUIRE(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_SUCCESS);
  const std::function<CUresult()> calls[] = {
      [&] { return CU(cuEventQuery)(event); },
      [&] { return CU(cuEventSynchronize)(event); },
      [&] { return CU(cuEventElapsedTime_v2)(&milliseconds, before, event); },
  };
  for (const auto& call : calls) {
    REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
    REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
    CHECK(call() == CUDA_ERROR_CAPTURED_EVENT);
    end_broken(stream);
  }
  CHECK(CU(cuEventQuery)(event) == CUDA_SUCCESS);  // no longer captured, nor ever recorded
  REQUIRE(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_SUCCESS);
}

TEST_CASE("row 11: the first error tells the cause, everything after it gives 901") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream origin = session.stream();
  CUstream joined = session.stream();
  CUstream outside = session.stream();
  CUevent fork = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(joined, fork, 0) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(joined) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);

  for (CUstream stream : {origin, joined}) {
    CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CHECK(launch_add(add, stream, words, 1) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(CU(cuMemsetD32Async)(words, 1, 4, stream) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(CU(cuEventRecord)(fork, stream) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(begin(stream) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  CHECK(CU(cuEventQuery)(fork) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(CU(cuStreamWaitEvent)(outside, fork, 0) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(status(outside) == CU_STREAM_CAPTURE_STATUS_NONE);
  end_broken(origin);
  CHECK(status(joined) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE("row 12: a wait that would merge two captures invalidates both") {
  Session session;
  CUstream one = session.stream();
  CUstream two = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(one) == CUDA_SUCCESS);
  REQUIRE(begin(two) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, one) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWaitEvent)(two, event, 0) == CUDA_ERROR_STREAM_CAPTURE_MERGE);
  end_broken(one);
  end_broken(two);
}

TEST_CASE("row 15: a captured wait for an event from outside invalidates the capture") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWaitEvent)(stream, event, 0) == CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  end_broken(stream);
}

TEST_CASE("row 15: an event of a capture that is over is from outside") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  session.keep(end(stream));
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWaitEvent)(stream, event, 0) == CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  end_broken(stream);
}

TEST_CASE("row 16: a stream that waits for a captured event joins the capture") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream origin = session.stream();
  CUstream forked = session.stream();
  CUevent fork = session.event();
  CUevent join = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, origin, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(forked, fork, 0) == CUDA_SUCCESS);
  CHECK(status(forked) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  REQUIRE(launch_add(add, forked, words, 10) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(join, forked) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(origin, join, 0) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(origin));
  CHECK(status(forked) == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(node_count(graph) == 2);
  CHECK(read(words)[0] == 0);  // nothing has run
  CUgraphExec executable = session.instantiate(graph);
  REQUIRE(CU(cuGraphLaunch)(executable, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(origin) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 11);
}

TEST_CASE("row 16: the legacy stream can't join") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWaitEvent)(nullptr, event, 0) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  end_broken(stream);
}

TEST_CASE("A fork without work of its own needs no join") {
  Session session;
  CUstream origin = session.stream();
  CUstream forked = session.stream();
  CUevent fork = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(forked, fork, 0) == CUDA_SUCCESS);
  session.keep(end(origin));
}

TEST_CASE("A fork that goes on after its join is unjoined") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream origin = session.stream();
  CUstream forked = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(forked, event, 0) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, forked, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, forked) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(origin, event, 0) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, forked, words, 1) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CHECK(CU(cuStreamEndCapture)(origin, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST_CASE("row 26: external events are for captures only") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  CHECK(CU(cuEventRecordWithFlags)(event, stream, CU_EVENT_RECORD_EXTERNAL) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamWaitEvent)(stream, event, CU_EVENT_WAIT_EXTERNAL) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("External events become nodes that order replays with work outside") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  CUstream other = session.stream();
  CUevent start = session.event();
  CUevent done = session.event();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(stream, start, CU_EVENT_WAIT_EXTERNAL) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecordWithFlags)(done, stream, CU_EVENT_RECORD_EXTERNAL) == CUDA_SUCCESS);
  CUgraph graph = session.keep(end(stream));
  CHECK(node_types(graph) == std::vector{CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                         CU_GRAPH_NODE_TYPE_KERNEL,
                                         CU_GRAPH_NODE_TYPE_EVENT_RECORD});
  CUgraphExec executable = session.instantiate(graph);
  Gate gate;
  REQUIRE(gate.put(other) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(start, other) == CUDA_SUCCESS);
  REQUIRE(CU(cuGraphLaunch)(executable, stream) == CUDA_SUCCESS);
  CHECK(CU(cuEventQuery)(done) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(done) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}
