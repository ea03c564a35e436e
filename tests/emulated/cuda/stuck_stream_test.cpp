#include "fixture.hpp"

namespace oriel::emulated {
namespace {

TEST_CASE("a stream that its failed close leaves in capture mode is replaced, with its forks") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  Stream& fork = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(fork, 1);
  fixture.sync(s);
  // Earlier work of the fork, which the replacement must stay behind.
  for (int i = 0; i < 20; ++i) {
    must(fixture.slow_inc(fork, e));
  }
  void* const before = must(s.native_handle());
  void* const fork_before = must(fork.native_handle());
  Window window(s);
  fixture.open(window);
  const Event forked = must(fixture.runtime().create_event());
  must(s.record(forked));
  must(fork.wait(forked));
  must(fixture.inc(fork, d));
  const Event joined = must(fixture.runtime().create_event());
  must(fork.record(joined));
  must(s.wait(joined));
  driver().control().clear_log();
  driver().control().fail_call("cuStreamEndCapture", 1, 999, true);
  const auto refused = window.instantiate();
  driver().control().clear_faults();
  REQUIRE(code_of(refused) == "driver_error");
  CHECK(refused.error().error.native.value == 999);
  CHECK(refused.error().error.native.name == "CUDA_ERROR_UNKNOWN");
  CHECK(driver().control().call_count("cuStreamEndCapture") == 2);
  CHECK(must(s.native_handle()) != before);
  CHECK(must(fork.native_handle()) != fork_before);
  must(fixture.inc(fork, e));
  fixture.expect(fork, e, 22);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
  fixture.recovery_check(fork);
  fixture.breaks_rules();  // a stream was destroyed while it was captured
  let_go(static_cast<CUstream>(before));
  CHECK(cuda_functions().stream_destroy(static_cast<CUstream>(fork_before)) == CUDA_SUCCESS);
}

TEST_CASE("an end that was not made is made again, and the streams stay") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  void* const before = must(s.native_handle());
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  driver().control().fail_call("cuStreamEndCapture", 1, 999, false);
  const auto refused = window.instantiate();
  driver().control().clear_faults();
  CHECK(code_of(refused) == "driver_error");
  CHECK(must(s.native_handle()) == before);
  CHECK(driver().live().captures == 0);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a fork that is never joined is refused by the core with CUDA none the worse") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  Stream& fork = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  void* const before = must(s.native_handle());
  Window window(s);
  fixture.open(window);
  const Event forked = must(fixture.runtime().create_event());
  must(s.record(forked));
  must(fork.wait(forked));
  must(fixture.inc(fork, d));
  const auto refused = window.instantiate();
  REQUIRE(code_of(refused) == "unjoined");
  CHECK(conformance::names_stream(refused.error().error, fork));
  // CUDA's own verdict comes after ours.
  REQUIRE(refused.error().error.later.size() == 1);
  CHECK(refused.error().error.later[0].native.value == 904);
  CHECK(must(s.native_handle()) == before);
  CHECK(driver().live().captures == 0);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
  fixture.recovery_check(fork);
}

}  // namespace
}  // namespace oriel::emulated
