#include "conformance/fixture.hpp"
#include "conformance/stdout_capture.hpp"
#include "suite_kernels.hpp"

#include <algorithm>
#include <functional>

namespace oriel::conformance {
namespace {

TEST_CASE("B48 loading a module in a window is not permitted and the window is good", "[B48]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window, s, [&](Stream& it) { return fixture.inc(it, d); });
  const std::size_t modules = fixture.stats().live_modules;
  CHECK(code_of(fixture.runtime().load(suite_kernels::bundle())) == "not_permitted");
  CHECK(fixture.stats().live_modules == modules);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 1);
  must(graph.replay(s));
  fixture.expect(s, d, 3);
  CHECK(code_of(fixture.runtime().load(suite_kernels::bundle())) == "ok");
  fixture.recovery_check(s);
}

struct IllegalCall {
  const char* name;
  std::function<std::string()> call;
};

TEST_CASE("B51 what would wait or look is not permitted in a window, which stays good", "[B51]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Runtime& runtime = fixture.runtime();
  const Words d = fixture.words(s, 1);
  std::vector<Word> host(d.size());
  const Event before = must(runtime.create_event());
  must(s.record(before));
  Graph other = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  must(s.fill(d, 1));
  fixture.sync(s);
  const std::vector<IllegalCall> calls = {
      {"synchronize", [&] { return code_of(s.synchronize()); }},
      {"query", [&] { return code_of(s.query()); }},
      {"read", [&] { return code_of(s.read(d)); }},
      {"download", [&] { return code_of(s.download(std::span<Word>(host), d)); }},
      {"synchronize", [&] { return code_of(runtime.synchronize()); }},
      {"trim", [&] { return code_of(runtime.trim()); }},
      {"set_limit", [&] { return code_of(runtime.set_limit(Limit::kDeviceBytes, 1)); }},
      {"load", [&] { return code_of(runtime.load(suite_kernels::bundle())); }},
      {"event.query", [&] { return code_of(before.query()); }},
      {"event.synchronize", [&] { return code_of(before.synchronize()); }},
      {"replay", [&] { return code_of(other.replay(s)); }},
  };
  Window window(s);
  fixture.open(window);
  for (const IllegalCall& illegal : calls) {
    INFO(illegal.name);
    CHECK(illegal.call() == "not_permitted");
    CHECK(s.window_state() == WindowState::kRecording);
    must(fixture.inc(s, d));
  }
  if (runtime.capabilities().event_timing) {
    CHECK(code_of(elapsed(before, before)) == "not_permitted");
  }
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == calls.size());
  fixture.nothing_ran(s, d, 1);
  must(graph.replay(s));
  fixture.expect(s, d, static_cast<Word>(1 + calls.size()));
  fixture.recovery_check(s);
}

TEST_CASE("B51 an error in a window names the call that was made", "[B51]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  Window window(s);
  fixture.open(window);
  const Result<void> refused = s.synchronize();
  REQUIRE(code_of(refused) == "not_permitted");
  CHECK(contains(refused.error().to_string(), "synchronize"));
  CHECK(names_stream(refused.error(), s));
}

TEST_CASE("B51 a graph may be replayed on another stream while a window is open", "[B51]") {
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(other, 1);
  Graph graph = must_graph(other.capture([&](Stream& it) { return fixture.inc(it, e); }));
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  must(graph.replay(other));
  Graph mine = must_graph(window.instantiate());
  fixture.expect(other, e, 3);
  fixture.nothing_ran(s, d, 1);
}

TEST_CASE("B56 changing a limit in a window is not permitted", "[B56]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  must(window.prepare());
  CHECK(code_of(fixture.runtime().set_limit(Limit::kPinnedBytes, 0)) == "not_permitted");
  CHECK(code_of(fixture.runtime().trim()) == "not_permitted");
  must(window.begin());
  CHECK(code_of(fixture.runtime().set_limit(Limit::kDeviceBytes, 0)) == "not_permitted");
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(code_of(fixture.runtime().set_limit(Limit::kDeviceBytes, 0)) == "ok");
  must(graph.replay(s));
  fixture.expect(s, d, 2);
}

TEST_CASE("B56 what a kernel prints appears once for each replay", "[B56]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  if (!fixture.runtime().capabilities().printf_per_replay) {
    fixture.declared_unsupported("printf_per_replay");
    CHECK(fixture.runtime().info().backend != "host");
    return;
  }
  Window window(s);
  fixture.open(window);
  must(s.launch(fixture.kernel("print"), {1, 1, {}}, Word{42}));
  Graph graph = must_graph(window.instantiate());
  std::string text;
  {
    StdoutCapture capture;
    for (int i = 0; i < 3; ++i) {
      must(graph.replay(s));
    }
    fixture.sync(s);
    text = capture.text();
  }
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(contains(text, "kernel says 42"));
}

TEST_CASE("B57 the first failure is the one that is shown", "[B57]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d, "one"));
  must(fixture.inc(s, d, "two"));
  CHECK(code_of(s.allocate<Word>(1 << 20, "three")) == "would_allocate");
  for (int call = 4; call <= 10; ++call) {
    CHECK(code_of(fixture.inc(s, d, "late")) == "doomed");
  }
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "would_allocate");
  const Error& error = result.error().error;
  CHECK(error.operation == "three");
  CHECK(contains(error.to_string(), "three"));
  CHECK(contains(error.to_string(), "call 3"));
  CHECK(names_stream(error, s));
  CHECK(error.later.size() <= Error::kMostLater);

  must(s.fill(d, 1));
  must(fixture.inc(s, d));  // no sticky error
  fixture.expect(s, d, 2);
  fixture.recovery_check(s);
}

