#include "conformance/fixture.hpp"

#include <oriel/core/recording.hpp>
#include <oriel/core/runtime.hpp>

#include <stdexcept>
#include <thread>

namespace oriel::conformance {
namespace {

TEST_CASE("B21 a window that an exception leaves is abandoned and nothing is claimed", "[B21]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 7);
  const auto broken_step = [&] {
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    throw std::runtime_error("the user's own");
  };
  CHECK_THROWS_WITH(broken_step(), "the user's own");
  CHECK(s.window_state() == WindowState::kIdle);
  CHECK(fixture.stats().open_windows == 0);
  const Words later = must(s.allocate<Word>(Fixture::kWords));
  must(fixture.inc(s, d));
  fixture.expect(s, d, 8);
  fixture.recovery_check(s);
}

TEST_CASE("B21 an exception of a captured step passes through", "[B21]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 7);
  int runs = 0;
  const auto step = [&](Stream& it) {
    must(fixture.inc(it, d));
    if (++runs == 2) {
      throw std::runtime_error("in the recording");
    }
  };
  CHECK_THROWS_WITH(static_cast<void>(s.capture(step)), "in the recording");
  CHECK(s.window_state() == WindowState::kIdle);
  fixture.expect(s, d, 8);  // the warm-up ran
  fixture.recovery_check(s);
}

TEST_CASE("B21 a guard leaves a window alone that is not its own any more", "[B21]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window second(s);
  {
    Window first(s);
    fixture.open(first);
    must(fixture.inc(s, d));
    CHECK(code_of(first.instantiate()) == "ok");
    fixture.open(second);
    must(fixture.inc(s, d));
  }  // `first` goes
  CHECK(s.window_state() == WindowState::kRecording);
  Graph graph = must_graph(second.instantiate());
  must(graph.replay(s));
  fixture.expect(s, d, 2);
}

TEST_CASE("B12 a window given up at any step leaves nothing behind", "[B12]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const RuntimeStats before = fixture.stats();
  {
    Window window(s);
    SECTION("prepared") {
      must(window.prepare());
    }
    SECTION("warmed up") {
      must(window.prepare());
      static_cast<void>(must(s.allocate<Word>(4 * Fixture::kWords)));
    }
    SECTION("begun") {
      fixture.open(window);
    }
    SECTION("recorded") {
      fixture.open(window);
      must(s.fill(d, 4));
    }
    SECTION("doomed") {
      fixture.open(window);
      CHECK(code_of(s.allocate<Word>(4 * Fixture::kWords)) == "would_allocate");
    }
    CHECK(fixture.stats().open_windows == 1);
  }
  fixture.sync(s);
  const RuntimeStats after = fixture.stats();
  CHECK(after.open_windows == 0);
  CHECK(after.graph_device_bytes == before.graph_device_bytes);
  CHECK(after.graph_pinned_bytes == before.graph_pinned_bytes);
  CHECK(after.live_slices == before.live_slices);
  fixture.expect(s, d, 1);
  fixture.recovery_check(s);
}

TEST_CASE("B26 begin twice is refused and the first window is intact", "[B26]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  CHECK(code_of(window.begin()) == "invalid_state");
  CHECK(code_of(window.warmup_pass()) == "invalid_state");
  fixture.open(window);
  CHECK(code_of(window.begin()) == "invalid_state");
  CHECK(code_of(window.prepare()) == "invalid_state");
  CHECK(code_of(window.warmup_pass()) == "invalid_state");
  {
    Window other(s);
    CHECK(code_of(other.prepare()) == "invalid_state");
  }
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 1);
  must(graph.replay(s));
  fixture.expect(s, d, 2);
}

TEST_CASE("B26 instantiate twice is refused with nothing written", "[B26]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  const CaptureResult again = window.instantiate();
  REQUIRE(code_of(again) == "invalid_state");
  CHECK(again.error().written.empty());
  must(graph.replay(s));
  fixture.expect(s, d, 2);
}

TEST_CASE("B26 of two threads that close a window one gets the graph", "[B26]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  for (std::size_t round = 0; round < 50 / kLoopScale + 1; ++round) {
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    // Below the everyday layer, whose Window object is one thread's.
    const std::shared_ptr<core::Runtime>& core = fixture.runtime().core();
    std::string codes[2];
    const auto close = [&](std::string& code) {
      const auto result = core->instantiate(s.id());
      code = result ? "ok" : std::string(to_string(result.error().error.code));
      if (result) {
        core->destroy_graph(*result);
      }
    };
    std::thread other([&] { close(codes[0]); });
    close(codes[1]);
    other.join();
    CHECK((codes[0] == "ok") != (codes[1] == "ok"));
    CHECK((codes[0] == "invalid_state") != (codes[1] == "invalid_state"));
  }
  fixture.recovery_check(s);
}

