// Every snippet and every error text of docs/windows.md: what the page shows stands here, and runs.
// The page's blocks are looked up in this file by drift_test.cpp.
#include "docs_kernels.hpp"
#include "support/catch.hpp"

#include <oriel/oriel.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace oriel::docs {
namespace {

constexpr std::size_t kSize = 1024;

/// What a call says: "ok", or its error as the page shows it.
template <class T>
std::string text(const tl::expected<T, Error>& result) {
  return result ? "ok" : result.error().to_string();
}
std::string text(const CaptureResult& graph) {
  return graph ? "ok" : graph.error().error.to_string();
}

/// What every example starts with.
struct Program {
  explicit Program(unsigned shared_streams = 8)
      : runtime(Runtime::open("host", options(shared_streams)).value()),
        axpy(runtime.load(docs_kernels::bundle()).value().kernel("axpy").value()) {
    stream.fill(x, 1.0F).value();
    stream.fill(y, 0.0F).value();
    stream.fill(z, 0.0F).value();
    stream.synchronize().value();
  }

  static RuntimeOptions options(unsigned shared_streams) {
    RuntimeOptions it;
    it.shared_streams = shared_streams;
    return it;
  }

  /// Prepares, warms up and begins.
  void open(Window& window) {
    window.prepare().value();
    step(stream).value();
    window.begin().value();
  }

  Runtime runtime;
  Stream stream = runtime.create_stream().value();     // stream 1
  Stream neighbour = runtime.create_stream().value();  // stream 2
  Kernel axpy;
  LaunchConfig shape{4, 256, "axpy"};
  Buffer<float> x = stream.allocate<float>(kSize).value();
  Buffer<float> y = stream.allocate<float>(kSize).value();
  Buffer<float> z = stream.allocate<float>(kSize).value();
  std::function<Result<void>(Stream&)> step = [this](Stream& s) {
    return s.launch(axpy, shape, in(x), inout(y), 2.0F);
  };
};

/// One device stream for both logical ones.
struct Folded : Program {
  Folded() : Program(1) {}
};

TEST_CASE_METHOD(Program, "a step is captured, or its refusal says why") {
  auto graph = stream.capture(step);
  if (!graph) {
    std::fprintf(stderr, "%s\n", graph.error().error.to_string().c_str());
    return;
  }
  graph->replay(stream).value();
  CHECK(stream.read(y).value()[0] == 4.0F);
}

TEST_CASE_METHOD(Program, "the three steps") {
  oriel::Window window(stream);
  window.prepare().value();
  step(stream).value();  // the warm-up: it runs
  window.begin().value();
  step(stream).value();               // recorded: it does not run
  auto graph = window.instantiate();  // a Graph, or Refused
  CHECK(text(graph) == "ok");
  CHECK(stream.read(y).value()[0] == 2.0F);
}

// ---- Memory.

TEST_CASE_METHOD(Program, "an allocation that the warm-up did not make") {
  oriel::Window window(stream);
  window.prepare().value();
  { auto scratch = stream.allocate<float>(256 * 1024).value(); }
  window.begin().value();
  auto scratch = stream.allocate<float>(512 * 1024, "attention.scratch");
  CHECK(text(scratch) ==
        "would_allocate: \"attention.scratch\" asked for 2.0 MiB inside the capture window, which "
        "has 1.0 MiB armed but none of that size; run the same sizes in the warm-up (stream 1, "
        "recorded call 1 of 1)");
  CHECK(window.instantiate().error().error.code == ErrorCode::kWouldAllocate);
}

TEST_CASE_METHOD(Program, "an upload that the warm-up did not make") {
  oriel::Window window(stream);
  open(window);
  std::vector<float> fresh(x.size(), 3.0f);
  auto uploaded = stream.upload(x, fresh);
  CHECK(uploaded.error().code == ErrorCode::kWouldAllocate);
  CHECK(window.instantiate().error().error.code == ErrorCode::kWouldAllocate);
}

TEST_CASE_METHOD(Program, "a copy to plain host memory") {
  oriel::Window window(stream);
  open(window);
  std::vector<float> host(y.size());
  auto copied = stream.download(host, y);
  CHECK(text(copied) ==
        "not_permitted: download on stream 1 would break its capture window; close the window "
        "first");
  auto values = stream.read(y);
  CHECK(text(values) ==
        "not_permitted: download on stream 1 would break its capture window; close the window "
        "first");
  step(stream).value();
  CHECK(text(window.instantiate()) == "ok");
}

TEST_CASE_METHOD(Program, "a copy to pinned memory") {
  auto landing = stream.allocate_pinned<float>(y.size()).value();
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    ORIEL_TRY(step(s));
    return s.copy(landing, y);
  });
  graph.value().replay(stream).value();
  stream.synchronize().value();
  float first = landing.host()[0];  // what the last replay brought
  CHECK(first == 4.0F);
}

