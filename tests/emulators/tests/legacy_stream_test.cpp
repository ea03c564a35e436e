// Rows 8 and 9: the legacy stream beside captures, and its order outside of them.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

TEST_CASE("row 8: any use of the legacy stream invalidates the capture of a blocking stream") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream(CU_STREAM_DEFAULT);
  CUevent event = session.event();
  std::uint32_t value = 0;
  const std::function<CUresult()> uses[] = {
      [&] { return CU(cuStreamQuery)(nullptr); },
      [&] { return CU(cuStreamSynchronize)(CU_STREAM_LEGACY); },
      [&] { return CU(cuMemsetD32Async)(words, 1, 4, nullptr); },
      [&] { return CU(cuMemsetD32_v2)(words, 1, 4); },
      [&] { return CU(cuMemcpyHtoD_v2)(words, &value, 4); },
      [&] { return CU(cuMemcpyDtoH_v2)(&value, words, 4); },
      [&] { return CU(cuEventRecord)(event, nullptr); },
  };
  for (const auto& use : uses) {
    REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
    CHECK(use() == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    end_broken(stream);
  }
}

TEST_CASE("row 8: a stream that doesn't block is left alone by the legacy stream") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async)(words, 1, 4, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(nullptr) == CUDA_SUCCESS);
  session.keep(end(stream));
}

TEST_CASE("row 9: asking about capture on the legacy stream gives 906 and invalidates nothing") {
  Session session;
  CUstream stream = session.stream(CU_STREAM_DEFAULT);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CUstreamCaptureStatus state{};
  CHECK(CU(cuStreamIsCapturing)(nullptr, &state) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(
      CU(cuStreamGetCaptureInfo_v2)(CU_STREAM_LEGACY, &state, nullptr, nullptr, nullptr, nullptr) ==
      CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  session.keep(end(stream));
  CHECK(status(nullptr) == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE("The legacy stream waits for blocking streams and they for it") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUdeviceptr others = session.memory(4);
  CUstream blocking = session.stream(CU_STREAM_DEFAULT);
  CUstream free = session.stream();
  Gate gate;
  REQUIRE(gate.put(blocking) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, blocking, words, 1) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, nullptr, words, 1) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, CU_STREAM_PER_THREAD, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32Async)(others, 7, 4, free) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(nullptr) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuStreamQuery)(CU_STREAM_PER_THREAD) == CUDA_ERROR_NOT_READY);
  REQUIRE(CU(cuStreamSynchronize)(free) == CUDA_SUCCESS);
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(CU_STREAM_PER_THREAD) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 3);
}

TEST_CASE("The twins take the null stream as the thread's own") {
  Session session;
  CUstream blocking = session.stream(CU_STREAM_DEFAULT);
  REQUIRE(begin(blocking) == CUDA_SUCCESS);
  CHECK(CU(cuStreamBeginCapture_v2_ptsz)(nullptr, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
        CUDA_SUCCESS);
  CUstreamCaptureStatus state{};
  CHECK(CU(cuStreamIsCapturing_ptsz)(nullptr, &state) == CUDA_SUCCESS);
  CHECK(state == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture_ptsz)(nullptr, &graph) == CUDA_SUCCESS);
  session.keep(graph);
  session.keep(end(blocking));
}
