#include "conformance/fixture.hpp"

#include <algorithm>

namespace oriel::conformance {
namespace {

// Records an event on `from` and makes `to` wait for it.
Result<void> edge(Fixture& fixture, const Stream& from, const Stream& to) {
  const auto event = fixture.runtime().create_event();
  ORIEL_TRY(event);
  ORIEL_TRY(from.record(*event));
  return to.wait(*event);
}

// On a device without fork and join: asserts the refusal at the wait, and says so.
bool forks(Fixture& fixture) {
  if (fixture.runtime().capabilities().fork_join) {
    return true;
  }
  fixture.declared_unsupported("fork_join");
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  Window window(s0);
  fixture.open(window);
  must(fixture.inc(s0, d));
  CHECK(code_of(edge(fixture, s0, s1)) == "unsupported");
  CHECK(code_of(fixture.inc(s0, d)) == "doomed");  // the graph would miss the fork
  CHECK(code_of(window.instantiate()) == "unsupported");
  must(s0.fill(d, 1));
  fixture.recovery_check(s0);
  return false;
}

TEST_CASE("B35 a fork that is never joined refuses the graph and names the stream", "[B35]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 3);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  must(edge(fixture, s0, s1));
  must(fixture.inc(s1, d, "on.the.fork"));
  SECTION("with nothing in place of the join") {}
  SECTION("a host wait is no join") {
    CHECK(code_of(s1.synchronize()) == "not_permitted");
  }
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "unjoined");
  CHECK(names_stream(result.error().error, s1));
  CHECK(s0.window_state() == WindowState::kIdle);
  CHECK(s1.window_state() == WindowState::kIdle);
  CHECK(code_of(s0.read(d)) == "unwritten");
  must(s0.fill(d, 3));
  fixture.expect(s0, d, 3);
  fixture.recovery_check(s0);
  fixture.recovery_check(s1);
}

TEST_CASE("B35 a fork without work must be joined too", "[B35]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  const Words d = fixture.words(fixture.stream(0), 3);
  Window window(fixture.stream(0));
  fixture.open(window);
  must(fixture.inc(fixture.stream(0), d));
  must(edge(fixture, fixture.stream(0), fixture.stream(1)));
  CHECK(code_of(window.instantiate()) == "unjoined");
  must(fixture.stream(0).fill(d, 1));
  fixture.recovery_check(fixture.stream(1));
}

TEST_CASE("B36 work on a forked stream is recorded, with its edges, and does not run", "[B36]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  Stream& s2 = fixture.stream(2);
  const Words a = fixture.words(s0, 10);
  const Words b = fixture.words(s0, 20);
  const Words c = fixture.words(s0, 30);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  must(fixture.inc(s0, a));
  const Event forked = must(fixture.runtime().create_event());
  must(s0.record(forked));
  must(s1.wait(forked));
  must(s2.wait(forked));
  must(fixture.inc(s1, b));
  must(fixture.inc(s2, c));
  must(edge(fixture, s1, s0));
  must(edge(fixture, s2, s0));
  Graph graph = must_graph(window.instantiate());
  fixture.nothing_ran(s0, a, 10);
  fixture.nothing_ran(s0, b, 20);
  fixture.nothing_ran(s0, c, 30);
  CHECK(graph.node_count() == 3);
  const std::string dot = graph.to_dot();
  std::size_t edges = 0;
  for (std::size_t at = dot.find("->"); at != std::string::npos; at = dot.find("->", at + 2)) {
    ++edges;
  }
  CHECK(edges == 2);
  fixture.scribble(s0);
  must(graph.replay(s0));
  must(graph.replay(s0));
  fixture.expect(s0, a, 12);
  fixture.expect(s0, b, 22);
  fixture.expect(s0, c, 32);
}

TEST_CASE("B36 a replay keeps the order that the events gave", "[B36]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words in = fixture.words(s0, 0);
  const Words left = fixture.words(s0, 0);
  const Words right = fixture.words(s0, 0);
  const auto step = [&](Stream& it) -> Result<void> {
    ORIEL_TRY(fixture.slow_inc(it, in));
    ORIEL_TRY(edge(fixture, it, s1));
    ORIEL_TRY(fixture.copy(s1, right, in));
    ORIEL_TRY(fixture.slow_inc(s1, right));
    ORIEL_TRY(fixture.copy(it, left, in));
    ORIEL_TRY(edge(fixture, s1, it));
    return fixture.scale_add(it, left, right, 2);
  };
  Graph graph = must_graph(s0.capture(step));
  for (Word round = 0; round < 30; ++round) {
    must(s0.fill(in, round));
    must(graph.replay(s0));
    fixture.expect(s0, left, round + 1 + 2 * (round + 2));
  }
}

TEST_CASE("B37 a launch on a stream outside the window runs at once", "[B37]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words a = fixture.words(s0, 1);
  const Words b = fixture.words(s1, 5);
  Window window(s0);
  fixture.open(window);
  must(fixture.inc(s0, a));
  must(fixture.inc(s1, b));
  const Event outside = must(fixture.runtime().create_event());
  must(s1.record(outside));
  CHECK(code_of(s0.wait(outside)) == "not_permitted");
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 1);
  fixture.expect(s1, b, 6);
  fixture.nothing_ran(s0, a, 1);
  must(graph.replay(s0));
  fixture.expect(s0, a, 2);
  fixture.expect(s1, b, 6);
  fixture.recovery_check(s0);
}