TEST_CASE_METHOD(Program, "giving memory back, and limits") {
  oriel::Window window(stream);
  window.prepare().value();
  auto trimmed = runtime.trim();
  auto limited = runtime.set_limit(oriel::Limit::kDeviceBytes, 1 << 20);
  CHECK(text(trimmed) ==
        "not_permitted: trim could take memory that a window counts on; close the device's windows "
        "first");
  CHECK(text(limited) ==
        "not_permitted: set_limit would change the pools under a window; close the device's "
        "windows first");
}

// ---- Waiting and looking.

TEST_CASE_METHOD(Program, "waiting and looking") {
  oriel::Window window(stream);
  open(window);
  auto waited = stream.synchronize();
  auto asked = stream.query();
  auto everything = runtime.synchronize();
  CHECK(text(waited) ==
        "not_permitted: synchronize on stream 1 would break its capture window; close the window "
        "first");
  CHECK(text(asked) ==
        "not_permitted: query on stream 1 would break its capture window; close the window first");
  CHECK(text(everything) ==
        "not_permitted: synchronize would break the capture window of stream 1, which this thread "
        "opened; close the window first");
  step(stream).value();
  CHECK(text(window.instantiate()) == "ok");
}

TEST_CASE_METHOD(Program, "loading code") {
  oriel::Window window(stream);
  open(window);
  auto late = runtime.load(docs_kernels::bundle());
  CHECK(text(late) ==
        "not_permitted: load would break the capture window of stream 1, which this thread opened; "
        "close the window first");
}

TEST_CASE_METHOD(Program, "a replay or an update in a window") {
  auto other = stream.capture(step).value();
  oriel::Window window(stream);
  open(window);
  auto replayed = other.replay(stream);
  auto updated = other.update(0, oriel::in(x), oriel::inout(z), 1.0f);
  CHECK(text(replayed) ==
        "not_permitted: replay on stream 1 would break its capture window; close the window first");
  CHECK(text(updated) ==
        "not_permitted: update would break the capture window of stream 1, which this thread "
        "opened; close the window first");
}

// ---- Doomed.

TEST_CASE_METHOD(Program, "a work call that fails dooms the window") {
  oriel::Window window(stream);
  open(window);
  auto wrong = stream.launch(axpy, shape, oriel::in(x));
  auto next = step(stream);
  auto graph = window.instantiate();
  CHECK(text(wrong) == "invalid_argument: kernel \"axpy\" takes 3 argument(s), not 1");
  CHECK(text(next) ==
        "doomed: the window of stream 1 is broken since an earlier call failed (invalid_argument: "
        "kernel \"axpy\" takes 3 argument(s), not 1); close it and begin again");
  CHECK(text(graph) == "invalid_argument: kernel \"axpy\" takes 3 argument(s), not 1");
  CHECK(graph.error().error.operation == "axpy");
}

TEST_CASE_METHOD(Program, "the first cause is told, the others after it") {
  auto fork = runtime.create_event().value();
  oriel::Window window(stream);
  open(window);
  stream.record(fork).value();
  neighbour.wait(fork).value();                             // pulled in
  bool failed = !stream.launch(axpy, shape, oriel::in(x));  // the first cause
  auto refused = window.instantiate().error();              // the fork is not joined either
  std::string second = refused.error.later[0].to_string();
  CHECK(failed);
  CHECK(refused.error.to_string() ==
        "invalid_argument: kernel \"axpy\" takes 3 argument(s), not 1");
  CHECK(second ==
        "unjoined: stream 2 was pulled into the window of stream 1 and not joined back; record an "
        "event on it and wait for that before the close");
}

