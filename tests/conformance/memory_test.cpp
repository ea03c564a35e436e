#include "conformance/fixture.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace oriel::conformance {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

[[nodiscard]] constexpr std::size_t words_of(std::size_t bytes) {
  return bytes / sizeof(Word);
}

TEST_CASE("B01 an allocation that was not armed is refused and dooms the window", "[B01]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 5);
  Window window(s);
  fixture.open(window, s, [&](Stream& it) { return fixture.inc(it, d); });
  const RuntimeStats before = fixture.stats();

  const auto scratch = s.allocate<Word>(words_of(20 * kKiB), "attention.scratch");
  REQUIRE(code_of(scratch) == "would_allocate");
  CHECK(contains(scratch.error().to_string(), "attention.scratch"));
  CHECK(fixture.stats().provider_allocations == before.provider_allocations);
  CHECK(code_of(fixture.inc(s, d)) == "doomed");

  const CaptureResult result = window.instantiate();
  REQUIRE(code_of(result) == "would_allocate");
  CHECK(contains(result.error().error.to_string(), "attention.scratch"));
  must(s.fill(d, 7));
  fixture.expect(s, d, 7);
  fixture.recovery_check(s);
}

TEST_CASE("B02 a pinned allocation that was not armed is refused as a device one is", "[B02]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  Window window(s);
  fixture.open(window);
  const RuntimeStats before = fixture.stats();
  CHECK(code_of(s.allocate_pinned<Word>(words_of(20 * kKiB))) == "would_allocate");
  CHECK(fixture.stats().provider_allocations == before.provider_allocations);
  CHECK(code_of(window.instantiate()) == "would_allocate");
  fixture.recovery_check(s);
}

TEST_CASE("B03 a full pool gives nothing back to serve a request in a window", "[B03]") {
  Fixture fixture({.device_limit = 8 * kMiB, .plugin_directories = {}});
  Stream& s = fixture.stream();
  const Words a = fixture.words(s, 1, words_of(4 * kMiB));
  Words b = fixture.words(s, 1, words_of(4 * kMiB));
  b = {};
  fixture.sync(s);
  Window window(s);
  fixture.open(window);
  const RuntimeStats before = fixture.stats();
  must(fixture.inc(s, a));
  CHECK(code_of(fixture.runtime().trim()) == "not_permitted");
  CHECK(code_of(s.allocate<Word>(words_of(6 * kMiB))) == "would_allocate");
  CHECK(fixture.stats().provider_allocations == before.provider_allocations);
  CHECK(fixture.stats().provider_releases == before.provider_releases);
  CHECK(fixture.stats().device_reserved == before.device_reserved);
  CHECK(code_of(window.instantiate()) == "would_allocate");

  b = must(s.allocate<Word>(words_of(4 * kMiB)));
  CHECK(fixture.stats().provider_allocations == before.provider_allocations);
}

TEST_CASE("B03 a request above the limit is out_of_memory outside a window", "[B03]") {
  Fixture fixture({.device_limit = 64 * kKiB, .pinned_limit = 64 * kKiB, .plugin_directories = {}});
  Stream& s = fixture.stream();
  CHECK(code_of(s.allocate<Word>(words_of(96 * kKiB))) == "out_of_memory");
  CHECK(code_of(s.allocate_pinned<Word>(words_of(96 * kKiB))) == "out_of_memory");
  must(fixture.runtime().set_limit(Limit::kDeviceBytes, 0));
  CHECK(code_of(s.allocate<Word>(words_of(96 * kKiB))) == "ok");
}

