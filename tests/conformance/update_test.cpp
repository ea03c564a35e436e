#include "conformance/fixture.hpp"

#include <array>
#include <functional>
#include <random>

namespace oriel::conformance {
namespace {

// Says that the backend can't update and asserts that it refuses.
bool updates(Fixture& fixture) {
  if (fixture.runtime().capabilities().update) {
    return true;
  }
  fixture.declared_unsupported("update");
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  Graph again = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  CHECK(code_of(graph.update(0, inout(d))) == "unsupported");
  CHECK(code_of(graph.update_from(again)) == "unsupported");
  must(graph.replay(s));
  fixture.expect(s, d, 4);
  return false;
}

// One step of which every field can be changed alone.
struct Step {
  std::string kernel = "scale_add";
  std::size_t words = 512;
  std::uint32_t group = 64;
  Word k = 3;
  const Words* to = nullptr;
  const Words* from = nullptr;
  const Words* copy_to = nullptr;
  std::size_t copied = 128;
  Word filled = 5;
  bool fill_first = false;

  Result<void> operator()(Fixture& fixture, const Stream& s) const {
    const Words part = copy_to->view(0, copied);
    if (fill_first) {
      ORIEL_TRY(s.fill(part, filled));
    }
    const LaunchConfig shape{static_cast<std::uint32_t>(words / group), group, {}};
    if (kernel == "scale_add") {
      ORIEL_TRY(s.launch(fixture.kernel(kernel), shape, inout(*to), in(*from), k));
    } else {
      ORIEL_TRY(s.launch(fixture.kernel(kernel), shape, out(*to), in(*from)));
    }
    if (!fill_first) {
      ORIEL_TRY(s.fill(part, filled));
    }
    return s.copy(part, to->view(0, copied));
  }
};

Graph record(Fixture& fixture, Stream& s, const Step& step) {
  return must_graph(s.capture([&](Stream& it) { return step(fixture, it); }));
}

TEST_CASE("B60 a graph is told from one in which any one thing differs", "[B60]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words a = fixture.words(s, 1);
  const Words b = fixture.words(s, 2);
  const Words c = fixture.words(s, 3);
  Words gone = fixture.words(s, 4);
  const Step base{.to = &a, .from = &b, .copy_to = &c};
  const Graph graph = record(fixture, s, base);
  CHECK(graph.same_work(graph));
  CHECK(graph.same_work(record(fixture, s, base)));
  const std::vector<std::pair<const char*, std::function<void(Step&)>>> changes = {
      {"kernel", [](Step& it) { it.kernel = "copy"; }},
      {"shape", [](Step& it) { it.words = 256; }},
      {"group", [](Step& it) { it.group = 32; }},
      {"scalar", [](Step& it) { it.k = 4; }},
      {"written buffer",
       [&](Step& it) {
         it.to = &b;
         it.from = &a;
       }},
      {"read buffer", [&](Step& it) { it.from = &c; }},
      {"copied bytes", [](Step& it) { it.copied = 64; }},
      {"pattern", [](Step& it) { it.filled = 6; }},
      {"order", [](Step& it) { it.fill_first = true; }},
  };
  for (const auto& [what, change] : changes) {
    INFO(what);
    Step changed = base;
    change(changed);
    CHECK_FALSE(graph.same_work(record(fixture, s, changed)));
  }
  // Memory that was freed and handed out again is not the memory that was recorded.
  Step with_gone = base;
  with_gone.from = &gone;
  const Graph old = record(fixture, s, with_gone);
  gone = fixture.words(s, 4);
  CHECK_FALSE(old.same_work(record(fixture, s, with_gone)));
  CHECK(graph.same_work(record(fixture, s, base)));
}

TEST_CASE("B60 a graph reused wherever it does the same never gives another result", "[B60]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const std::array<Words, 3> buffers{fixture.words(s, 0), fixture.words(s, 0), fixture.words(s, 0)};
  std::array<Word, 3> expected{1, 2, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    must(s.fill(buffers[i], expected[i]));
  }
  std::mt19937 random(60);
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::optional<Graph> kept;
  std::size_t hits = 0;
  const int rounds = static_cast<int>(1000 / kLoopScale);
  for (int round = 0; round < rounds; ++round) {
    const unsigned to = pick(2);
    const unsigned from = 2 - pick(2) * (1 - to);
    const Word k = 1 + pick(2);
    Window window(s);
    fixture.open(window);
    must(fixture.scale_add(s, buffers[to], buffers[from], k));
    Graph fresh = must_graph(window.instantiate());
    if (kept && kept->same_work(fresh)) {
      ++hits;
    } else {
      kept.emplace(std::move(fresh));
    }
    must(kept->replay(s));
    expected[to] += expected[from] * k;
  }
  CHECK(hits > 0);
  CHECK(hits < static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i < 3; ++i) {
    fixture.expect(s, buffers[i], expected[i]);
  }
}

TEST_CASE("B61 arguments are copied: the caller's arrays change nothing until an update", "[B61]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  Word k = 2;
  std::array<Argument, 3> arguments{inout(d), in(x), argument(k)};
  Window window(s);
  fixture.open(window);
  must(s.launch_with(fixture.kernel("scale_add"), fixture.over(d.size()), arguments));
  Graph graph = must_graph(window.instantiate());
  k = 1000;
  arguments = {};
  must(graph.replay(s));
  fixture.expect(s, d, 2);
  if (!updates(fixture)) {
    return;
  }
  k = 5;
  arguments = {inout(d), in(x), argument(k)};
  must(graph.update_with(0, arguments));
  k = 1000;
  arguments = {};
  must(graph.replay(s));
  fixture.expect(s, d, 7);
}

TEST_CASE("B62 an update before the first run doesn't wait for one", "[B62]") {
  Fixture fixture;
  if (!updates(fixture)) {
    return;
  }
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.scale_add(s, d, x, 1));
  Graph graph = must_graph(window.instantiate());
  must(guarded("update", [&] { return graph.update(0, inout(d), in(x), Word{9}); }));
  must(graph.replay(s));
  fixture.expect(s, d, 9);
}

TEST_CASE("B62 an update reaches every node for the next run and none of the present one",
          "[B62]") {
  Fixture fixture;
  if (!updates(fixture)) {
    return;
  }
  Stream& s = fixture.stream();
  const Words slow = fixture.words(s, 0);
  const Words first = fixture.words(s, 0);
  const Words last = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.scale_add(s, first, x, 1));
  must(fixture.slow_inc(s, slow));
  must(fixture.scale_add(s, last, x, 1));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  must(graph.update(0, inout(first), in(x), Word{10}));
  must(graph.update(2, inout(last), in(x), Word{10}));
  must(graph.replay(s));
  fixture.expect(s, first, 11);
  fixture.expect(s, last, 11);
}

