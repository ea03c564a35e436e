// A window that fails costs nobody anything but itself.

#include "conformance/fixture.hpp"

#include <random>
#include <thread>

namespace oriel::conformance {
namespace {

using fake::Call;
using fake::Script;

TEST_CASE("B22 a driver's failed close leaves both streams idle and is asked for once",
          "[B22][fake]") {
  const auto script = std::make_shared<Script>(RecordingMode::kCaptures);
  Fixture fixture(script);
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  const Event forked = must(fixture.runtime().create_event());
  must(s0.record(forked));
  must(s1.wait(forked));
  must(fixture.inc(s1, d));
  const std::uint64_t closes = script->calls(Call::kInstantiate);
  script->fail(Call::kInstantiate, 1, {ErrorCode::kUnjoined, 904, "FAKE_CAPTURE_UNJOINED"});
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "unjoined");
  CHECK(names_stream(result.error().error, s1));
  CHECK(script->calls(Call::kInstantiate) == closes + 1);
  CHECK(s0.window_state() == WindowState::kIdle);
  CHECK(s1.window_state() == WindowState::kIdle);
  CHECK(code_of(window.instantiate()) == "invalid_state");
  CHECK(script->calls(Call::kInstantiate) == closes + 1);
  must(s0.fill(d, 1));
  fixture.recovery_check(s0);
  fixture.recovery_check(s1);
}

TEST_CASE("B22 a fork is ordered behind what it had, even if its stream had to be replaced",
          "[B22][fake]") {
  const auto script = std::make_shared<Script>(RecordingMode::kCaptures);
  Fixture fixture(script);
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  const Event forked = must(fixture.runtime().create_event());
  must(s0.record(forked));
  must(s1.wait(forked));
  must(fixture.inc(s1, d));
  const std::uint64_t waits = script->calls(Call::kWait);
  CHECK(code_of(window.instantiate()) == "unjoined");
  CHECK(script->calls(Call::kWait) == waits + 1);
  must(s0.fill(d, 1));
  fixture.recovery_check(s1);
}

TEST_CASE("B24 an illegal call in one window is nobody else's trouble", "[B24]") {
  Fixture fixture;
  Stream& a = fixture.stream(0);
  Stream& b = fixture.stream(1);
  const Words d = fixture.words(a, 1);
  const Words e = fixture.words(b, 1);
  fixture.sync(a);
  fixture.sync(b);
  const auto work_elsewhere = [&] {
    std::string code = "ok";
    const auto step = [&]() -> Result<void> {
      const auto more = b.allocate<Word>(Fixture::kWords);
      ORIEL_TRY(more);
      ORIEL_TRY(b.fill(*more, 1));
      ORIEL_TRY(fixture.scale_add(b, e, *more, 1));
      return b.synchronize();
    };
    std::thread thread([&] { code = code_of(step()); });
    guarded("join", [&] { thread.join(); });
    return code;
  };
  Window window(a);
  fixture.open(window);
  must(fixture.inc(a, d));
  CHECK(code_of(a.synchronize()) == "not_permitted");
  CHECK(code_of(a.allocate<Word>(1 << 22)) == "would_allocate");
  CHECK(work_elsewhere() == "ok");
  CHECK(code_of(window.instantiate()) == "would_allocate");
  CHECK(work_elsewhere() == "ok");
  fixture.expect(b, e, 3);
  must(a.fill(d, 1));
  fixture.recovery_check(a);
}

TEST_CASE("B31 what a window becomes depends on that window alone", "[B31]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  std::mt19937 random(31);
  Word expected = 0;
  const int rounds = static_cast<int>(100 / kLoopScale);
  for (int round = 0; round < rounds; ++round) {
    INFO("round " << round);
    const unsigned kind = static_cast<unsigned>(random() % 4);
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    if (kind == 0) {
      CHECK(code_of(s.allocate<Word>(1 << 22)) == "would_allocate");
      CHECK(code_of(window.instantiate()) == "would_allocate");
    } else if (kind == 1) {
      CHECK(code_of(s.copy(d, d.view(0, 1))) == "invalid_argument");
      CHECK(code_of(window.instantiate()) == "invalid_argument");
    } else if (kind == 2) {
      window.doom({ErrorCode::kDriverError, "the step gave up"});
      CHECK(code_of(window.instantiate()) == "driver_error");
    } else {
      Graph graph = must_graph(window.instantiate());
      must(graph.replay(s));
      ++expected;
      continue;
    }
    // What it would have written is claimed until somebody writes it.
    CHECK(code_of(s.read(d)) == "unwritten");
    must(s.fill(d, expected));
  }
  fixture.expect(s, d, expected);
}

}  // namespace
}  // namespace oriel::conformance
