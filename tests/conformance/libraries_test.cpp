// What libraries do that are called inside a step: they make things on first use, keep them per
// stream, take other paths in the warm-up, or are too old.

#include "conformance/fixture.hpp"

#include <map>

namespace oriel::conformance {
namespace {

using fake::Call;
using fake::Script;

// A library that takes a workspace at its first call in each window, unless it was given one.
class Workspace {
 public:
  explicit Workspace(Fixture& fixture) : fixture_(fixture) {}

  void supply(Words words) { given_ = std::move(words); }
  Result<void> call(const Stream& s, const Words& d) {
    Words scratch = given_;
    if (!scratch.valid()) {
      auto taken = s.allocate<Word>(1 << 16, "library.workspace");
      ORIEL_TRY(taken);
      scratch = std::move(*taken);
    }
    ORIEL_TRY(fixture_.copy(s, scratch.view(0, d.size()), d));
    return fixture_.inc(s, d);
  }

 private:
  Fixture& fixture_;
  Words given_;
};

TEST_CASE("B16 a library that takes memory in a window is named, and given some costs none",
          "[B16]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Workspace library(fixture);
  {
    Window window(s);
    fixture.open(window);
    const Result<void> refused = library.call(s, d);
    REQUIRE(code_of(refused) == "would_allocate");
    CHECK(contains(refused.error().to_string(), "library.workspace"));
    CHECK(code_of(window.instantiate()) == "would_allocate");
  }
  must(s.fill(d, 1));
  Window window(s);
  must(window.prepare());
  library.supply(must(s.allocate<Word>(1 << 16, "library.workspace")));
  must(library.call(s, d));
  must(window.begin());
  must(library.call(s, d));
  std::vector<Graph> graphs;
  graphs.push_back(must_graph(window.instantiate()));
  const RuntimeStats first = fixture.stats();
  for (int i = 1; i < 20; ++i) {
    graphs.push_back(must_graph(s.capture([&](Stream& it) { return library.call(it, d); })));
  }
  const RuntimeStats last = fixture.stats();
  CHECK(last.device_reserved == first.device_reserved);
  CHECK(last.graph_device_bytes == first.graph_device_bytes);
  for (Graph& graph : graphs) {
    must(graph.replay(s));
  }
  fixture.expect(s, d, 1 + 1 + 19 + 20);
}

TEST_CASE("B49 a step that works in place where it can does the same in warm-up and window",
          "[B49]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  std::vector<std::string> variants;
  // Works in place if nobody else holds the input, as engines do.
  const auto add_one = [&](const Stream& it,
                           std::shared_ptr<Words> x) -> Result<std::shared_ptr<Words>> {
    const bool alone = x.use_count() == 1 && x->slice()->references.load() == 1;
    variants.emplace_back(alone ? "in place" : "copy");
    if (!alone) {
      auto fresh = it.allocate<Word>(x->size());
      ORIEL_TRY(fresh);
      ORIEL_TRY(fixture.copy(it, *fresh, *x));
      x = std::make_shared<Words>(std::move(*fresh));
    }
    ORIEL_TRY(fixture.inc(it, *x));
    return x;
  };
  const Words source = fixture.words(s, 1);
  const Words result = fixture.words(s, 0);
  const auto step = [&](Stream& it) -> Result<void> {
    auto x = it.allocate<Word>(source.size());
    ORIEL_TRY(x);
    ORIEL_TRY(fixture.copy(it, *x, source));
    auto held = std::make_shared<Words>(std::move(*x));
    for (int i = 0; i < 2; ++i) {
      auto next = add_one(it, std::move(held));
      ORIEL_TRY(next);
      held = std::move(*next);
    }
    return fixture.copy(it, result, *held);
  };
  Window window(s);
  must(window.prepare());
  must(step(s));
  const std::vector<std::string> warmed = std::exchange(variants, {});
  must(window.begin());
  must(step(s));
  CHECK(warmed == variants);
  CHECK(warmed == std::vector<std::string>{"in place", "in place"});
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.memory().slices == 3);  // the source, the result, and one in between
  must(s.fill(result, 0));
  must(graph.replay(s));
  fixture.expect(s, result, 3);
}

// A library whose handle is made on first use, one a stream.
class Handles {
 public:
  explicit Handles(Fixture& fixture) : fixture_(fixture) {}