TEST_CASE("B38 a wait between two windows is not permitted and both are good", "[B38]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words a = fixture.words(s0, 1);
  const Words b = fixture.words(s1, 1);
  Window w0(s0);
  Window w1(s1);
  fixture.open(w0);
  fixture.open(w1);
  must(fixture.inc(s0, a));
  must(fixture.inc(s1, b));
  const Event event = must(fixture.runtime().create_event());
  must(s0.record(event));
  CHECK(code_of(s1.wait(event)) == "not_permitted");
  Graph x0 = must_graph(w0.instantiate());
  Graph x1 = must_graph(w1.instantiate());
  must(x0.replay(s0));
  must(x1.replay(s1));
  fixture.expect(s0, a, 2);
  fixture.expect(s1, b, 2);
  fixture.recovery_check(s0);
  fixture.recovery_check(s1);
}

TEST_CASE("B38 a window may go to and fro between streams without end", "[B38]") {
  constexpr Word kHops = 2000;
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 0);
  fixture.sync(s0);
  const Event there = must(fixture.runtime().create_event());
  const Event back = must(fixture.runtime().create_event());
  Window window(s0);
  fixture.open(window);
  for (Word hop = 0; hop < kHops; ++hop) {
    must(s0.record(there));
    must(s1.wait(there));
    must(fixture.inc(s1, d));
    must(s1.record(back));
    must(s0.wait(back));
  }
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == kHops);
  must(graph.replay(s0));
  fixture.expect(s0, d, kHops);
}

TEST_CASE("B39 closing on a forked stream is refused and the window is intact", "[B39]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  must(edge(fixture, s0, s1));
  must(fixture.inc(s1, d));
  Window wrong(s1);
  CHECK(code_of(wrong.instantiate()) == "invalid_state");
  CHECK(s0.window_state() == WindowState::kRecording);
  must(edge(fixture, s1, s0));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s0));
  fixture.expect(s0, d, 2);
}

TEST_CASE("B41 dropping an event in a window keeps the edges it made", "[B41]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  const Words other = fixture.words(s0, 1);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  must(fixture.slow_inc(s0, d));
  {
    const Event event = must(fixture.runtime().create_event());
    must(s0.record(event));
    must(s1.wait(event));
    must(fixture.inc(s1, d));
    must(s1.record(event));
  }
  must(fixture.inc(s0, other));
  must(fixture.inc(s1, d));
  must(edge(fixture, s1, s0));
  Graph graph = must_graph(window.instantiate());
  for (Word round = 1; round <= 3; ++round) {
    must(s0.fill(d, round));
    must(graph.replay(s0));
    fixture.expect(s0, d, round + 3);
    fixture.expect(s0, other, 1 + round);
  }
}