TEST_CASE("B04 staging memory that a graph copies from is not handed out again", "[B04]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0, 64);
  const Words result = fixture.words(s, 0, 64);
  PinnedWords p = must(s.allocate_pinned<Word>(64));
  std::fill(p.host().begin(), p.host().end(), 0x11U);
  Ranges pinned;
  pinned.add(p);

  Window window(s);
  fixture.open(window);
  must(s.copy(d, p));
  must(fixture.copy(s, result, d));
  std::optional<Graph> graph = must_graph(window.instantiate());
  CHECK(fixture.stats().graph_pinned_bytes >= p.bytes());
  CHECK(graph->memory().pinned_bytes >= p.bytes());
  p = {};

  for (int i = 0; i < 100; ++i) {
    const PinnedWords other = must(s.allocate_pinned<Word>(64));
    std::fill(other.host().begin(), other.host().end(), 0x22U);
    REQUIRE_FALSE(pinned.overlaps(other));
  }
  fixture.scribble(s);
  must(graph->replay(s));
  fixture.expect(s, result, 0x11);
  graph.reset();
  fixture.sync(s);
  CHECK(fixture.stats().graph_pinned_bytes == 0);
}

// to[i] = from[(i % 4 + rotation) % 64], by a table that is a temporary of the call.
Result<void> gather_rotated(
    Fixture& fixture, Stream& s, const Words& to, const Words& from, Word rotation) {
  std::array<Word, 4> table{};
  for (Word i = 0; i < table.size(); ++i) {
    table[i] = (i + rotation) % 64;
  }
  return s.launch(fixture.kernel("gather"),
                  fixture.over(to.size()),
                  out(to),
                  in(from),
                  info(std::span<const Word>(table)));
}

TEST_CASE("B52 pinned memory in a window is served without a question to the driver",
          "[B52][fake]") {
  const auto script =
      std::make_shared<fake::Script>(GENERATE(RecordingMode::kCaptures, RecordingMode::kBuilds));
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  {
    // A pinned block is freed while a copy from it is under way.
    const PinnedWords pending = must(s.allocate_pinned<Word>(Fixture::kWords));
    must(s.copy(d, pending));
  }
  const bool armed = GENERATE(true, false);
  Window window(s);
  must(window.prepare());
  if (armed) {
    must(s.copy(d, must(s.allocate_pinned<Word>(Fixture::kWords))));
  }
  must(window.begin());
  const auto questions = [&] {
    return script->calls(fake::Call::kQueryEvent) + script->calls(fake::Call::kQueryStream) +
           script->calls(fake::Call::kSynchronizeEvent) +
           script->calls(fake::Call::kSynchronizeStream) +
           script->calls(fake::Call::kProviderAllocate);
  };
  const std::uint64_t before = questions();
  const auto pinned = s.allocate_pinned<Word>(Fixture::kWords);
  CHECK(code_of(pinned) == (armed ? "ok" : "would_allocate"));
  if (armed) {
    must(s.copy(d, *pinned));
  }
  CHECK(code_of(window.instantiate()) == (armed ? "ok" : "would_allocate"));
  CHECK(questions() == before);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("B06 info bytes live as long as the graph that reads them", "[B06]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words from = must(s.allocate<Word>(64));
  std::vector<Word> source(64);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<Word>(100 + i);
  }
  must(s.upload(from, source));
  const Words to = fixture.words(s, 0, 64);
  Graph graph =
      must_graph(s.capture([&](Stream& it) { return gather_rotated(fixture, it, to, from, 1); }));
  CHECK(graph.node_count() == 1);
  CHECK(graph.memory().slices == 3);
  for (Word round = 0; round < 3; ++round) {
    fixture.scribble(s);
    std::transform(source.begin(), source.end(), source.begin(), [](Word w) { return w + 7; });
    must(s.upload(from, source));
    for (Word other = 2; other < 40; ++other) {
      must(gather_rotated(fixture, s, to, from, other));  // pushes other tables through the cache
    }
    must(graph.replay(s));
    const std::vector<Word> got = fixture.read(s, to);
    for (std::size_t i = 0; i < got.size(); ++i) {
      REQUIRE(got[i] == source[(i % 4 + 1) % 64]);
    }
  }
}

