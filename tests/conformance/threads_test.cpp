#include "conformance/fixture.hpp"
#include "suite_kernels.hpp"

#include <atomic>
#include <thread>

namespace oriel::conformance {
namespace {

using namespace std::chrono_literals;

// The first failure of a thread, told to Catch2 from the test's own, as its macros demand.
class Verdict {
 public:
  void expect(const std::string& got, const std::string& want, const char* what) {
    if (got != want && !failed_.exchange(true)) {
      text_ = std::string(what) + " gave " + got;
    }
  }
  template <class T>
  bool ok(const tl::expected<T, Error>& result, const char* what) {
    if (!result && !failed_.exchange(true)) {
      text_ = std::string(what) + ": " + result.error().to_string();
    }
    return result.has_value();
  }
  bool ok(const CaptureResult& result, const char* what) {
    if (!result && !failed_.exchange(true)) {
      text_ = std::string(what) + ": " + result.error().error.to_string();
    }
    return result.has_value();
  }
  // After the threads have ended.
  [[nodiscard]] std::string text() const { return failed_ ? text_ : "ok"; }

 private:
  std::atomic<bool> failed_{false};
  std::string text_;  // written by the one that set failed_
};

TEST_CASE("B39 a window may be closed on another thread", "[B39]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  std::optional<CaptureResult> result;
  std::thread([&] { result.emplace(window.instantiate()); }).join();
  Graph graph = must_graph(std::move(*result));
  must(graph.replay(s));
  fixture.expect(s, d, 2);
}

TEST_CASE("B39 a thread-bound window is closed by its own thread only", "[B39]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  Window window(s);
  must(window.prepare({.thread_bound = true}));
  must(window.begin());
  must(fixture.inc(s, d));
  std::optional<CaptureResult> result;
  std::thread([&] { result.emplace(window.instantiate()); }).join();
  CHECK(code_of(*result) == "invalid_state");
  CHECK(s.window_state() == WindowState::kRecording);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  must(graph.replay(s));
  fixture.expect(s, d, 3);
}

TEST_CASE("B69 waiting for the device waits for its windows to close", "[B69]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  Window window(s);
  fixture.open(window);
  std::atomic<bool> returned{false};
  Verdict verdict;
  std::thread other([&] {
    verdict.ok(guarded("runtime.synchronize", [&] { return fixture.runtime().synchronize(); }),
               "synchronize");
    returned = true;
  });
  std::this_thread::sleep_for(50ms);
  CHECK_FALSE(returned.load());
  must(fixture.inc(s, d));
  CHECK(code_of(window.instantiate()) == "ok");
  guarded("join", [&] { other.join(); });
  CHECK(returned.load());
  CHECK(verdict.text() == "ok");
}

// What a busy neighbour does on its own stream, all of it allowed.
void neighbour(Fixture& fixture, std::atomic<bool>& stop, Verdict& verdict) {
  const auto stream = fixture.runtime().create_stream({.exclusive = true});
  const auto event = fixture.runtime().create_event();
  if (!verdict.ok(stream, "create_stream") || !verdict.ok(event, "create_event")) {
    return;
  }
  std::vector<Word> bytes(256);
  for (Word round = 0; !stop; ++round) {
    const auto buffer = stream->allocate<Word>(256);
    if (!verdict.ok(buffer, "allocate")) {
      return;
    }
    std::fill(bytes.begin(), bytes.end(), round);
    verdict.ok(stream->upload(*buffer, bytes), "upload");
    verdict.ok(fixture.inc(*stream, *buffer), "launch");
    verdict.ok(stream->record(*event), "record");
    verdict.ok(event->query(), "event.query");
    verdict.ok(guarded("synchronize", [&] { return stream->synchronize(); }), "synchronize");
    verdict.ok(stream->query(), "query");
    const auto got = guarded("read", [&] { return stream->read(*buffer); });
    if (!verdict.ok(got, "read") || (*got)[0] != round + 1) {
      verdict.expect("wrong bytes", "right bytes", "read");
      return;
    }
    if (round % 8 == 0) {
      verdict.ok(fixture.runtime().load(suite_kernels::bundle()), "load");
    }
  }
}

TEST_CASE("B69 harmless work on another thread breaks no window", "[B69]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  std::atomic<bool> stop{false};
  Verdict verdict;
  std::thread busy([&] { neighbour(fixture, stop, verdict); });
  std::thread watcher([&] {
    while (!stop) {
      verdict.ok(guarded("runtime.synchronize", [&] { return fixture.runtime().synchronize(); }),
                 "runtime.synchronize");
      std::this_thread::sleep_for(1ms);
    }
  });
  constexpr Word kWindows = 200 / kLoopScale;
  Word good = 0;
  for (Word i = 0; i < kWindows; ++i) {
    Window window(s);
    if (!verdict.ok(window.prepare(), "prepare") || !verdict.ok(window.begin(), "begin")) {
      break;
    }
    for (int launch = 0; launch < 3; ++launch) {
      verdict.ok(fixture.inc(s, d), "recorded launch");
    }
    CaptureResult graph = window.instantiate();
    if (verdict.ok(graph, "instantiate") && graph->node_count() == 3) {
      verdict.ok(graph->replay(s), "replay");
      ++good;
    }
  }
  stop = true;
  guarded("join", [&] {
    busy.join();
    watcher.join();
  });
  CHECK(verdict.text() == "ok");
  CHECK(good == kWindows);
  fixture.expect(s, d, 3 * kWindows);
}

TEST_CASE("B70 what another thread drops while a window is open waits for its close", "[B70]") {
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  std::vector<Words> buffers;
  std::vector<Event> events;
  std::vector<Module> modules;
  std::vector<Graph> graphs;
  for (std::size_t i = 0; i < 1000 / kLoopScale; ++i) {
    buffers.push_back(fixture.words(other, 1, 64));
    events.push_back(must(fixture.runtime().create_event()));
    must(other.record(events.back()));
    if (i % 50 == 0) {
      modules.push_back(must(fixture.runtime().load(suite_kernels::bundle())));
      graphs.push_back(
          must_graph(other.capture([&](Stream& it) { return fixture.inc(it, buffers.back()); })));
      must(graphs.back().replay(other));
    }
  }
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  const RuntimeStats before = fixture.stats();
  std::thread dropper([&] {
    graphs.clear();
    buffers.clear();
    events.clear();
    modules.clear();
  });
  guarded("join", [&] { dropper.join(); });
  const RuntimeStats during = fixture.stats();
  CHECK(during.provider_releases == before.provider_releases);
  CHECK(during.queued_drops >= 1);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  must(guarded("runtime.synchronize", [&] { return fixture.runtime().synchronize(); }));
  CHECK(fixture.stats().queued_drops == 0);
  must(graph.replay(s));
  fixture.expect(s, d, 3);
}

TEST_CASE("B70 drops on other threads break no window", "[B70]") {
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 0);
  std::atomic<bool> stop{false};
  Verdict verdict;
  std::thread dropper([&] {
    while (!stop) {
      const auto buffer = other.allocate<Word>(64);
      const auto event = fixture.runtime().create_event();
      if (!verdict.ok(buffer, "allocate") || !verdict.ok(event, "create_event")) {
        return;
      }
      verdict.ok(other.fill(*buffer, 1), "fill");
      verdict.ok(other.record(*event), "record");
      const auto graph = other.capture([&](Stream& it) { return fixture.inc(it, *buffer); });
      verdict.ok(graph, "capture");
    }
  });
  constexpr Word kWindows = 200 / kLoopScale;
  for (Word i = 0; i < kWindows; ++i) {
    CaptureResult graph = s.capture([&](Stream& it) { return fixture.inc(it, d); });
    if (verdict.ok(graph, "capture")) {
      verdict.ok(graph->replay(s), "replay");
    }
  }
  stop = true;
  guarded("join", [&] { dropper.join(); });
  CHECK(verdict.text() == "ok");
  fixture.expect(s, d, 2 * kWindows);
}

// Captures, replays and destroys graphs on streams of its own.
void capture_many(Fixture& fixture, std::size_t streams, std::size_t graphs, Verdict& verdict) {
  std::vector<Stream> mine;
  for (std::size_t i = 0; i < streams; ++i) {
    auto stream = fixture.runtime().create_stream();
    if (!verdict.ok(stream, "create_stream")) {
      return;
    }
    mine.push_back(std::move(*stream));
  }
  for (std::size_t i = 0; i < graphs; ++i) {
    Stream& s = mine[i % streams];
    const auto first = static_cast<Word>(10 * i);
    auto d = s.allocate<Word>(64);
    // Another thread's window may be open on the device stream that this one folds onto.
    if (!d) {
      verdict.expect(code_of(d), "stream_busy", "allocate");
      continue;
    }
    if (!s.fill(*d, first)) {
      continue;
    }
    CaptureResult graph = s.capture([&](Stream& it) { return fixture.inc(it, *d); });
    if (!graph) {
      // Folded streams may be busy or, between the warm-up and the close, find the window theirs.
      verdict.expect(code_of(graph), "stream_busy", "capture");
      continue;
    }
    const bool replayed = graph->replay(s) && graph->replay(s);
    const auto got = s.read(*d);
    if (replayed && got && (*got)[0] != first + 3) {
      verdict.expect("wrong bytes", "right bytes", "read");
    }
  }
}

TEST_CASE("B71 many threads capture, replay and destroy on folded streams", "[B71]") {
  Fixture fixture({.shared_streams = 8, .plugin_directories = {}});
  Verdict verdict;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { capture_many(fixture, 8, 400 / kLoopScale, verdict); });
  }
  const test::Deadline deadline("join", 6);
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(verdict.text() == "ok");
}

