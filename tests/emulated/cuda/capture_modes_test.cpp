// Whose unsafe calls break a window, in each of the modes that CUDA has.

#include "fixture.hpp"

#include <thread>

namespace oriel::emulated {
namespace {

// What a library does that allocates past the pools.
void allocate_past_oriel() {
  const cuda::DriverLibrary& cuda = cuda_functions();
  CUdeviceptr memory = 0;
  if (cuda.mem_alloc(&memory, 256) == CUDA_SUCCESS) {
    cuda.mem_free(memory);
  }
}

// Runs `call` on another thread, where the device's context is current.
template <class Call>
void elsewhere(const Call& call) {
  const cuda::DriverLibrary& cuda = cuda_functions();
  CUcontext context = nullptr;
  cuda.ctx_get_current(&context);
  std::thread thread([&] {
    cuda.ctx_set_current(context);
    call();
  });
  thread.join();
}

struct Case {
  WindowMode mode;
  bool on_another_thread;
  bool breaks;
};

TEST_CASE("an unsafe call breaks a window as its mode says, and the next call tells") {
  const Case it = GENERATE(Case{WindowMode::kRelaxed, false, false},
                           Case{WindowMode::kRelaxed, true, false},
                           Case{WindowMode::kThreadLocal, false, true},
                           Case{WindowMode::kThreadLocal, true, false},
                           Case{WindowMode::kGlobal, false, true},
                           Case{WindowMode::kGlobal, true, true});
  INFO("mode " << static_cast<int>(it.mode) << (it.on_another_thread ? ", another thread" : ""));
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Window window(s);
  must(window.prepare({.mode = it.mode, .thread_bound = it.mode != WindowMode::kRelaxed}));
  must(window.begin());
  must(fixture.inc(s, d));
  if (it.on_another_thread) {
    elsewhere(allocate_past_oriel);
  } else {
    allocate_past_oriel();
  }
  const Result<void> next = fixture.inc(s, d, "after.the.library");
  CHECK(code_of(next) == (it.breaks ? "doomed" : "ok"));
  const auto closed = window.instantiate();
  REQUIRE(code_of(closed) == (it.breaks ? "doomed" : "ok"));
  if (it.breaks) {
    const Error& first = closed.error().error;
    CHECK(first.native.value == 901);
    CHECK(first.native.name == "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
    CHECK(first.operation == "after.the.library");
    CHECK(driver().control().call_count("cuStreamEndCapture") == 1);
    must(s.fill(d, 1));
  }
  fixture.recovery_check(s);
  fixture.breaks_rules();  // the library freed memory while a window was open
}

TEST_CASE("what Oriel itself asks for on another stream breaks no window in any mode") {
  const WindowMode mode =
      GENERATE(WindowMode::kRelaxed, WindowMode::kThreadLocal, WindowMode::kGlobal);
  const bool on_another_thread = GENERATE(false, true);
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  Window window(s);
  must(window.prepare({.mode = mode, .thread_bound = mode != WindowMode::kRelaxed}));
  must(window.begin());
  must(fixture.inc(s, d));
  std::string verdict;
  const auto allocate = [&] {
    verdict =
        code_of(other.allocate<Word>(1 << 22)) + code_of(other.allocate_pinned<Word>(1 << 22));
  };
  if (on_another_thread) {
    elsewhere(allocate);
  } else {
    allocate();
  }
  CHECK(verdict == "okok");
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.expect(s, d, 3);
}

}  // namespace
}  // namespace oriel::emulated