TEST_CASE("B43 an event recorded in a window is an edge and answers nothing outside", "[B43]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Event e = must(fixture.runtime().create_event());
  const Event f = must(fixture.runtime().create_event());
  CHECK(code_of(e.query()) == "invalid_state");  // never recorded
  Window window(s);
  fixture.open(window);
  must(s.record(e));
  must(fixture.inc(s, d));
  must(s.record(f));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.sync(s);
  CHECK(code_of(e.query()) == "invalid_state");
  CHECK(code_of(guarded("event.synchronize", [&] { return f.synchronize(); })) == "invalid_state");
  CHECK(code_of(elapsed(e, f)) == "invalid_state");
  CHECK(code_of(s.wait(e)) == "invalid_state");
  CHECK_FALSE(fixture.runtime().capabilities().external_events);  // no call records one

  must(s.record(e));
  must(fixture.inc(s, d));
  must(s.record(f));
  fixture.sync(s);
  CHECK(must(e.query()));
  must(guarded("event.synchronize", [&] { return f.synchronize(); }));
  if (fixture.runtime().capabilities().event_timing) {
    CHECK(must(elapsed(e, f)) >= 0.0);
  } else {
    fixture.declared_unsupported("event_timing");
    CHECK(code_of(elapsed(e, f)) == "unsupported");
  }
  fixture.expect(s, d, 3);
}

TEST_CASE("B45 an empty window is refused and names who got the work", "[B45]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s1, 4);
  fixture.sync(s1);
  Window window(s0);
  fixture.open(window);
  must(fixture.inc(s1, d));
  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "invalid_state");
  CHECK(names_stream(result.error().error, s1));
  CHECK(result.error().written.empty());
  fixture.expect(s1, d, 5);
  fixture.recovery_check(s0);
}

TEST_CASE("B45 an empty window is allowed to those who ask", "[B45]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  Window window(s);
  must(window.prepare({.allow_empty = true}));
  must(window.begin());
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 0);
  must(graph.replay(s));
  fixture.sync(s);
}

TEST_CASE("B29 forks dropped without a join leave nothing behind", "[B29]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  std::vector<Stream> sides;
  for (int i = 0; i < 4; ++i) {
    sides.push_back(must(fixture.runtime().create_stream({.exclusive = true})));
  }
  Window window(s0);
  fixture.open(window);
  for (const Stream& side : sides) {
    must(edge(fixture, s0, side));
    must(fixture.inc(side, d));
  }
  must(edge(fixture, sides[0], s0));
  std::swap(sides[1], sides[3]);
  sides.clear();
  CHECK(code_of(window.instantiate()) == "unjoined");
  must(s0.fill(d, 1));
  fixture.recovery_check(s0);
}

TEST_CASE("B40 a window within a window is refused up front and unjoins nobody", "[B40]") {
  Fixture fixture;
  if (!forks(fixture)) {
    return;
  }
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  const Words e = fixture.words(s0, 1);
  fixture.sync(s0);
  Window window(s0);
  fixture.open(window);
  must(edge(fixture, s0, s1));
  must(fixture.inc(s1, e));
  for (Stream* stream : {&s0, &s1}) {
    Window inner(*stream);
    CHECK(code_of(inner.prepare()) == "invalid_state");
    CHECK(code_of(stream->capture([&](Stream& it) { return fixture.inc(it, d); })) ==
          "invalid_state");
  }
  must(fixture.inc(s0, d));
  must(edge(fixture, s1, s0));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  must(graph.replay(s0));
  fixture.expect(s0, d, 2);
  fixture.expect(s0, e, 2);
}

TEST_CASE("B44 a stream that only the warm-up used can't be waited for in the window", "[B44]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& stale = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  const Words e = fixture.words(stale, 1);
  const Event done = must(fixture.runtime().create_event());
  Window window(s0);
  must(window.prepare());
  must(fixture.inc(stale, e));
  must(stale.record(done));
  must(s0.wait(done));
  must(fixture.inc(s0, d));
  must(window.begin());
  must(fixture.inc(stale, e));  // it still works outside of the window
  must(stale.record(done));
  const Result<void> refused = s0.wait(done);
  REQUIRE(code_of(refused) == "not_permitted");
  CHECK(contains(refused.error().message, "isolation"));
  CHECK(names_stream(refused.error(), stale));
  CHECK(contains(refused.error().message, "warm-up"));
  must(fixture.inc(s0, d));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s0));
  fixture.expect(s0, d, 3);
  fixture.expect(stale, e, 3);
}

}  // namespace
}  // namespace oriel::conformance