TEST_CASE("B71 threads with streams of their own are never refused", "[B71]") {
  Fixture fixture;
  Verdict verdict;
  const auto work = [&] {
    auto s = fixture.runtime().create_stream({.exclusive = true});
    if (!verdict.ok(s, "create_stream")) {
      return;
    }
    for (Word i = 0; i < 300 / kLoopScale; ++i) {
      const auto d = s->allocate<Word>(64);
      if (!verdict.ok(d, "allocate") || !verdict.ok(s->fill(*d, i), "fill")) {
        return;
      }
      CaptureResult graph = s->capture([&](Stream& it) { return fixture.inc(it, *d); });
      if (!verdict.ok(graph, "capture")) {
        return;
      }
      verdict.ok(graph->replay(*s), "replay");
      verdict.ok(graph->replay(*s), "replay");
      const auto got = guarded("read", [&] { return s->read(*d); });
      if (!verdict.ok(got, "read") || (*got)[0] != i + 3) {
        verdict.expect("wrong bytes", "right bytes", "read");
        return;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(work);
  }
  const test::Deadline deadline("join", 6);
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(verdict.text() == "ok");
}

TEST_CASE("B73 a window on one runtime blocks nothing on another", "[B73]") {
  Fixture a;
  Fixture b;
  const Words d = a.words(a.stream(), 1);
  const Words e = b.words(b.stream(), 1);
  Window window(a.stream());
  a.open(window);
  must(a.inc(a.stream(), d));
  {
    const Words more = b.words(b.stream(), 3);
    must(b.inc(b.stream(), more));
    b.expect(b.stream(), more, 4);
    CHECK(code_of(b.runtime().load(suite_kernels::bundle())) == "ok");
    CHECK(code_of(guarded("synchronize", [&] { return b.runtime().synchronize(); })) == "ok");
    CHECK(code_of(b.runtime().trim()) == "ok");
    CHECK(code_of(b.runtime().set_limit(Limit::kDeviceBytes, 0)) == "ok");
    const Event event = must(b.runtime().create_event());
    must(b.stream().record(event));
    CHECK(code_of(guarded("event.synchronize", [&] { return event.synchronize(); })) == "ok");
    b.recovery_check(b.stream());
  }
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 1);
  must(graph.replay(a.stream()));
  a.expect(a.stream(), d, 2);
  b.expect(b.stream(), e, 1);
}

TEST_CASE("B74 membership goes by stream: a fork's memory is the window's, a neighbour's is not",
          "[B74]") {
  Fixture fixture;
  Stream& s0 = fixture.stream(0);
  Stream& s1 = fixture.stream(1);
  Stream& loader = fixture.stream(2);
  if (!fixture.runtime().capabilities().fork_join) {
    fixture.declared_unsupported("fork_join");
    Window window(s0);
    fixture.open(window);
    const Event event = must(fixture.runtime().create_event());
    must(s0.record(event));
    CHECK(code_of(s1.wait(event)) == "unsupported");
    return;
  }
  constexpr std::size_t kLoaded = 64 * Fixture::kWords;
  const Words d = fixture.words(s0, 1);
  Ranges of_graph;
  const auto step = [&](Stream& it) -> Result<void> {
    const auto there = fixture.runtime().create_event();
    const auto back = fixture.runtime().create_event();
    ORIEL_TRY(it.record(*there));
    ORIEL_TRY(s1.wait(*there));
    Result<void> helped;
    std::thread([&] {  // the helper, which the window has pulled in
      helped = [&]() -> Result<void> {
        auto scratch = s1.allocate<Word>(Fixture::kWords, "scratch");
        ORIEL_TRY(scratch);
        of_graph.add(*scratch);
        ORIEL_TRY(fixture.copy(s1, *scratch, d));
        ORIEL_TRY(fixture.inc(s1, *scratch));
        return fixture.copy(s1, d, *scratch);
      }();
    })
        .join();
    ORIEL_TRY(helped);
    ORIEL_TRY(s1.record(*back));
    return it.wait(*back);
  };
  Window window(s0);
  fixture.open(window, s0, step);
  of_graph = {};
  must(step(s0));
  std::vector<Words> loaded;
  std::thread([&] {
    for (int i = 0; i < 4; ++i) {
      if (auto buffer = loader.allocate<Word>(kLoaded)) {
        loaded.push_back(std::move(*buffer));
      }
    }
  }).join();
  Graph graph = must_graph(window.instantiate());
  REQUIRE(loaded.size() == 4);
  CHECK(graph.node_count() == 3);
  CHECK(graph.memory().slices == 2);
  CHECK(graph.memory().device_bytes < kLoaded * sizeof(Word));
  for (const Words& buffer : loaded) {
    CHECK(buffer.slice()->pins == 0);
    CHECK_FALSE(of_graph.overlaps(buffer));
    must(loader.fill(buffer, 0xEEEEEEEE));
  }
  fixture.sync(loader);
  for (Word round = 1; round <= 3; ++round) {
    must(s0.fill(d, 10 * round));
    must(graph.replay(s0));
    fixture.expect(s0, d, 10 * round + 1);
  }
}

TEST_CASE("B82 events may be asked after on another thread while a window is open", "[B82]") {
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  const Words f = fixture.words(other, 1);
  const Event edge = must(fixture.runtime().create_event());
  const Event eager = must(fixture.runtime().create_event());
  must(fixture.inc(other, f));
  must(other.record(eager));
  fixture.sync(other);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  must(s.record(edge));
  Verdict verdict;
  std::thread watchdog([&] {
    for (int i = 0; i < 20; ++i) {
      verdict.expect(code_of(edge.query()), "invalid_state", "a query of the window's event");
      verdict.expect(code_of(edge.synchronize()), "invalid_state", "a wait for the window's event");
      const Result<bool> done = eager.query();
      verdict.ok(done, "a query of an event from before the window");
      verdict.expect(done && *done ? "done" : "not done", "done", "an event that was waited for");
    }
  });
  guarded("join", [&] { watchdog.join(); });
  CHECK(verdict.text() == "ok");
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.expect(s, d, 2);
  std::thread after([&] {
    verdict.expect(code_of(edge.query()), "invalid_state", "a query of the graph's event");
    verdict.ok(eager.query(), "a query after the window");
  });
  guarded("join", [&] { after.join(); });
  CHECK(verdict.text() == "ok");
}

}  // namespace
}  // namespace oriel::conformance