TEST_CASE("B07 bytes of plain host memory are those of the call that recorded them", "[B07]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0, 64);
  std::vector<Word> source(64, 0x11);
  const auto step = [&](Stream& it) { return it.upload(d, source); };
  Window window(s);
  fixture.open(window, s, step);
  std::fill(source.begin(), source.end(), 0x22U);
  must(step(s));
  std::fill(source.begin(), source.end(), 0x33U);
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.memory().pinned_bytes >= source.size() * sizeof(Word));
  fixture.nothing_ran(s, d, 0x11);
  for (int round = 0; round < 2; ++round) {
    fixture.scribble(s);
    must(s.fill(d, 0));
    must(graph.replay(s));
    fixture.expect(s, d, 0x22);
  }
}

TEST_CASE("B07 a copy to plain host memory is not permitted in a window", "[B07]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 3, 64);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  std::vector<Word> host(64, 9);
  CHECK(code_of(s.download(std::span<Word>(host), d)) == "not_permitted");
  CHECK(code_of(s.read(d)) == "not_permitted");
  CHECK(std::count(host.begin(), host.end(), 9U) == 64);
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.expect(s, d, 4);
  fixture.recovery_check(s);
}

TEST_CASE("a copy to a pinned buffer is recorded and brings the bytes of each replay", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 3, 64);
  const PinnedWords p = must(s.allocate_pinned<Word>(64));
  std::fill(p.host().begin(), p.host().end(), 0U);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  must(s.copy(p, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(p.host().front() == 0);
  for (Word round = 1; round <= 3; ++round) {
    fixture.scribble(s);
    must(graph.replay(s));
    fixture.sync(s);
    CHECK(std::count(p.host().begin(), p.host().end(), 3 + round) == 64);
  }
}

TEST_CASE("B08 memory that two graphs share stays until the second is gone", "[B08]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 1);
  const Words first = fixture.words(s, 0);
  const Words second = fixture.words(s, 0);
  Words scratch = fixture.words(s, 0);
  Ranges held;
  held.add(scratch);
  const auto capture = [&](const Words& to) {
    Window window(s);
    fixture.open(window);
    must(fixture.copy(s, scratch, in));
    must(fixture.inc(s, scratch));
    must(fixture.copy(s, to, scratch));
    return must_graph(window.instantiate());
  };
  std::optional<Graph> x1 = capture(first);
  std::optional<Graph> x2 = capture(second);
  CHECK(scratch.slice()->pins == 2);
  x2.reset();
  fixture.sync(s);
  CHECK(scratch.slice()->pins == 1);
  scratch = {};

  std::vector<Words> pressure;
  for (int i = 0; i < 50; ++i) {
    pressure.push_back(fixture.words(s, 0xEEEEEEEE));
    REQUIRE_FALSE(held.overlaps(pressure.back()));
  }
  must(s.fill(in, 41));
  must(x1->replay(s));
  fixture.expect(s, first, 42);
  x1.reset();
  fixture.sync(s);
  CHECK(fixture.stats().graph_device_bytes == 0);
}

TEST_CASE("B10 scratch memory is used again within a window", "[B10]") {
  constexpr std::size_t kScratch = 4 * kMiB;
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1, words_of(kScratch));
  const auto call = [&](Stream& it) -> Result<void> {
    auto scratch = it.allocate<Word>(words_of(kScratch), "scratch");
    if (!scratch) {
      return fail(scratch.error());
    }
    ORIEL_TRY(fixture.copy(it, *scratch, d));
    ORIEL_TRY(fixture.inc(it, *scratch));
    return fixture.copy(it, d, *scratch);
  };
  const auto step = [&](Stream& it) -> Result<void> {
    ORIEL_TRY(call(it));
    ORIEL_TRY(call(it));
    return call(it);
  };
  const std::size_t start = fixture.stats().device_reserved;
  Window window(s);
  must(window.prepare());
  must(step(s));
  const std::size_t warm = fixture.stats().device_reserved;
  must(window.begin());
  must(step(s));
  Graph graph = must_graph(window.instantiate());
  const std::size_t after = fixture.stats().device_reserved;
  CHECK(warm <= start + 2 * kScratch);
  CHECK(after <= warm + kScratch);
  // The graph pins its buffer and one scratch block, not three.
  CHECK(graph.memory().device_bytes <= 2 * kScratch + 64 * kKiB);
  fixture.expect(s, d, 4);
  for (Word round = 1; round <= 2; ++round) {
    fixture.scribble(s);
    must(s.fill(d, 10 * round));
    must(graph.replay(s));
    fixture.expect(s, d, 10 * round + 3);
  }
}