TEST_CASE_METHOD(Program, "a step that gives up") {
  std::vector<float> batch(1);
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    if (batch.empty()) {
      return oriel::fail(oriel::ErrorCode::kInvalidArgument, "the batch is empty");
    }
    batch.clear();  // so that the recording finds none
    return step(s);
  });
  CHECK(text(graph) == "invalid_argument: the batch is empty");
}

// ---- Unwritten.

TEST_CASE_METHOD(Program, "memory that work which never ran was to write") {
  oriel::Window window(stream);
  open(window);
  step(stream).value();
  window.doom({oriel::ErrorCode::kInvalidArgument, "the batch is empty"});
  auto refused = window.instantiate().error();
  auto values = stream.read(y);
  CHECK(text(values) ==
        "unwritten: buffer 1 was to be written by work that never ran (invalid_argument: the batch "
        "is empty); write all of it before it is read");
  CHECK(refused.written.size() == 1);

  stream.fill(y.view(0, 8), 0.0f).value();  // a part: y stays unwritten
  CHECK_FALSE(stream.read(y).has_value());
  stream.fill(y, 0.0f).value();  // the whole: y is good again
  auto good = stream.read(y);
  CHECK(good.has_value());
}

TEST_CASE_METHOD(Program, "a replay that reads unwritten memory") {
  auto graph = stream.capture(step).value();  // reads and writes y
  oriel::Window window(stream);
  open(window);
  step(stream).value();
  window.doom({oriel::ErrorCode::kInvalidArgument, "the batch is empty"});
  CHECK_FALSE(window.instantiate().has_value());
  auto replayed = graph.replay(stream);
  CHECK(text(replayed) ==
        "unwritten: buffer 1 was to be written by work that never ran (invalid_argument: the batch "
        "is empty); write all of it before it is read");
}

// ---- Steps, owners, closing.

TEST_CASE_METHOD(Program, "steps out of order") {
  oriel::Window window(stream);
  auto too_early = window.begin();
  auto no_window = window.instantiate();
  window.prepare().value();
  auto twice = window.prepare();
  CHECK(text(too_early) == "invalid_state: begin needs a prepared window that has not begun");
  CHECK(text(no_window) ==
        "invalid_state: stream 1 has no window to close; prepare and begin one first");
  CHECK(text(twice) ==
        "invalid_state: prepare needs a stream without a window; close the one it has first");
}

TEST_CASE_METHOD(Program, "a window that never began") {
  oriel::Window window(stream);
  window.prepare().value();
  step(stream).value();
  auto graph = window.instantiate();  // begin was forgotten
  CHECK(text(graph) ==
        "invalid_state: the window was prepared but never begun; nothing was recorded, and it is "
        "closed now");
  CHECK(graph.error().written.empty());
  CHECK(stream.window_state() == WindowState::kIdle);
}

TEST_CASE_METHOD(Folded, "a stranger on the same device stream") {
  oriel::Window window(stream);
  open(window);
  auto launched = step(neighbour);
  auto prepared = oriel::Window(neighbour).prepare();
  CHECK(text(launched) ==
        "stream_busy: launch on stream 2 must wait: its device stream is in the window of stream "
        "1; try again once that has closed, or create the stream exclusive");
  CHECK(text(prepared) ==
        "stream_busy: prepare on stream 2 must wait: its device stream is in the window of stream "
        "1; try again once that has closed, or create the stream exclusive");
  step(stream).value();
  CHECK(text(window.instantiate()) == "ok");
}

TEST_CASE_METHOD(Folded, "a stranger who closes the window") {
  oriel::Window window(stream);
  open(window);
  step(stream).value();
  auto graph = oriel::Window(neighbour).instantiate();  // not the owner
  CHECK(text(graph) ==
        "invalid_state: stream 2 closed the window of stream 1; only the owner gets a graph out of "
        "it");
  CHECK(graph.error().written.size() == 1);
  CHECK(stream.window_state() == WindowState::kIdle);
}

TEST_CASE_METHOD(Program, "a window bound to its thread") {
  oriel::WindowOptions bound;
  bound.thread_bound = true;
  oriel::Window window(stream);
  window.prepare(bound).value();
  step(stream).value();
  window.begin().value();
  step(stream).value();
  std::string answer;
  std::thread([&] { answer = window.instantiate().error().error.to_string(); }).join();
  auto graph = window.instantiate();  // here it is closed
  CHECK(answer ==
        "invalid_state: the window of stream 1 is bound to the thread that began it (wrong "
        "thread); close it there");
  CHECK(text(graph) == "ok");
}

