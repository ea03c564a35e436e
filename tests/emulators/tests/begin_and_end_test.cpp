// Rows 1 to 3, 13, 14 and 17 to 19: where a capture may begin and end.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace oriel::emulator::test;

TEST_CASE("row 1: a capture can't begin on the null or the legacy stream") {
  Session session;
  CHECK(begin(nullptr) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(begin(CU_STREAM_LEGACY) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_CASE("a capture can begin on a thread's own stream") {
  Session session;
  REQUIRE(begin(CU_STREAM_PER_THREAD) == CUDA_SUCCESS);
  CHECK(status(CU_STREAM_PER_THREAD) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(CU_STREAM_PER_THREAD));
}

TEST_CASE("row 2: a second begin on a capturing stream is refused and breaks nothing") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(begin(stream) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(stream));
}

TEST_CASE("row 3: a mode that there is not, and null out parameters, are invalid values") {
  Session session;
  CUstream stream = session.stream();
  CHECK(begin(stream, static_cast<CUstreamCaptureMode>(3)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamIsCapturing)(stream, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamGetCaptureInfo_v2)(stream, nullptr, nullptr, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuThreadExchangeStreamCaptureMode)(nullptr) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamEndCapture)(stream, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(stream));
}

TEST_CASE("row 13: a capture doesn't end on a stream that joined it") {
  Session session;
  CUstream origin = session.stream();
  CUstream joined = session.stream();
  CUevent fork = session.event();
  REQUIRE(begin(origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(fork, origin) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(joined, fork, 0) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CHECK(CU(cuStreamEndCapture)(joined, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  CHECK(graph == nullptr);
  CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(origin));
}

TEST_CASE("row 14: a fork that isn't joined ends the capture without a graph") {
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
  auto graph = reinterpret_cast<CUgraph>(std::uintptr_t{1});
  CHECK(CU(cuStreamEndCapture)(origin, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  CHECK(graph == nullptr);
  CHECK(status(origin) == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(status(forked) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE("row 17: only the thread that began a capture ends it, unless it is relaxed") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  on_other_thread(session, [&] {
    CUgraph graph = nullptr;
    CHECK(CU(cuStreamEndCapture)(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    CHECK(graph == nullptr);
  });
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(stream));

  REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  on_other_thread(session, [&] { session.keep(end(stream)); });
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE("row 18: a stream that isn't capturing has no capture to end") {
  Session session;
  CUstream stream = session.stream();
  CUgraph graph = nullptr;
  CHECK(CU(cuStreamEndCapture)(stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(graph == nullptr);
}

TEST_CASE("row 19: the end of an invalidated capture gives 901 and no graph") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
  REQUIRE(begin(stream) == CUDA_SUCCESS);  // the stream is good for another one
  session.keep(end(stream));
}
