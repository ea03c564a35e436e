// Row 10 and section 1.3: which threads may make potentially unsafe calls while something captures.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

constexpr CUstreamCaptureMode kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr CUstreamCaptureMode kLocal = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr CUstreamCaptureMode kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

CUstreamCaptureMode exchange(CUstreamCaptureMode mode) {
  REQUIRE(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_SUCCESS);
  return mode;
}

/// An unsafe call that leaves nothing behind.
CUresult allocate() {
  CUdeviceptr memory = 0;
  const CUresult result = CU(cuMemAlloc_v2)(&memory, 16);
  if (result == CUDA_SUCCESS) {
    CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
  }
  return result;
}

/// Whether a thread in `thread_mode` may make an unsafe call while `owner`'s capture is under way.
void expect(Session& session,
            CUstreamCaptureMode capture_mode,
            CUstreamCaptureMode thread_mode,
            bool own_thread,
            bool allowed) {
  CAPTURE(capture_mode, thread_mode, own_thread);
  CUstream stream = session.stream();
  REQUIRE(begin(stream, capture_mode) == CUDA_SUCCESS);
  const auto call = [&] {
    const CUstreamCaptureMode before = exchange(thread_mode);
    CHECK(before == kGlobal);
    CHECK(allocate() == (allowed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
    CHECK(exchange(before) == thread_mode);
  };
  if (own_thread) {
    call();
  } else {
    on_other_thread(session, call);
  }
  if (allowed) {
    session.keep(end(stream));
  } else {
    end_broken(stream);
  }
}

}  // namespace

TEST_CASE("row 10: unsafe calls of the capturing thread invalidate its capture") {
  Session session;
  CUdeviceptr words = 0;
  void* pinned = nullptr;
  alignas(64) static std::uint32_t host[16];
  CUmodule module = nullptr;
  CUstream made = nullptr;
  REQUIRE(CU(cuMemAlloc_v2)(&words, 16) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemHostAlloc)(&pinned, 16, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuModuleLoadData)(&module, kernel_image().c_str()) == CUDA_SUCCESS);
  CUstream stream = session.stream();
  const std::string image = kernel_image();
  const std::function<CUresult()> calls[] = {
      [&] { return allocate(); },
      [&] { return CU(cuMemFree_v2)(words); },
      [&] {
        void* memory = nullptr;
        return CU(cuMemAllocHost_v2)(&memory, 16);
      },
      [&] {
        void* memory = nullptr;
        return CU(cuMemHostAlloc)(&memory, 16, 0);
      },
      [&] { return CU(cuMemFreeHost)(pinned); },
      [&] { return CU(cuMemHostRegister_v2)(host, sizeof host, 0); },
      [&] { return CU(cuModuleUnload)(module); },
      [&] {
        CUmodule other = nullptr;
        return CU(cuModuleLoadData)(&other, image.c_str());
      },
      [&] { return CU(cuStreamCreate)(&made, CU_STREAM_NON_BLOCKING); },
      [&] { return CU(cuStreamCreateWithPriority)(&made, CU_STREAM_NON_BLOCKING, 0); },
  };
  for (const auto& call : calls) {
    REQUIRE(begin(stream, kLocal) == CUDA_SUCCESS);
    CHECK(call() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_broken(stream);
  }
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeHost)(pinned) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
}

TEST_CASE("row 10: a refused call does nothing") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
  CHECK(read(words)[0] == 0);
}

TEST_CASE("Which thread is restricted follows from its mode and the capture's") {
  Session session;
  for (const CUstreamCaptureMode capture : {kGlobal, kLocal}) {
    expect(session, capture, kGlobal, true, false);
    expect(session, capture, kLocal, true, false);
    expect(session, capture, kRelaxed, true, true);
  }
  for (const CUstreamCaptureMode thread : {kGlobal, kLocal, kRelaxed}) {
    expect(session, kRelaxed, thread, true, true);
    expect(session, kRelaxed, thread, false, true);
    expect(session, kLocal, thread, false, true);
  }
  expect(session, kGlobal, kGlobal, false, false);
  expect(session, kGlobal, kLocal, false, true);
  expect(session, kGlobal, kRelaxed, false, true);
}

TEST_CASE("Asking for work that isn't captured is unsafe too") {
  Session session;
  CUstream stream = session.stream();
  CUstream other = session.stream();
  CUevent event = session.event();
  REQUIRE(begin(stream, kGlobal) == CUDA_SUCCESS);
  on_other_thread(session,
                  [&] { CHECK(CU(cuEventQuery)(event) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); });
  end_broken(stream);
  REQUIRE(begin(stream, kLocal) == CUDA_SUCCESS);
  on_other_thread(session, [&] {
    CHECK(CU(cuEventQuery)(event) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize)(other) == CUDA_SUCCESS);
  });
  CHECK(CU(cuStreamQuery)(other) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("A synchronous copy of a restricted thread is unsafe beside any stream") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::uint32_t value = 0;
  REQUIRE(begin(stream, kLocal) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyDtoH_v2)(&value, words, 4) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_broken(stream);
}

TEST_CASE("A mode that there is not is refused and changes nothing") {
  Session session;
  auto mode = static_cast<CUstreamCaptureMode>(3);
  CHECK(CU(cuThreadExchangeStreamCaptureMode)(&mode) == CUDA_ERROR_INVALID_VALUE);
  CHECK(exchange(kGlobal) == kGlobal);
}
