// Rows 4 to 6: calls that wait, or ask, for work that was only captured.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

constexpr CUstreamCaptureMode kModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                          CU_STREAM_CAPTURE_MODE_RELAXED};

}  // namespace

TEST_CASE("row 4: querying a capturing stream invalidates the sequence, in every mode") {
  Session session;
  CUstream stream = session.stream();
  for (const CUstreamCaptureMode mode : kModes) {
    REQUIRE(begin(stream, mode) == CUDA_SUCCESS);
    CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    end_broken(stream);
  }
}

TEST_CASE("row 4: synchronizing a capturing stream invalidates the sequence") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("row 5: synchronizing the context invalidates every capture on its device") {
  Session session;
  CUstream stream = session.stream();
  CUstream other = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  REQUIRE(begin(other, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  on_other_thread(session,
                  [] { CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); });
  end_broken(stream);
  end_broken(other);
}

TEST_CASE("row 5: synchronizing another device breaks nothing") {
  Session session;
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  on_other_thread(session, [] {
    CUcontext other = nullptr;
    CHECK(CU(cuDevicePrimaryCtxRetain)(&other, 1) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSetCurrent)(other) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    CHECK(CU(cuDevicePrimaryCtxRelease_v2)(1) == CUDA_SUCCESS);
  });
  session.keep(end(stream));
}

TEST_CASE("row 6: recording or waiting for a context with a capturing stream invalidates it") {
  Session session;
  CUstream stream = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuCtxRecordEvent)(session.context(), event) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuCtxWaitEvent)(session.context(), event) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("recording and waiting for a context order all of its streams") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream before = session.stream();
  CUstream after = session.stream();
  CUevent event = session.event();
  std::uint32_t* seen = session.pinned(4);
  Gate gate;
  REQUIRE(gate.put(before) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, before, words, 5) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxRecordEvent)(nullptr, event) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxWaitEvent)(nullptr, event) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(seen, words, 16, after) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(after) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(after) == CUDA_SUCCESS);
  CHECK(seen[3] == 5);
}