TEST_CASE("B27 nothing is appended to a recording that was closed", "[B27]") {
  core::Recording recording;
  core::FillCommand fill;
  REQUIRE(recording.append({}, fill));
  recording.seal();
  CHECK(code_of(recording.append({}, fill)) == "invalid_state");
  CHECK(code_of(recording.append({}, core::CopyCommand{})) == "invalid_state");
  CHECK(code_of(recording.append({}, core::HostCommand{}, nullptr)) == "invalid_state");
  CHECK(recording.node_count() == 1);
}

TEST_CASE("B27 a launch after the close runs and is not in the graph", "[B27]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(code_of(window.begin()) == "invalid_state");
  CHECK(code_of(window.warmup_pass()) == "invalid_state");
  must(fixture.inc(s, d));
  fixture.expect(s, d, 2);
  must(graph.replay(s));
  fixture.expect(s, d, 3);
  CHECK(graph.node_count() == 1);
}

TEST_CASE("B28 destroying a graph that still runs neither waits nor frees early", "[B28]") {
  constexpr Word kLaunches = 200;
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words result = fixture.words(s, 0);
  Words d = fixture.words(s, 5);
  std::optional<Graph> graph;
  {
    Window window(s);
    fixture.open(window);
    for (Word i = 0; i < kLaunches; ++i) {
      must(i % 50 == 0 ? fixture.slow_inc(s, d) : fixture.inc(s, d));
    }
    must(fixture.copy(s, result, d));
    graph = must_graph(window.instantiate());
  }
  must(graph->replay(s));
  const auto before = std::chrono::steady_clock::now();
  graph.reset();
  d = {};
  CHECK(seconds_since(before) < 1.0);
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(fixture.words(other, 0xEEEEEEEE));
    static_cast<void>(fixture.words(s, 0xEEEEEEEE));
  }
  fixture.sync(other);
  fixture.expect(s, result, 5 + kLaunches);
  CHECK(fixture.stats().live_graphs == 0);
  CHECK(fixture.stats().graph_device_bytes == 0);
}

TEST_CASE("B28 destroying a stream with work on it neither waits nor loses the work", "[B28]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 5);
  fixture.sync(s);
  const Event done = must(fixture.runtime().create_event());
  {
    const Stream brief = must(fixture.runtime().create_stream({.exclusive = true}));
    must(fixture.slow_inc(brief, d));
    must(fixture.inc(brief, d));
    must(brief.record(done));
  }
  must(s.wait(done));
  fixture.expect(s, d, 7);
}

TEST_CASE("B32 a graph that was moved from refuses to run", "[B32]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  Graph moved = std::move(graph);
  CHECK(code_of(graph.replay(s)) == "invalid_state");  // NOLINT(bugprone-use-after-move)
  CHECK(code_of(graph.update(0, inout(d))) != "ok");   // NOLINT(bugprone-use-after-move)
  must(moved.replay(s));
  fixture.expect(s, d, 2);
}

// Every kind of work that the device knows.
Result<void> everything(Fixture& fixture, Stream& s, const Words& d, const PinnedWords& p) {
  ORIEL_TRY(s.fill(d, 1));
  ORIEL_TRY(s.copy(d, p));
  ORIEL_TRY(s.copy(p, d));
  ORIEL_TRY(s.upload(d, std::vector<Word>(d.size(), 4)));
  ORIEL_TRY(fixture.inc(s, d));
  if (fixture.runtime().capabilities().host_functions) {
    ORIEL_TRY(s.call_host([] {}));
  }
  const auto event = fixture.runtime().create_event();
  ORIEL_TRY(event);
  return s.record(*event);
}

TEST_CASE("B34 a graph that was never replayed holds nothing up", "[B34]") {
  Fixture fixture;
  fixture.closed();
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const PinnedWords p = must(s.allocate_pinned<Word>(Fixture::kWords));
  const Graph graph =
      must_graph(s.capture([&](Stream& it) { return everything(fixture, it, d, p); }));
  const auto before = std::chrono::steady_clock::now();
  must(guarded("close", [&] { return fixture.runtime().close(); }));
  CHECK(seconds_since(before) < 1.0 * static_cast<double>(kLoopScale));
}