TEST_CASE("B11 memory and objects don't grow with each graph", "[B11]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  const auto step = [&](Stream& it) -> Result<void> {
    auto scratch = it.allocate<Word>(8 * Fixture::kWords);
    if (!scratch) {
      return fail(scratch.error());
    }
    for (int i = 0; i < 4; ++i) {
      ORIEL_TRY(fixture.inc(it, *scratch));
    }
    return fixture.inc(it, d);
  };
  constexpr std::size_t kCycles = 200 / kLoopScale;
  RuntimeStats second;
  for (std::size_t cycle = 1; cycle <= kCycles; ++cycle) {
    {
      Graph graph = must_graph(s.capture(step));
      must(graph.replay(s));
      fixture.sync(s);
    }
    fixture.sync(s);
    const RuntimeStats now = fixture.stats();
    REQUIRE(now.graph_device_bytes == 0);
    REQUIRE(now.graph_pinned_bytes == 0);
    if (cycle == 2) {
      second = now;
    }
    if (cycle > 2) {
      REQUIRE(now.device_reserved == second.device_reserved);
      REQUIRE(now.pinned_reserved == second.pinned_reserved);
      REQUIRE(now.live_slices == second.live_slices);
      REQUIRE(now.live_graphs == second.live_graphs);
      REQUIRE(now.live_events == second.live_events);
    }
  }
  fixture.expect(s, d, static_cast<Word>(2 * kCycles));
}

TEST_CASE("B14 eager work between replays disturbs neither", "[B14]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 0);
  const Words result = fixture.words(s, 0);
  Ranges held;
  const auto step = [&](Stream& it) -> Result<void> {
    held = {};
    for (int i = 0; i < 5; ++i) {
      auto scratch = it.allocate<Word>(Fixture::kWords);
      if (!scratch) {
        return fail(scratch.error());
      }
      held.add(*scratch);
      ORIEL_TRY(fixture.copy(it, *scratch, in));
      ORIEL_TRY(fixture.inc(it, *scratch));
      ORIEL_TRY(fixture.inc(it, *scratch));
      ORIEL_TRY(fixture.copy(it, result, *scratch));
    }
    return {};
  };
  Graph x = must_graph(s.capture(step));
  CHECK(x.node_count() == 20);
  const Ranges of_x = held;
  for (Word turn = 0; turn < 100 / kLoopScale; ++turn) {
    must(s.fill(in, turn));
    must(x.replay(s));
    for (int i = 0; i < 4; ++i) {
      const Words other = fixture.words(s, 0xABABABAB);
      REQUIRE_FALSE(of_x.overlaps(other));
    }
    fixture.expect(s, result, turn + 2);
    if (turn % 10 == 0) {
      Graph y = must_graph(s.capture(step));
      must(y.replay(s));
    }
  }
}

