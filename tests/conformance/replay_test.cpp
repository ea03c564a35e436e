#include "conformance/fixture.hpp"

#include <thread>

namespace oriel::conformance {
namespace {

TEST_CASE("B58 a replay writes the buffer that was recorded", "[B58]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 3);
  const Words recorded = fixture.words(s, 0);
  Words handle = recorded;
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.copy(it, handle, in); }));
  handle = fixture.words(s, 77);
  must(s.fill(in, 4));
  must(graph.replay(s));
  fixture.expect(s, recorded, 4);
  fixture.expect(s, handle, 77);
}

TEST_CASE("B59 a scalar is what it was at the record, until it is updated", "[B59]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words in = fixture.words(s, 1);
  Word k = 2;
  Window window(s);
  fixture.open(window);
  must(fixture.scale_add(s, d, in, k));
  Graph graph = must_graph(window.instantiate());
  k = 5;
  must(graph.replay(s));
  fixture.expect(s, d, 2);
  if (!fixture.runtime().capabilities().update) {
    fixture.declared_unsupported("update");
    CHECK(code_of(graph.update(0, inout(d), oriel::in(in), k)) == "unsupported");
    must(graph.replay(s));
    fixture.expect(s, d, 4);
    return;
  }
  must(graph.update(0, inout(d), oriel::in(in), k));
  must(graph.replay(s));
  fixture.expect(s, d, 7);
}

TEST_CASE("B59 a parameter in memory changes between replays", "[B59]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words in = fixture.words(s, 1);
  const Words k = fixture.words(s, 0, 64);
  const PinnedWords slot = must(s.allocate_pinned<Word>(64));
  Window window(s);
  fixture.open(window);
  must(s.copy(k, slot));
  must(s.launch(fixture.kernel("scale_add_by"),
                fixture.over(d.size()),
                inout(d),
                oriel::in(in),
                oriel::in(k)));
  Graph graph = must_graph(window.instantiate());
  Word sum = 0;
  for (const Word factor : {2U, 5U, 11U}) {
    slot.host()[0] = factor;
    must(graph.replay(s));
    fixture.sync(s);
    sum += factor;
    fixture.expect(s, d, sum);
  }
}

TEST_CASE("B59 an update of what is no launch, or doesn't fit, changes nothing", "[B59]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words in = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(s.fill(d, 10));
  must(fixture.scale_add(s, d, in, 2));
  Graph graph = must_graph(window.instantiate());
  const bool updates = fixture.runtime().capabilities().update;
  if (!updates) {
    fixture.declared_unsupported("update");
  }
  const std::string refused = updates ? "invalid_argument" : "unsupported";
  CHECK(code_of(graph.update(0, inout(d), oriel::in(in), Word{3})) == refused);
  CHECK(code_of(graph.update(2, inout(d), oriel::in(in), Word{3})) == refused);
  CHECK(code_of(graph.update(1, inout(d), oriel::in(in))) == refused);
  CHECK(code_of(graph.update(1, inout(d), oriel::in(in), 3.0F)) == refused);
  CHECK(code_of(graph.update(1, Word{1}, oriel::in(in), Word{3})) == refused);
  must(graph.replay(s));
  fixture.expect(s, d, 12);
}

TEST_CASE("B59 an update pins the new buffers in place of the old", "[B59]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  if (!fixture.runtime().capabilities().update) {
    const Words d = fixture.words(s, 0);
    Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
    fixture.declared_unsupported("update");
    CHECK(code_of(graph.update(0, inout(d))) == "unsupported");
    return;
  }
  Words first = fixture.words(s, 1);
  Words second = fixture.words(s, 100);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, first));
  Graph graph = must_graph(window.instantiate());
  const GraphMemory before = graph.memory();
  must(graph.replay(s));
  must(graph.update(0, inout(second)));
  must(graph.replay(s));
  fixture.expect(s, first, 2);
  fixture.expect(s, second, 101);
  CHECK(graph.memory().slices == before.slices);
  CHECK(first.slice()->pins == 0);
  CHECK(second.slice()->pins == 1);
  {
    Window inside(s);
    fixture.open(inside);
    CHECK(code_of(graph.update(0, inout(first))) == "not_permitted");
  }
  second = {};
  fixture.scribble(s);
  must(graph.replay(s));
  fixture.sync(s);
}