TEST_CASE_METHOD(Program, "an empty window") {
  oriel::Window window(stream);
  open(window);
  step(neighbour).value();  // runs at once: stream 2 is not in the window
  auto graph = window.instantiate();
  CHECK(
      text(graph) ==
      "invalid_state: the window of stream 1 recorded nothing (empty); meanwhile work ran eagerly "
      "on stream 2, which is not in the window");
}

TEST_CASE_METHOD(Program, "an empty window, and nothing elsewhere") {
  oriel::Window window(stream);
  open(window);
  auto graph = window.instantiate();
  CHECK(text(graph) ==
        "invalid_state: the window of stream 1 recorded nothing (empty); launch on the stream that "
        "owns the window");
}

TEST_CASE_METHOD(Program, "a window that an exception leaves") {
  try {
    oriel::Window window(stream);
    open(window);
    step(stream).value();
    throw std::runtime_error("out of data");
  } catch (const std::runtime_error&) {
    auto values = stream.read(y).value();  // legal: nothing ran, nothing is claimed
    CHECK(values[0] == 2.0F);
  }
}

// ---- Several streams.

TEST_CASE_METHOD(Program, "fork and join") {
  auto fork = runtime.create_event().value();
  auto join = runtime.create_event().value();
  auto both = [&](oriel::Stream& s) -> oriel::Result<void> {
    ORIEL_TRY(s.record(fork));
    ORIEL_TRY(neighbour.wait(fork));  // pulls it in
    ORIEL_TRY(neighbour.launch(axpy, shape, oriel::in(x), oriel::inout(z), 1.0f));
    ORIEL_TRY(s.launch(axpy, shape, oriel::in(x), oriel::inout(y), 2.0f));
    ORIEL_TRY(neighbour.record(join));
    return s.wait(join);  // joins it back
  };
  auto graph = stream.capture(both).value();
  CHECK(graph.node_count() == 2);
  graph.replay(stream).value();
  CHECK(stream.read(z).value()[0] == 2.0F);
}

TEST_CASE_METHOD(Program, "a fork that is not joined") {
  auto fork = runtime.create_event().value();
  oriel::Window window(stream);
  open(window);
  stream.record(fork).value();
  neighbour.wait(fork).value();
  step(neighbour).value();
  auto graph = window.instantiate();
  CHECK(text(graph) ==
        "unjoined: stream 2 (its last call: \"axpy\") was pulled into the window of stream 1 and "
        "not joined back; record an event on it and wait for that before the close");
}

TEST_CASE_METHOD(Program, "an event from outside") {
  auto before = runtime.create_event().value();
  neighbour.record(before).value();
  oriel::Window window(stream);
  open(window);
  auto waited = stream.wait(before);
  CHECK(text(waited) ==
        "not_permitted: stream 1 has a window open and can't wait for an event of stream 2 from "
        "outside it (isolation); record the event inside the window, or wait before it begins");
}

TEST_CASE_METHOD(Program, "an event of another window") {
  auto edge = runtime.create_event().value();
  oriel::Window mine(stream);
  open(mine);
  oriel::Window other(neighbour);
  other.prepare().value();
  other.begin().value();
  neighbour.record(edge).value();
  auto waited = stream.wait(edge);
  CHECK(text(waited) ==
        "not_permitted: stream 1 has a window open and can't wait for an event of "
        "another window (merge); record the event inside the window, or wait before it begins");
}

TEST_CASE_METHOD(Program, "closing on a fork") {
  auto fork = runtime.create_event().value();
  oriel::Window window(stream);
  open(window);
  stream.record(fork).value();
  neighbour.wait(fork).value();
  auto graph = oriel::Window(neighbour).instantiate();
  CHECK(text(graph) ==
        "invalid_state: instantiate on stream 2, which is a fork in the window of stream 1 "
        "(unmatched); join it and use that stream");
  CHECK(stream.window_state() == WindowState::kRecording);
}