TEST_CASE("B19 giving memory back renumbers nothing that is in use", "[B19]") {
  constexpr std::size_t kPage = 5 * kMiB;  // more than pools carve out of one page
  Fixture fixture;
  Stream& s = fixture.stream();
  std::vector<Words> pages;
  for (Word i = 0; i < 5; ++i) {
    pages.push_back(fixture.words(s, i, words_of(kPage)));
  }
  pages[1] = {};
  pages[3] = {};
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, pages[2]));
  must(fixture.copy(s, pages[4], pages[2]));
  Graph graph = must_graph(window.instantiate());
  fixture.sync(s);
  const std::size_t before = fixture.stats().device_reserved;
  CHECK(must(fixture.runtime().trim()) >= kPage);
  CHECK(fixture.stats().device_reserved < before);
  must(graph.replay(s));
  fixture.expect(s, pages[2], 3);
  fixture.expect(s, pages[4], 3);
  must(fixture.inc(s, pages[0]));
  fixture.expect(s, pages[0], 1);
}

TEST_CASE("B19 a handle that holds nothing is refused by every call", "[B19]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 2);
  const Words empty;
  CHECK(code_of(s.launch(fixture.kernel("inc"), fixture.over(Fixture::kWords), inout(empty))) ==
        "invalid_argument");
  CHECK(code_of(s.fill(empty, 1)) == "invalid_argument");
  CHECK(code_of(s.copy(d, empty)) == "invalid_argument");
  CHECK(code_of(s.copy(empty, d)) == "invalid_argument");
  CHECK(code_of(s.read(empty)) == "invalid_argument");
  fixture.expect(s, d, 2);
}

TEST_CASE("B19 an argument or a function that is a null pointer is refused by every call",
          "[B19]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 2);
  const LaunchConfig all = fixture.over(d.size());
  Argument buffer = inout(d);
  buffer.buffer = nullptr;
  CHECK(code_of(s.launch(fixture.kernel("inc"), all, buffer)) == "invalid_argument");
  const Word value = 3;
  Argument scalar = argument(value);
  scalar.data = nullptr;
  CHECK(code_of(s.launch(fixture.kernel("fill"), all, out(d), scalar)) == "invalid_argument");
  if (fixture.runtime().capabilities().host_functions) {
    CHECK(code_of(s.call_host_with(nullptr, nullptr)) == "invalid_argument");
  }
  fixture.expect(s, d, 2);
}

TEST_CASE("sizes that overflow are refused, and empty buffers cost nothing", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const std::uint64_t calls = fixture.stats().provider_allocations;
  CHECK(code_of(s.allocate<Word>(std::numeric_limits<std::size_t>::max())) == "invalid_argument");
  const Words nothing = must(s.allocate<Word>(0));
  CHECK(nothing.bytes() == 0);
  CHECK(fixture.stats().provider_allocations == calls);
}

TEST_CASE("freeing in a window succeeds and what a replay touches stays", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 1);
  const Words result = fixture.words(s, 0);
  Words middle = fixture.words(s, 0);
  Ranges held;
  held.add(middle);
  Window window(s);
  fixture.open(window);
  must(fixture.copy(s, middle, in));
  must(fixture.copy(s, result, middle));
  middle = {};
  Graph graph = must_graph(window.instantiate());
  for (Word round = 2; round < 5; ++round) {
    fixture.scribble(s);
    REQUIRE_FALSE(held.overlaps(fixture.words(s, 0xEE)));
    must(s.fill(in, round));
    must(graph.replay(s));
    fixture.expect(s, result, round);
  }
}

TEST_CASE("memory freed on one stream is not handed out while another still uses it", "[rule]") {
  Fixture fixture;
  Stream& a = fixture.stream(0);
  Stream& b = fixture.stream(1);
  const Words result = fixture.words(a, 0);
  for (Word round = 1; round <= 20; ++round) {
    Words d = fixture.words(a, round);
    const Event ready = must(fixture.runtime().create_event());
    must(a.record(ready));
    must(b.wait(ready));
    must(fixture.slow_inc(b, d));
    must(fixture.copy(b, result, d));
    d = {};
    std::vector<Words> others;
    for (int i = 0; i < 8; ++i) {
      others.push_back(fixture.words(a, 0xEEEEEEEE));
    }
    fixture.sync(a);
    fixture.expect(b, result, round + 1);
  }
}

}  // namespace
}  // namespace oriel::conformance
