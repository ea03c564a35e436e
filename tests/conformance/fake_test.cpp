// Scenarios that need a driver which fails, blocks or lies on command: they test the core, in both
// ways of recording, whatever the backend under test.

#include "conformance/fixture.hpp"

#include <thread>

namespace oriel::conformance {
namespace {

using fake::Call;
using fake::Script;
using namespace std::chrono_literals;

std::shared_ptr<Script> either_mode() {
  const RecordingMode mode = GENERATE(RecordingMode::kCaptures, RecordingMode::kBuilds);
  INFO((mode == RecordingMode::kCaptures ? "a driver that captures" : "a driver that builds"));
  return std::make_shared<Script>(mode);
}

TEST_CASE("B12 a failure at any step gives back all that the window took", "[B12][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  const RuntimeStats before = fixture.stats();
  const auto step = [&](Stream& it) -> Result<void> {
    auto scratch = it.allocate<Word>(Fixture::kWords);
    ORIEL_TRY(scratch);
    ORIEL_TRY(fixture.copy(it, *scratch, d));
    return fixture.inc(it, d);
  };
  std::string want = "driver_error";
  SECTION("arming finds no memory") {
    fake::Fault full{ErrorCode::kOutOfMemory, 2, "FAKE_OUT_OF_MEMORY"};
    full.times = 100;  // the core tries again after it has collected
    script->fail(Call::kProviderAllocate, 1, full);
    want = "out_of_memory";
    const CaptureResult result = s.capture([&](Stream& it) -> Result<void> {
      ORIEL_TRY(it.allocate<Word>(1 << 22));
      return step(it);
    });
    CHECK(code_of(result) == want);
  }
  SECTION("the driver doesn't begin") {
    script->fail(Call::kBegin);
    CHECK(code_of(s.capture(step)) == want);
  }
  SECTION("the wait for the warm-up fails") {
    script->fail(Call::kSynchronizeStream);
    CHECK(code_of(s.capture(step)) == want);
  }
  SECTION("the warm-up fails") {
    script->fail(Call::kLaunch, 2);
    CHECK(code_of(s.capture(step)) == want);
  }
  SECTION("the driver doesn't close") {
    script->fail(Call::kInstantiate);
    CHECK(code_of(s.capture(step)) == want);
  }
  SECTION("the upload fails") {
    script->fail(Call::kUpload);
    CHECK(code_of(s.capture(step)) == want);
  }
  CHECK(script->fault_met());
  script->clear_faults();
  CHECK(s.window_state() == WindowState::kIdle);
  fixture.sync(s);
  must(s.fill(d, 1));
  fixture.sync(s);
  const RuntimeStats after = fixture.stats();
  CHECK(after.open_windows == 0);
  CHECK(after.graph_device_bytes == before.graph_device_bytes);
  CHECK(after.graph_pinned_bytes == before.graph_pinned_bytes);
  CHECK(after.live_slices == before.live_slices);
  CHECK(after.live_graphs == 0);
  CHECK_FALSE(script->window_open());
  fixture.recovery_check(s);
}

TEST_CASE("B12 a recorded launch that the driver refuses dooms the window", "[B12][fake]") {
  const auto script = std::make_shared<Script>(RecordingMode::kCaptures);
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d, "first"));
  script->fail(Call::kLaunch, 1, {ErrorCode::kDriverError, 901, "FAKE_CAPTURE_INVALIDATED"});
  CHECK(code_of(fixture.inc(s, d, "second")) == "driver_error");
  CHECK(code_of(fixture.inc(s, d, "third")) == "doomed");
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "driver_error");
  CHECK(result.error().error.operation == "second");
  CHECK(result.error().error.native.value == 901);
  CHECK(result.error().error.native.name == "FAKE_CAPTURE_INVALIDATED");
  CHECK(script->live().executables == 0);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("B02 the core refuses an allocation before any driver could", "[B02][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  const std::uint64_t calls = script->calls(Call::kProviderAllocate);
  must(fixture.inc(s, d));
  CHECK(code_of(s.allocate<Word>(5120)) == "would_allocate");
  CHECK(code_of(s.allocate_pinned<Word>(5120)) == "doomed");
  CHECK(code_of(window.instantiate()) == "would_allocate");
  CHECK(script->calls(Call::kProviderAllocate) == calls);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("B17 a graph with an allocation node is refused", "[B17][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  script->set_allocation_nodes(1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "doomed");
  CHECK(contains(result.error().error.message, "allocation"));
  CHECK(contains(result.error().error.message, "1"));
  CHECK(script->live().executables == 0);
  script->set_allocation_nodes(0);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("B77 a graph with more or fewer nodes than were recorded is refused", "[B77][fake]") {
  const RecordingMode mode = GENERATE(RecordingMode::kCaptures, RecordingMode::kBuilds);
  const auto script = std::make_shared<Script>(mode);
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const int skew = GENERATE(-1, 1);
  script->set_node_skew(skew);
  {
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    CHECK(code_of(window.instantiate()) == "doomed");
  }
  must(s.fill(d, 1));
  if (mode == RecordingMode::kCaptures) {
    // Native work may add nodes that the core knows nothing of.
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    CHECK(must(s.native_handle()) != nullptr);
    CHECK(code_of(window.instantiate()) == "ok");
  }
  script->set_node_skew(0);
  fixture.recovery_check(s);
}

TEST_CASE("B25 when the close fails nothing is ended or destroyed twice", "[B25][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  std::uint64_t destroyed = 0;
  std::uint64_t closes = 0;
  {
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    closes = script->calls(Call::kInstantiate);
    SECTION("in instantiate") {
      script->fail(Call::kInstantiate, 1, {ErrorCode::kOutOfMemory, 2, "FAKE_OUT_OF_MEMORY"});
    }
    SECTION("in upload") {
      script->fail(Call::kUpload, 1, {ErrorCode::kOutOfMemory, 2, "FAKE_OUT_OF_MEMORY"});
      destroyed = 1;
    }
    const CaptureResult result = window.instantiate();
    REQUIRE(code_of(result) == "out_of_memory");
    CHECK(result.error().error.native.value == 2);
    CHECK(result.error().error.native.name == "FAKE_OUT_OF_MEMORY");
    CHECK(code_of(window.instantiate()) == "invalid_state");
  }
  CHECK(script->calls(Call::kInstantiate) == closes + 1);
  fixture.sync(s);
  CHECK(script->calls(Call::kDestroyExecutable) == destroyed);
  CHECK(s.window_state() == WindowState::kIdle);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("B29 a join that fails closes every fork", "[B29][fake]") {
  const auto script = std::make_shared<Script>(RecordingMode::kCaptures);
  Fixture fixture(script);
  Stream& s0 = fixture.stream();
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  std::vector<Stream> sides;
  for (int i = 0; i < 4; ++i) {
    sides.push_back(must(fixture.runtime().create_stream({.exclusive = true})));
  }
  Window window(s0);
  fixture.open(window);
  const Event forked = must(fixture.runtime().create_event());
  must(s0.record(forked));
  for (const Stream& side : sides) {
    must(side.wait(forked));
    must(fixture.inc(side, d));
  }
  script->fail(Call::kWait, 2, {ErrorCode::kDriverError, 904, "FAKE_CAPTURE_UNJOINED"});
  std::vector<std::string> joins;
  for (const Stream& side : sides) {
    const Event back = must(fixture.runtime().create_event());
    const Result<void> recorded = side.record(back);
    joins.push_back(recorded ? code_of(s0.wait(back)) : code_of(recorded));
  }
  CHECK(joins == std::vector<std::string>{"ok", "driver_error", "doomed", "doomed"});
  std::swap(sides[0], sides[2]);
  sides.clear();
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "driver_error");
  CHECK(result.error().error.native.value == 904);
  must(s0.fill(d, 1));
  fixture.recovery_check(s0);
}

TEST_CASE("B32 a graph that could not be made spoils no other", "[B32][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(s, 1);
  Graph good = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  script->fail(Call::kInstantiate, 1, {ErrorCode::kDriverError, 719, "FAKE_LAUNCH_FAILED"});
  const auto step = [&](Stream& it) { return fixture.inc(it, e); };
  const CaptureResult refused = s.capture(step);
  REQUIRE(code_of(refused) == "driver_error");
  CHECK(refused.error().error.native.value == 719);
  must(good.replay(s));
  fixture.expect(s, d, 3);
  must(s.fill(e, 1));
  Graph again = must_graph(s.capture(step));
  must(again.replay(s));
  fixture.expect(s, e, 3);
}

TEST_CASE("a replay that the driver refuses claims what the graph writes", "[rule][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 1);
  const Words d = fixture.words(s, 1);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.copy(it, d, in); }));
  script->fail(Call::kReplay, 1, {ErrorCode::kDriverError, 719, "FAKE_LAUNCH_FAILED"});
  const Result<void> refused = graph.replay(s);
  REQUIRE(code_of(refused) == "driver_error");
  CHECK(refused.error().native.value == 719);
  CHECK(code_of(s.read(d)) == "unwritten");
  CHECK(fixture.stats().claims == 1);
  must(graph.replay(s));  // it writes all of d
  fixture.expect(s, d, 1);
  CHECK(fixture.stats().claims == 0);
}

