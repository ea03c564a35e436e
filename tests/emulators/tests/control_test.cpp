// What the library tells and does for tests: the log, faults on command, counts.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;
using oriel::emulator::Call;
using oriel::emulator::Live;

TEST_CASE("The log has every call in order, with its answer, thread and capture") {
  Session session;
  CUstream stream = session.stream();
  control().clear_log();
  CHECK(CU(cuStreamQuery)(stream) == CUDA_SUCCESS);
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  on_other_thread(session, [&] { CHECK(begin(stream) == CUDA_ERROR_ILLEGAL_STATE); });
  session.keep(end(stream));
  const char* const functions[] = {"cuStreamQuery",
                                   "cuStreamBeginCapture_v2",
                                   "cuCtxSetCurrent",
                                   "cuStreamBeginCapture_v2",
                                   "cuStreamEndCapture"};
  REQUIRE(control().call_count("") == std::size(functions));
  Call calls[std::size(functions)];
  for (std::size_t i = 0; i < std::size(functions); ++i) {
    REQUIRE(control().call(i, &calls[i]));
    CHECK(std::string(calls[i].function) == functions[i]);
  }
  CHECK_FALSE(control().call(std::size(functions), &calls[0]));
  CHECK_FALSE(calls[1].in_capture);
  CHECK(calls[3].in_capture);
  CHECK(calls[4].in_capture);
  CHECK(calls[3].result == CUDA_ERROR_ILLEGAL_STATE);
  CHECK(calls[3].thread != calls[4].thread);
  CHECK(calls[1].thread == calls[4].thread);
  CHECK(control().call_count("cuStreamBeginCapture_v2") == 2);
  CHECK(control().call_count("cuInit") == 0);
}

TEST_CASE("The k-th call fails on command and does nothing") {
  Session session;
  CUdeviceptr memory[3] = {};
  control().fail_call("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY, false);
  CHECK(CU(cuMemAlloc_v2)(&memory[0], 16) == CUDA_SUCCESS);
  CHECK_FALSE(control().fault_hit());
  CHECK(CU(cuMemAlloc_v2)(&memory[1], 16) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(memory[1] == 0);
  CHECK(control().fault_hit());
  CHECK(CU(cuMemAlloc_v2)(&memory[2], 16) == CUDA_SUCCESS);
  Live live;
  control().live(&live);
  CHECK(live.device_blocks == 2);
  CHECK(CU(cuMemFree_v2)(memory[0]) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(memory[2]) == CUDA_SUCCESS);
}

TEST_CASE("Any call fails on command, and every later one if asked") {
  Session session;
  int version = 0;
  control().fail_call("", 2, CUDA_ERROR_UNKNOWN, true);
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_ERROR_UNKNOWN);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_UNKNOWN);
  Call last;
  REQUIRE(control().call(control().call_count("") - 1, &last));
  CHECK(last.on_command);
  CHECK(last.result == CUDA_ERROR_UNKNOWN);
  control().clear_faults();
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

TEST_CASE("A call pretends to succeed") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  control().pretend("cuLaunchKernel");
  CHECK(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  control().clear_faults();
  CHECK(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 1);
}

TEST_CASE("A fault in a function that there is not is a violation") {
  Session session;
  control().fail_call("cuMemAlloc", 1, 2, false);
  control().pretend("cuNothing");
  CHECK(session.take_violations() == 2);
}

TEST_CASE("Live objects are counted by kind") {
  Session session;
  CUstream stream = session.stream();
  static_cast<void>(session.event());
  static_cast<void>(session.memory(4));
  static_cast<void>(session.pinned(4));
  static_cast<void>(session.kernel("emulator_add"));
  REQUIRE(begin(stream) == CUDA_SUCCESS);
  static_cast<void>(session.instantiate(session.keep(end(stream))));
  Live live;
  control().live(&live);
  CHECK(live.contexts == 1);
  CHECK(live.streams == 1);
  CHECK(live.events == 1);
  CHECK(live.modules == 1);
  CHECK(live.device_blocks == 1);
  CHECK(live.pinned_blocks == 1);
  CHECK(live.graphs == 1);
  CHECK(live.executables == 1);
  CHECK(live.captures == 0);
  CHECK(live.total() == 8);
}