TEST_CASE("closing a runtime abandons its windows, and everything answers invalid_state",
          "[rule]") {
  Fixture fixture;
  fixture.closed();
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const PinnedWords p = must(s.allocate_pinned<Word>(64));
  const Event event = must(fixture.runtime().create_event());
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  must(guarded("close", [&] { return fixture.runtime().close(); }));

  CHECK(code_of(fixture.runtime().close()) == "invalid_state");
  CHECK(code_of(fixture.runtime().create_stream()) == "invalid_state");
  CHECK(code_of(fixture.runtime().create_event()) == "invalid_state");
  CHECK(code_of(fixture.runtime().synchronize()) == "invalid_state");
  CHECK(code_of(fixture.runtime().trim()) == "invalid_state");
  CHECK(code_of(s.synchronize()) == "invalid_state");
  CHECK(code_of(s.allocate<Word>(64)) == "invalid_state");
  CHECK(code_of(fixture.inc(s, d)) == "invalid_state");
  CHECK(code_of(s.fill(d, 1)) == "invalid_state");
  CHECK(code_of(s.read(d)) == "invalid_state");
  CHECK(code_of(s.record(event)) == "invalid_state");
  CHECK(code_of(event.query()) == "invalid_state");
  CHECK(code_of(graph.replay(s)) == "invalid_state");
  CHECK(code_of(window.instantiate()) == "invalid_state");
  CHECK(p.host().empty());
}

TEST_CASE("a window that never began is closed without a graph and nothing is claimed", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  must(window.prepare());
  must(fixture.inc(s, d));
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "invalid_state");
  CHECK(result.error().written.empty());
  CHECK(s.window_state() == WindowState::kIdle);
  fixture.expect(s, d, 2);
  fixture.recovery_check(s);
}

TEST_CASE("the window's state can be asked at any time", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  CHECK(s.window_state() == WindowState::kIdle);
  Window window(s);
  must(window.prepare());
  CHECK(s.window_state() == WindowState::kPrepared);
  CHECK(fixture.stream(1).window_state() == WindowState::kIdle);
  must(window.begin());
  CHECK(s.window_state() == WindowState::kRecording);
  must(fixture.inc(s, d));
  CHECK(code_of(window.instantiate()) == "ok");
  CHECK(s.window_state() == WindowState::kIdle);
}

TEST_CASE("of several warm-up passes only the last one counts", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  std::size_t pass = 0;
  const auto step = [&](Stream& it) -> Result<void> {
    // The first pass uses more than the others, as one that initialises does.
    auto scratch = it.allocate<Word>(++pass == 1 ? 1 << 20 : Fixture::kWords);
    if (!scratch) {
      return fail(scratch.error());
    }
    ORIEL_TRY(fixture.inc(it, scratch->view(0, Fixture::kWords)));
    return fixture.inc(it, d);
  };
  Graph graph = must_graph(s.capture(step, {.window = {}, .warmup_passes = 3}));
  CHECK(pass == 4);
  CHECK(graph.node_count() == 2);
  CHECK(graph.memory().device_bytes < (1U << 20U));
  must(graph.replay(s));
  fixture.expect(s, d, 5);
}

TEST_CASE("a stream dropped with its window open abandons the window", "[rule]") {
  Fixture fixture;
  const Words d = fixture.words(fixture.stream(), 1);
  fixture.sync(fixture.stream());
  std::optional<Stream> brief = must(fixture.runtime().create_stream({.exclusive = true}));
  Window window(*brief);
  fixture.open(window);
  must(fixture.inc(*brief, d));
  CHECK(fixture.stats().open_windows == 1);
  brief.reset();
  CHECK(fixture.stats().open_windows == 0);
  CHECK(code_of(window.instantiate()) == "invalid_state");
  fixture.expect(fixture.stream(), d, 1);
}

TEST_CASE("a step that gives up half way gets its own error back", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  int runs = 0;
  const auto step = [&](Stream& it) -> Result<void> {
    ORIEL_TRY(fixture.inc(it, d));
    return ++runs == 2 ? Result<void>(fail(ErrorCode::kOutOfMemory, "the step's own"))
                       : Result<void>();
  };
  const CaptureResult result = s.capture(step);
  REQUIRE(code_of(result) == "out_of_memory");
  CHECK(contains(result.error().error.message, "the step's own"));
  CHECK(result.error().written.size() == 1);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

}  // namespace
}  // namespace oriel::conformance