TEST_CASE("B56 a kernel that needs more scratch than any before waits for the close",
          "[B56][fake]") {
  const auto script = either_mode();
  script->set_scratch("inc", 1024);
  script->set_scratch("copy", 512);
  script->set_scratch("scale_add", 4096);
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(s, 1);
  Window window(s);
  fixture.open(window, s, [&](Stream& it) { return fixture.inc(it, d); });
  const Result<void> refused = fixture.scale_add(s, d, e, 1);
  REQUIRE(code_of(refused) == "not_permitted");
  CHECK(contains(refused.error().to_string(), "scale_add"));
  must(fixture.inc(s, d));
  must(fixture.copy(s, e, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  must(graph.replay(s));
  fixture.expect(s, e, 3);
  Graph after = must_graph(s.capture([&](Stream& it) { return fixture.scale_add(it, d, e, 1); }));
  CHECK(after.node_count() == 1);
}

TEST_CASE("B72 the window is open from before the driver's begin until after its end",
          "[B72][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  Words cached = fixture.words(other, 1);
  std::optional<Event> event = must(fixture.runtime().create_event());
  std::optional<Graph> old =
      must_graph(other.capture([&](Stream& it) { return fixture.inc(it, cached); }));
  fixture.sync(other);
  const bool at_begin = GENERATE(true, false);
  Window window(s);
  must(window.prepare());
  if (!at_begin) {
    must(window.begin());
    must(fixture.inc(s, d));
  }
  script->block(at_begin ? Call::kBegin : Call::kInstantiate);
  std::string dropped_while_open = "no";
  std::string trimmed;
  std::thread b([&] {
    if (!script->wait_until_blocked()) {
      trimmed = "nobody came";
      script->unblock();
      return;
    }
    std::thread dropper([&] {
      old.reset();
      event.reset();
      cached = {};
      trimmed = code_of(fixture.runtime().trim());
    });
    std::this_thread::sleep_for(30ms);
    if (script->calls_in_window(Call::kDestroyExecutable) != 0 ||
        script->calls_in_window(Call::kDestroyEvent) != 0 ||
        script->calls_in_window(Call::kProviderRelease) != 0) {
      dropped_while_open = "yes";
    }
    script->unblock();
    dropper.join();
  });
  if (at_begin) {
    must(window.begin());
    guarded("join", [&] { b.join(); });
    CHECK(trimmed == "not_permitted");
    must(fixture.inc(s, d));
    CHECK(code_of(window.instantiate()) == "ok");
  } else {
    CHECK(code_of(window.instantiate()) == "ok");
    guarded("join", [&] { b.join(); });
    CHECK(trimmed == "ok");  // it waited for the close
  }
  CHECK(dropped_while_open == "no");
  CHECK(script->calls_in_window(Call::kDestroyExecutable) == 0);
  CHECK(script->calls_in_window(Call::kDestroyEvent) == 0);
  CHECK(script->calls_in_window(Call::kProviderRelease) == 0);
}

TEST_CASE("B70 no destruction reaches the driver while a window is open", "[B70][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  std::vector<Words> buffers;
  std::vector<Event> events;
  std::vector<Graph> graphs;
  for (int i = 0; i < 20; ++i) {
    buffers.push_back(fixture.words(other, 1));
    events.push_back(must(fixture.runtime().create_event()));
    graphs.push_back(
        must_graph(other.capture([&](Stream& it) { return fixture.inc(it, buffers.back()); })));
    must(graphs.back().replay(other));
  }
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  std::thread dropper([&] {
    buffers.clear();
    graphs.clear();
    events.clear();
  });
  guarded("join", [&] { dropper.join(); });
  for (const Call call : {Call::kDestroyEvent,
                          Call::kDestroyExecutable,
                          Call::kDestroyModule,
                          Call::kDestroyStream,
                          Call::kProviderRelease}) {
    INFO(to_string(call));
    CHECK(script->calls_in_window(call) == 0);
  }
  CHECK(script->live().executables == 20);
  CHECK(code_of(window.instantiate()) == "ok");
  must(guarded("runtime.synchronize", [&] { return fixture.runtime().synchronize(); }));
  CHECK(script->live().executables == 0);
}

TEST_CASE("B69 the driver is not asked to wait for the device while a window is open",
          "[B69][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  const Words e = fixture.words(other, 1);
  Window window(s);
  fixture.open(window);
  const std::uint64_t waits = script->calls(Call::kSynchronizeStream);
  std::string code;
  std::thread b([&] { code = code_of(fixture.runtime().synchronize()); });
  std::this_thread::sleep_for(30ms);
  CHECK(script->calls(Call::kSynchronizeStream) == waits);
  must(fixture.inc(s, d));
  CHECK(code_of(window.instantiate()) == "ok");
  guarded("join", [&] { b.join(); });
  CHECK(code == "ok");
  CHECK(script->calls(Call::kSynchronizeStream) > waits);
}

TEST_CASE("a driver that throws is answered with driver_error", "[rule][fake]") {
  const auto script = either_mode();
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  fixture.sync(s);
  fake::Fault thrown;
  thrown.throws = true;
  const auto check = [&](Call call, const auto& action) {
    INFO(to_string(call));
    script->fail(call, 1, thrown);
    const auto result = action();
    CHECK(code_of(result) == "driver_error");
    CHECK(script->fault_met());
    script->clear_faults();
  };
  check(Call::kSynchronizeStream, [&] {
    must(fixture.inc(s, d));
    return s.synchronize();
  });
  fixture.sync(s);
  check(Call::kLaunch, [&] { return fixture.inc(s, d); });
  check(Call::kFill, [&] { return s.fill(d, 1); });
  check(Call::kCopy, [&] { return s.copy(d, fixture.words(s, 1)); });
  check(Call::kCreateEvent, [&] { return fixture.runtime().create_event(); });
  check(Call::kReplay, [&] { return graph.replay(s); });
  check(Call::kBegin, [&] { return s.capture([&](Stream& it) { return it.fill(d, 1); }); });
  check(Call::kInstantiate, [&] { return s.capture([&](Stream& it) { return it.fill(d, 1); }); });
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a capability that the driver denies is refused before it is asked", "[rule][fake]") {
  const auto script = either_mode();
  script->capabilities.fork_join = false;
  script->capabilities.update = false;
  script->capabilities.host_functions = false;
  script->capabilities.event_timing = false;
  script->capabilities.fill_pattern_bytes = 4;
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Event event = must(fixture.runtime().create_event());
  must(s.record(event));
  fixture.sync(s);
  CHECK(code_of(elapsed(event, event)) == "unsupported");
  CHECK(code_of(s.call_host([] {})) == "unsupported");
  const Buffer<std::uint64_t> wide = must(s.allocate<std::uint64_t>(64));
  CHECK(code_of(s.fill(wide, 1)) == "unsupported");
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  CHECK(code_of(graph.update(0, inout(d))) == "unsupported");
  Window window(s);
  fixture.open(window);
  must(s.record(event));
  CHECK(code_of(fixture.stream(1).wait(event)) == "unsupported");
  CHECK(code_of(fixture.inc(s, d)) == "doomed");  // the graph would miss the fork
  CHECK(code_of(window.instantiate()) == "unsupported");
  CHECK(script->calls(Call::kElapsed) == 0);
  CHECK(script->calls(Call::kCallHost) == 0);
  CHECK(script->calls(Call::kUpdate) == 0);
}

}  // namespace
}  // namespace oriel::conformance