TEST_CASE("B62 replays that are queued keep the arguments they were queued with", "[B62]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words slow = fixture.words(s, 0);
  const Words d = fixture.words(s, 0);
  const Words in = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.slow_inc(s, slow));
  must(fixture.scale_add(s, d, in, 1));
  Graph graph = must_graph(window.instantiate());
  if (!fixture.runtime().capabilities().update) {
    fixture.declared_unsupported("update");
    CHECK(code_of(graph.update(1, inout(d), oriel::in(in), Word{10})) == "unsupported");
    return;
  }
  must(graph.replay(s));
  must(graph.replay(s));
  must(graph.update(1, inout(d), oriel::in(in), Word{10}));
  must(graph.replay(s));
  must(graph.update(1, inout(d), oriel::in(in), Word{100}));
  must(graph.replay(s));
  fixture.expect(s, d, 112);
}

TEST_CASE("B67 a graph runs on any stream of its device, in the order of that stream", "[B67]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  Graph graph = must_graph(s0.capture([&](Stream& it) { return fixture.slow_inc(it, d); }));
  fixture.sync(s0);
  const Event done = must(fixture.runtime().create_event());
  for (Word round = 0; round < 10; ++round) {
    must(graph.replay(s1));
    must(s1.record(done));
    must(s0.wait(done));
    fixture.expect(s0, d, 3 + round);
  }
}

TEST_CASE("B67 what belongs to another runtime is refused and nothing runs", "[B67]") {
  Fixture fixture;
  Fixture stranger;
  Stream& s = fixture.stream();
  Stream& other = stranger.stream();
  const Words d = fixture.words(s, 1);
  const Words foreign = stranger.words(other, 1);
  const Event event = must(stranger.runtime().create_event());
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  CHECK(code_of(graph.replay(other)) == "invalid_state");
  CHECK(code_of(fixture.inc(s, foreign)) == "invalid_state");
  CHECK(code_of(s.fill(foreign, 1)) == "invalid_state");
  CHECK(code_of(s.copy(d, foreign)) == "invalid_state");
  CHECK(code_of(s.copy(foreign, d)) == "invalid_state");
  CHECK(code_of(s.read(foreign)) == "invalid_state");
  CHECK(code_of(s.record(event)) == "invalid_state");
  CHECK(code_of(s.wait(event)) == "invalid_state");
  CHECK(code_of(stranger.inc(s, d)) == "invalid_state");  // the stranger's kernel
  fixture.expect(s, d, 2);
  stranger.expect(other, foreign, 1);
}

TEST_CASE("B76 two replays at once are put in order", "[B76]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 0);
  Graph graph = must_graph(s0.capture([&](Stream& it) { return fixture.slow_inc(it, d); }));
  fixture.sync(s0);
  constexpr Word kRounds = 50 / kLoopScale;
  for (Word round = 0; round < kRounds; ++round) {
    Result<void> here;
    Result<void> there;
    std::thread thread([&] { there = graph.replay(s1); });
    here = graph.replay(s0);
    thread.join();
    must(here);
    must(there);
    fixture.sync(s0);
    fixture.sync(s1);
    fixture.expect(s0, d, 1 + 2 * (round + 1));
  }
}

TEST_CASE("B76 replays queued in a row each run once", "[B76]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  constexpr Word kReplays = 500;
  for (Word i = 0; i < kReplays; ++i) {
    must(graph.replay(fixture.stream(i % 2)));
  }
  fixture.sync(fixture.stream(1));
  fixture.expect(s, d, 1 + kReplays);
}

TEST_CASE("eager work between replays sees and changes what they work on", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.scale_add(it, d, d, 1); }));
  must(s.fill(d, 1));
  Word value = 1;
  for (int i = 0; i < 10; ++i) {
    must(graph.replay(s));
    must(fixture.inc(s, d));
    value = 2 * value + 1;
  }
  fixture.expect(s, d, value);
}

TEST_CASE("the graph's picture names its calls", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  Graph graph = must_graph(s.capture([&](Stream& it) -> Result<void> {
    ORIEL_TRY(fixture.inc(it, d, "first \"step\""));
    return fixture.inc(it, d);
  }));
  const std::string dot = graph.to_dot();
  CHECK(contains(dot, "digraph"));
  CHECK(contains(dot, "first \\\"step\\\""));
  CHECK(contains(dot, "inc"));
  CHECK(contains(dot, "->"));
}

}  // namespace
}  // namespace oriel::conformance