TEST_CASE("B57 what goes wrong later is listed after it, up to a bound", "[B57]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  Window window(s);
  fixture.open(window);
  for (int i = 0; i < 40; ++i) {
    CHECK(code_of(s.allocate<Word>(1 << 20)) == (i == 0 ? "would_allocate" : "doomed"));
  }
  window.doom(Error(ErrorCode::kInvalidArgument, "and the step gave up"));
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "would_allocate");
  CHECK(result.error().error.later.size() <= Error::kMostLater);
}

TEST_CASE("a work call that fails dooms the window", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Words half = d.view(0, d.size() / 2);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  SECTION("a launch with the wrong number of arguments") {
    CHECK(code_of(s.launch(fixture.kernel("inc"), fixture.over(d.size()))) == "invalid_argument");
  }
  SECTION("a launch with an argument of the wrong kind") {
    CHECK(code_of(s.launch(fixture.kernel("inc"), fixture.over(d.size()), Word{1})) ==
          "invalid_argument");
  }
  SECTION("a launch over nothing") {
    CHECK(code_of(s.launch(fixture.kernel("inc"), {Dim3(0), 64, {}}, inout(d))) ==
          "invalid_argument");
  }
  SECTION("a copy between sizes that differ") {
    CHECK(code_of(s.copy(d, half)) == "invalid_argument");
  }
  SECTION("an upload of the wrong size") {
    CHECK(code_of(s.upload(d, std::vector<Word>(3))) == "invalid_argument");
  }
  CHECK(code_of(fixture.inc(s, d)) == "doomed");
  CHECK(code_of(window.instantiate()) == "invalid_argument");
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("the same mistakes outside a window change nothing", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Buffer<float> floats = must(s.allocate<float>(64));
  const Kernel& inc = fixture.kernel("inc");
  const Kernel& fill = fixture.kernel("fill");
  const LaunchConfig all = fixture.over(d.size());
  CHECK(code_of(s.launch(inc, all)) == "invalid_argument");
  CHECK(code_of(s.launch(inc, all, inout(d), inout(d))) == "invalid_argument");
  CHECK(code_of(s.launch(inc, all, Word{1})) == "invalid_argument");
  CHECK(code_of(s.launch(inc, all, inout(floats))) == "invalid_argument");
  CHECK(code_of(s.launch(inc, all, in(d))) == "invalid_argument");  // the kernel writes it
  CHECK(code_of(s.launch(fill, all, out(d), 1.0F)) == "invalid_argument");
  CHECK(code_of(s.launch(inc, {1, Dim3(0), {}}, inout(d))) == "invalid_argument");
  const std::uint32_t too_many = fixture.runtime().capabilities().max_group_items + 1;
  CHECK(code_of(s.launch(inc, {1, too_many, {}}, inout(d))) == "invalid_argument");
  CHECK(code_of(s.copy(d, d.view(0, 4))) == "invalid_argument");
  fixture.expect(s, d, 1);
}

TEST_CASE("a stream folded onto another's window is busy and says whose it is", "[rule]") {
  Fixture fixture({.shared_streams = 1, .plugin_directories = {}});
  const Stream owner = must(fixture.runtime().create_stream());
  const Stream other = must(fixture.runtime().create_stream());
  const Words d = fixture.words(owner, 1);
  const Words e = fixture.words(other, 5);
  const Event event = must(fixture.runtime().create_event());
  Window window(owner);
  const auto busy = [&](const auto& result) {
    CHECK(code_of(result) == "stream_busy");
    if (!result) {
      CHECK(names_stream(result.error(), owner));
    }
  };
  fixture.open(window);
  must(fixture.inc(owner, d));
  busy(fixture.inc(other, e));
  busy(other.fill(e, 1));
  busy(other.copy(e, d));
  busy(other.allocate<Word>(64));
  busy(other.synchronize());
  busy(other.read(e));
  busy(other.record(event));
  {
    Window second(other);
    busy(second.prepare());
  }
  must(fixture.inc(owner, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  fixture.expect(other, e, 5);
  must(graph.replay(other));
  fixture.expect(owner, d, 3);
  must(fixture.inc(other, e));
  fixture.expect(other, e, 6);
}

TEST_CASE("a stranger who closes a window tears it down and gets no graph", "[rule]") {
  Fixture fixture({.shared_streams = 1, .plugin_directories = {}});
  const Stream owner = must(fixture.runtime().create_stream());
  const Stream stranger = must(fixture.runtime().create_stream());
  const Words d = fixture.words(owner, 1);
  Window window(owner);
  fixture.open(window);
  must(fixture.inc(owner, d));
  Window other(stranger);
  const CaptureResult result = other.instantiate();
  REQUIRE(code_of(result) == "invalid_state");
  CHECK(result.error().written.size() == 1);
  CHECK(owner.window_state() == WindowState::kIdle);
  CHECK(code_of(window.instantiate()) == "invalid_state");
  CHECK(code_of(owner.read(d)) == "unwritten");
  must(owner.fill(d, 1));
  fixture.recovery_check(owner);
  fixture.recovery_check(stranger);
}

}  // namespace
}  // namespace oriel::conformance