TEST_CASE("B64 an update from another topology is refused and changes nothing", "[B64]") {
  Fixture fixture;
  if (!updates(fixture)) {
    return;
  }
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(s, 0);
  const auto inc = [&](const Stream& it) { return fixture.inc(it, d); };
  const auto copy = [&](const Stream& it) { return fixture.copy(it, e, d); };
  using Calls = std::vector<std::function<Result<void>(const Stream&)>>;
  const auto recorded = [&](const Calls& calls) {
    Window window(s);
    fixture.open(window);
    for (const auto& call : calls) {
      must(call(s));
    }
    return must_graph(window.instantiate());
  };
  Graph graph = recorded({inc, copy});
  const auto refused = [&](const char* what, const Graph& other) {
    INFO(what);
    const Result<void> updated = graph.update_from(other);
    REQUIRE(code_of(updated) == "unsupported");
    CHECK(contains(updated.error().message, "topology"));
    CHECK(graph.node_count() == 2);
  };
  refused("one call more", recorded({inc, inc, copy}));
  refused("one call less", recorded({inc}));
  refused("another order", recorded({copy, inc}));
  refused("another grid",
          recorded({[&](const Stream& it) {
                      return it.launch(fixture.kernel("inc"), fixture.over(d.size() / 2), inout(d));
                    },
                    copy}));
  refused("another kind of call", recorded({inc, [&](const Stream& it) { return it.copy(e, d); }}));
  must(graph.replay(s));
  fixture.expect(s, d, 2);
  fixture.expect(s, e, 2);
  must(fixture.inc(s, d));  // no error sticks
  fixture.expect(s, d, 3);
}