  Result<void> call(const Stream& s, const Words& d) {
    auto at = handles_.find(s.id().index);
    if (at == handles_.end()) {
      auto made = s.allocate<Word>(4096, "library.handle");
      ORIEL_TRY(made);
      at = handles_.emplace(s.id().index, std::move(*made)).first;
    }
    ORIEL_TRY(fixture_.copy(s, at->second.view(0, d.size()), d));
    return fixture_.inc(s, d);
  }

 private:
  Fixture& fixture_;
  std::map<std::uint32_t, Words> handles_;
};

TEST_CASE("B53 what a library keeps per stream is warmed up on the stream that captures", "[B53]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  const Words d = fixture.words(s0, 1);
  fixture.sync(s0);
  Handles library(fixture);
  {
    Window window(s0);
    must(window.prepare());
    must(library.call(s1, d));  // the wrong stream
    fixture.sync(s1);
    must(window.begin());
    const Result<void> refused = library.call(s0, d);
    REQUIRE(code_of(refused) == "would_allocate");
    CHECK(contains(refused.error().to_string(), "library.handle"));
    CHECK(contains(refused.error().to_string(), "warm-up"));
    CHECK(names_stream(refused.error(), s0));
    CHECK(code_of(window.instantiate()) == "would_allocate");
  }
  must(s0.fill(d, 1));
  Graph graph = must_graph(s0.capture([&](Stream& it) { return library.call(it, d); }));
  must(graph.replay(s0));
  fixture.expect(s0, d, 3);
}

// A channel that waits for its peer when it is first used.
class Channel {
 public:
  explicit Channel(Fixture& fixture) : fixture_(fixture) {}

  Result<void> send(const Stream& s, const Words& d) {
    if (!up_) {
      ORIEL_TRY(s.synchronize());
      up_ = true;
    }
    return fixture_.inc(s, d);
  }
  [[nodiscard]] bool up() const noexcept { return up_; }

 private:
  Fixture& fixture_;
  bool up_ = false;
};

TEST_CASE("B54 a channel that comes up in a window is refused before the driver sees it", "[B54]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Channel channel(fixture);
  Window window(s);
  fixture.open(window);
  const Result<void> refused = channel.send(s, d);
  REQUIRE(code_of(refused) == "not_permitted");
  CHECK(contains(refused.error().to_string(), "capture window"));
  CHECK_FALSE(channel.up());
  must(fixture.inc(s, d));  // the window is good
  Graph graph = must_graph(window.instantiate());
  must(channel.send(s, d));  // eagerly it comes up
  must(graph.replay(s));
  fixture.expect(s, d, 3);
  Window second(s);
  fixture.open(second);
  must(channel.send(s, d));
  Graph with_channel = must_graph(second.instantiate());
  must(with_channel.replay(s));
  fixture.expect(s, d, 4);
}

TEST_CASE("B92 a library that is too old for graphs is refused before anything is recorded",
          "[B92][fake]") {
  const auto script =
      std::make_shared<Script>(GENERATE(RecordingMode::kCaptures, RecordingMode::kBuilds));
  Fixture fixture(script);
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  constexpr int kOldest = 20906;
  int version = 20804;
  // A step says at its start what it needs, as a collective's wrapper would.
  const auto step = [&](Stream& it) -> Result<void> {
    if (version < kOldest) {
      return fail(ErrorCode::kUnsupported,
                  "the communication library is 2.8.4; graphs need 2.9.6 or newer");
    }
    return fixture.inc(it, d);
  };
  const std::uint64_t begun = script->calls(Call::kBegin);
  const CaptureResult refused = s.capture(step);
  REQUIRE(code_of(refused) == "unsupported");
  CHECK(contains(refused.error().error.message, "2.9.6"));
  CHECK(refused.error().written.empty());
  CHECK(script->calls(Call::kBegin) == begun);
  version = kOldest;
  Graph graph = must_graph(s.capture(step));
  must(guarded("replay", [&] { return graph.replay(s); }));
  fixture.sync(s);
  fixture.expect(s, d, 3);
}

}  // namespace
}  // namespace oriel::conformance