TEST_CASE_METHOD(Program, "an event that is an edge of a graph") {
  auto edge = runtime.create_event().value();
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    ORIEL_TRY(step(s));
    return s.record(edge);
  });
  graph.value().replay(stream).value();
  auto asked = edge.query();
  auto timed = oriel::elapsed(edge, edge);
  auto waited = neighbour.wait(edge);
  CHECK(text(asked) ==
        "invalid_state: query of a graph-internal event: it was recorded in a window and no replay "
        "signals it; record it again outside");
  CHECK(text(timed) ==
        "invalid_state: elapsed of a graph-internal event: it was recorded in a window and no "
        "replay signals it; record it again outside");
  CHECK(text(waited) ==
        "invalid_state: the event is an edge of a window that has closed; no replay signals it; "
        "record it again outside");
}

// ---- Host code.

TEST_CASE_METHOD(Program, "host code in a step runs when the step runs") {
  int calls = 0;
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    ++calls;  // plain host code: once in the warm-up, once at the record, never in a replay
    return step(s);
  });
  graph->replay(stream).value();
  graph->replay(stream).value();
  stream.synchronize().value();
  CHECK(calls == 2);
}

TEST_CASE_METHOD(Program, "B58 a handle that is pointed elsewhere changes no graph") {
  auto output = y;
  auto graph = stream.capture([&](oriel::Stream& s) {
    return s.launch(axpy, shape, oriel::in(x), oriel::inout(output), 2.0f);
  });
  output = z;                     // host code: the graph does not know
  graph->replay(stream).value();  // adds to y, not to z
  CHECK(stream.read(y).value()[0] == 4.0F);
  CHECK(stream.read(z).value()[0] == 0.0F);
}

TEST_CASE_METHOD(Program, "a host function runs in every replay") {
  int calls = 0;
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    ORIEL_TRY(step(s));
    return s.call_host([&calls] { ++calls; });  // a node: once in the warm-up, once a replay
  });
  graph->replay(stream).value();
  graph->replay(stream).value();
  stream.synchronize().value();
  CHECK(calls == 3);
}

TEST_CASE_METHOD(Program, "bytes of the call, and bytes of the replay") {
  std::vector<float> plain(x.size(), 1.0f);
  auto live = stream.allocate_pinned<float>(x.size()).value();
  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    ORIEL_TRY(s.upload(x, plain));  // the bytes of this moment, in every replay
    return s.copy(z, live);         // the bytes of each replay
  });
  plain.assign(x.size(), 9.0f);  // no replay sees this
  for (float& value : live.host()) {
    value = 9.0f;  // the next replay does
  }
  graph->replay(stream).value();
  CHECK(stream.read(x).value()[0] == 1.0F);
  CHECK(stream.read(z).value()[0] == 9.0F);
}

TEST_CASE_METHOD(Program, "a host function that calls Oriel") {
  oriel::Result<bool> inside = true;
  stream.call_host([&] { inside = stream.query(); }).value();
  stream.synchronize().value();
  CHECK(text(inside) ==
        "not_permitted: query was called from a host function; those must not call Oriel");
}

TEST_CASE_METHOD(Program, "a host function that throws") {
  stream.call_host([] { throw std::runtime_error("disk full"); }, "checkpoint").value();
  auto waited = stream.synchronize();
  auto again = stream.synchronize();
  CHECK(text(waited) == "driver_error: host function \"checkpoint\" threw: disk full");
  CHECK(again.has_value());
}

// ---- Handles.

TEST_CASE_METHOD(Program, "handles that hold nothing, or of another runtime") {
  auto second = oriel::Runtime::open("host").value();
  auto elsewhere = second.create_stream().value();
  auto empty = stream.fill(oriel::Buffer<float>(), 0.0f);
  auto foreign = elsewhere.fill(x, 0.0f);
  CHECK(text(empty) ==
        "invalid_argument: the buffer is an empty handle; allocate the buffer first");
  CHECK(text(foreign) == "invalid_state: the buffer belongs to another runtime");
}

TEST_CASE_METHOD(Program, "a runtime that was closed") {
  runtime.close().value();
  auto filled = stream.fill(x, 0.0f);
  CHECK(text(filled) == "invalid_state: fill needs an open runtime; this one was closed");
}

}  // namespace
}  // namespace oriel::docs