TEST_CASE("B64 an update from the same step with other arguments takes all of them", "[B64]") {
  Fixture fixture;
  if (!updates(fixture)) {
    return;
  }
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Words e = fixture.words(s, 0);
  Words f = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  const auto recorded = [&](const Words& to, Word k) {
    Window window(s);
    fixture.open(window);
    must(fixture.scale_add(s, d, x, k));
    must(fixture.copy(s, to, d));
    return must_graph(window.instantiate());
  };
  Graph graph = recorded(e, 1);
  must(graph.update_from(recorded(f, 10)));
  CHECK(graph.same_work(recorded(f, 10)));
  CHECK(e.slice()->pins == 0);
  CHECK(f.slice()->pins == 1);
  f = {};
  fixture.scribble(s);  // the graph alone holds it now
  must(graph.replay(s));
  fixture.expect(s, d, 11);
  fixture.expect(s, e, 0);
  must(graph.update_from(graph));
  Fixture stranger;
  Stream& other = stranger.stream();
  const Words foreign = stranger.words(other, 1);
  const Graph theirs =
      must_graph(other.capture([&](Stream& it) { return stranger.inc(it, foreign); }));
  CHECK(code_of(graph.update_from(theirs)) == "invalid_state");
  CHECK_FALSE(graph.same_work(theirs));
}

TEST_CASE("B64 an update that the driver refuses half way is taken back whole", "[B64][fake]") {
  const auto script = std::make_shared<fake::Script>(RecordingMode::kCaptures);
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  const auto recorded = [&](Word k) {
    Window window(s);
    fixture.open(window);
    must(fixture.scale_add(s, d, x, k));
    must(fixture.scale_add(s, d, x, 10 * k));
    return must_graph(window.instantiate());
  };
  Graph graph = recorded(1);
  script->fail(fake::Call::kUpdate, 2, {ErrorCode::kDriverError, 910, "FAKE_UPDATE_FAILURE"});
  const Result<void> refused = graph.update_from(recorded(2));
  REQUIRE(code_of(refused) == "driver_error");
  CHECK(refused.error().native.value == 910);
  must(graph.replay(s));
  fixture.expect(s, d, 11);
  CHECK(graph.same_work(recorded(1)));
}

// As the kernel's.
struct Padded {
  std::uint8_t small;
  std::uint64_t large;
  std::uint8_t tail;
};

TEST_CASE("B65 arguments of every width arrive, eager and recorded, packed or one by one",
          "[B65]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words x = fixture.words(s, 7);
  const std::uint8_t a = 20;
  const std::uint64_t b = std::uint64_t{3} << 32;
  const Padded padded{4, std::uint64_t{5} << 32, 6};
  const std::uint8_t c = 8;
  const Word want = 7 + 20 + 300 + 40000 + 500000 + 6000000 + 80000000;
  const Kernel& pack = fixture.kernel("pack");
  const LaunchConfig shape = fixture.over(x.size());
  const auto one_by_one = [&](const Stream& it, const Words& to) {
    return it.launch(pack, shape, out(to), in(x), a, b, padded, c);
  };
  const auto as_list = [&](const Stream& it, const Words& to) {
    const std::array<Argument, 6> list{
        out(to), in(x), argument(a), argument(b), argument(padded), argument(c)};
    return it.launch_with(pack, shape, list);
  };
  const auto check = [&](const auto& launch) {
    const Words eager = fixture.words(s, 0);
    must(launch(s, eager));
    fixture.expect(s, eager, want);
    const Words recorded = fixture.words(s, 0);
    Graph graph = must_graph(s.capture([&](Stream& it) { return launch(it, recorded); }));
    must(s.fill(recorded, 0));
    must(graph.replay(s));
    fixture.expect(s, recorded, want);
  };
  check(one_by_one);
  check(as_list);
}

}  // namespace
}  // namespace oriel::conformance
