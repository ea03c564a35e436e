// Streams, events and contexts outside of captures.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <chrono>

using namespace oriel::emulator::test;

TEST_CASE("Work runs in order, and late") {
  Session session;
  session.set("delay_us", "20000");
  CUfunction add = session.kernel("emulator_add");
  CUfunction fill = session.kernel("emulator_fill");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  REQUIRE(launch_add(fill, stream, words, 10) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 11);
}

TEST_CASE("A wait for an event orders two streams") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream one = session.stream();
  CUstream two = session.stream();
  CUevent event = session.event();
  CHECK(CU(cuStreamWaitEvent)(two, event, 0) ==
        CUDA_SUCCESS);  // never recorded: nothing to wait for
  CHECK(CU(cuEventQuery)(event) == CUDA_SUCCESS);
  Gate gate;
  REQUIRE(gate.put(one) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, one) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamWaitEvent)(two, event, 0) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, two, words, 1) == CUDA_SUCCESS);
  CHECK(CU(cuEventQuery)(event) == CUDA_ERROR_NOT_READY);
  CHECK(CU(cuStreamQuery)(two) == CUDA_ERROR_NOT_READY);
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(event) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(two) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("A stream may be destroyed with work in it, which is still done") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = nullptr;
  CUevent event = session.event();
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 1);
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(event) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("The time between two events is told in milliseconds") {
  Session session;
  CUstream stream = session.stream();
  CUevent start = session.event();
  CUevent stop = session.event();
  CUevent untimed = session.event(CU_EVENT_DISABLE_TIMING);
  float milliseconds = -1;
  CHECK(CU(cuEventElapsedTime)(&milliseconds, start, stop) == CUDA_ERROR_INVALID_HANDLE);
  Gate gate;
  REQUIRE(CU(cuEventRecord)(start, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(untimed, stream) == CUDA_SUCCESS);
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventRecord)(stop, stream) == CUDA_SUCCESS);
  CHECK(CU(cuEventElapsedTime_v2)(&milliseconds, start, stop) == CUDA_ERROR_NOT_READY);
  REQUIRE(CU(cuEventSynchronize)(start) == CUDA_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  gate.open();
  REQUIRE(CU(cuEventSynchronize)(stop) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventElapsedTime_v2)(&milliseconds, start, stop) == CUDA_SUCCESS);
  CHECK(milliseconds >= 2);
  CHECK(CU(cuEventElapsedTime_v2)(&milliseconds, untimed, stop) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("A stream tells what it was made with") {
  Session session;
  CUstream stream = nullptr;
  int least = 1;
  int greatest = 1;
  int priority = 1;
  unsigned flags = 9;
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxGetStreamPriorityRange)(&least, &greatest) == CUDA_SUCCESS);
  CHECK(greatest < least);
  REQUIRE(CU(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, greatest - 10) ==
          CUDA_SUCCESS);
  CHECK(CU(cuStreamGetPriority)(stream, &priority) == CUDA_SUCCESS);
  CHECK(priority == greatest);
  CHECK(CU(cuStreamGetFlags)(stream, &flags) == CUDA_SUCCESS);
  CHECK(flags == CU_STREAM_NON_BLOCKING);
  CHECK(CU(cuStreamGetCtx)(stream, &context) == CUDA_SUCCESS);
  CHECK(context == session.context());
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamCreate)(&stream, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamCreate)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("A handle of another kind, or of nothing, is refused and noted") {
  Session session;
  CUevent event = session.event();
  CHECK(CU(cuStreamQuery)(reinterpret_cast<CUstream>(event)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventQuery)(reinterpret_cast<CUevent>(&event)) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 2);
  CHECK(CU(cuEventQuery)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("Contexts are a stack of each thread") {
  Session session;
  CUcontext made = nullptr;
  CUcontext current = nullptr;
  CUdevice device = -1;
  REQUIRE(CU(cuCtxCreate_v2)(&made, 0, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxGetCurrent)(&current) == CUDA_SUCCESS);
  CHECK(current == made);
  REQUIRE(CU(cuCtxGetDevice)(&device) == CUDA_SUCCESS);
  CHECK(device == 1);
  REQUIRE(CU(cuCtxPopCurrent_v2)(&current) == CUDA_SUCCESS);
  CHECK(current == made);
  REQUIRE(CU(cuCtxDestroy_v2)(made) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSetCurrent)(made) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 1);
  std::thread([] {
    int unused = 0;
    CHECK(CU(cuCtxGetDevice)(&unused) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST_CASE("A released primary context is of no use to those who had it current") {
  Session session;
  CUcontext other = nullptr;
  unsigned flags = 0;
  int active = 0;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&other, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxGetState)(1, &flags, &active) == CUDA_SUCCESS);
  CHECK(active == 1);
  REQUIRE(CU(cuCtxPushCurrent_v2)(other) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxRelease_v2)(1) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  REQUIRE(CU(cuCtxPopCurrent_v2)(nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxGetState)(1, &flags, &active) == CUDA_SUCCESS);
  CHECK(active == 0);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(1) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(session.take_violations() == 1);
}
