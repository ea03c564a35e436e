// Several threads at once: each captures, replays and waits for itself.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

constexpr int kThreads = 4;
constexpr std::uint32_t kRounds = 25;

/// Counts calls that didn't succeed: Catch's checks are for one thread at a time.
class Calls {
 public:
  void expect(CUresult result) { failures_ += result == CUDA_SUCCESS ? 0 : 1; }
  [[nodiscard]] int failures() const noexcept { return failures_; }

 private:
  int failures_ = 0;
};

struct Worker {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr words = 0;
  std::uint32_t* seen = nullptr;
  Calls calls;

  void round(CUfunction add) {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    std::uint32_t value = 1;
    void* arguments[] = {&words, &value};
    calls.expect(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    calls.expect(CU(cuLaunchKernel)(add, 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
    calls.expect(CU(cuMemcpyDtoHAsync_v2)(seen, words, 16, stream));
    calls.expect(CU(cuStreamEndCapture)(stream, &graph));
    calls.expect(CU(cuGraphInstantiateWithFlags)(&executable, graph, 0));
    calls.expect(CU(cuGraphLaunch)(executable, stream));
    calls.expect(CU(cuGraphLaunch)(executable, stream));
    calls.expect(CU(cuGraphExecDestroy)(executable));
    calls.expect(CU(cuGraphDestroy)(graph));
    calls.expect(CU(cuEventRecord)(event, stream));
    calls.expect(CU(cuEventSynchronize)(event));
  }
};

}  // namespace

TEST_CASE("Threads capture and replay at the same time") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  REQUIRE(CU(cuFuncLoad)(add) == CUDA_SUCCESS);
  std::vector<Worker> workers(kThreads);
  for (Worker& worker : workers) {
    worker.stream = session.stream();
    worker.event = session.event();
    worker.words = session.memory(4);
    worker.seen = session.pinned(4);
  }
  std::vector<std::thread> threads;
  for (Worker& worker : workers) {
    threads.emplace_back([&worker, add, context = session.context()] {
      worker.calls.expect(CU(cuCtxSetCurrent)(context));
      for (std::uint32_t i = 0; i < kRounds; ++i) {
        worker.round(add);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Worker& worker : workers) {
    CHECK(worker.calls.failures() == 0);
    CHECK(worker.seen[3] == 2 * kRounds);
  }
}
