#include "bench.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

// What other threads may do while one waits inside the runtime: close it, drop handles, go on
// working. The scripted driver holds the waiting thread wherever a test wants it.

using namespace oriel;
using namespace oriel::fake;
using namespace std::chrono_literals;

namespace {

// A thread that does one thing, and whether it is done.
class Doer {
 public:
  explicit Doer(std::function<std::string()> task)
      : thread_([this, task = std::move(task)] {
          answer_ = task();
          done_ = true;
        }) {}
  Doer(const Doer&) = delete;
  Doer& operator=(const Doer&) = delete;
  ~Doer() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  // Whether it is still at it after a while that would do for an answer.
  [[nodiscard]] bool waits() const {
    std::this_thread::sleep_for(20ms);
    return !done_;
  }
  std::string answer() {
    thread_.join();
    return answer_;
  }

 private:
  std::string answer_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

struct Waiting {
  const char* name;
  Call call;
  std::string (*run)(const Bench&, const Stream&, const Event&, const Words&);
};

const std::vector<Waiting> kWaits = {
    {"stream.synchronize",
     Call::kSynchronizeStream,
     [](const Bench&, const Stream& s, const Event&, const Words&) {
       return code_of(s.synchronize());
     }},
    {"runtime.synchronize",
     Call::kSynchronizeStream,
     [](const Bench& bench, const Stream&, const Event&, const Words&) {
       return code_of(bench.runtime.synchronize());
     }},
    {"trim",
     Call::kSynchronizeStream,
     [](const Bench& bench, const Stream&, const Event&, const Words&) {
       return code_of(bench.runtime.trim());
     }},
    {"read",
     Call::kSynchronizeStream,
     [](const Bench&, const Stream& s, const Event&, const Words& d) {
       return code_of(s.read(d));
     }},
    {"event.synchronize",
     Call::kSynchronizeEvent,
     [](const Bench&, const Stream&, const Event& event, const Words&) {
       return code_of(event.synchronize());
     }},
};

// The fork of a window that is prepared on `stream`, as a warm-up makes it.
void pull_in(const Bench& bench, const Stream& stream, const Stream& fork) {
  const Event event = must(bench.runtime.create_event());
  must(stream.record(event));
  must(fork.wait(event));
}

}  // namespace

TEST_CASE("closing a runtime waits for the threads that wait in it") {
  for (const Waiting& waiting : kWaits) {
    CAPTURE(waiting.name);
    const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
    const Stream stream = bench.stream();
    const Stream other = bench.stream();
    const Words d = bench.words(stream, 1);
    const Event event = must(bench.runtime.create_event());
    must(stream.record(event));
    bench.script->block(waiting.call);
    Doer waiter([&] { return waiting.run(bench, stream, event, d); });
    REQUIRE(bench.script->wait_until_blocked());
    Doer closer([&] { return code_of(bench.runtime.close()); });
    CHECK(closer.waits());
    bench.script->unblock();
    CHECK(waiter.answer() == "ok");
    CHECK(closer.answer() == "ok");
    CHECK(bench.script->violations().empty());
  }
}

TEST_CASE("buffers dropped while a runtime closes take nothing from under the threads in it") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  std::optional<Words> d = bench.words(stream, 1);
  bench.script->block(Call::kSynchronizeStream);
  Doer closer([&] { return code_of(bench.runtime.close()); });
  REQUIRE(bench.script->wait_until_blocked());
  d.reset();
  CHECK(bench.script->live().streams != 0);
  bench.script->unblock();
  CHECK(closer.answer() == "ok");
  CHECK(bench.script->live().total() == 0);
}

TEST_CASE("of two threads that close a runtime one does and the other is told") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  Window window(stream);
  must(window.prepare());
  bench.script->block(Call::kSynchronizeStream);
  Doer opener([&] { return code_of(window.begin()); });
  REQUIRE(bench.script->wait_until_blocked());
  Doer first([&] { return code_of(bench.runtime.close()); });
  Doer second([&] { return code_of(bench.runtime.close()); });
  CHECK(first.waits());
  CHECK(second.waits());
  bench.script->unblock();
  CHECK(opener.answer() == "ok");
  const std::string one = first.answer();
  const std::string two = second.answer();
  CHECK(((one == "ok" && two == "invalid_state") || (one == "invalid_state" && two == "ok")));
}

TEST_CASE("a payload whose destructor closes the runtime does not wait for itself") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  struct Closes {
    Runtime runtime;
    std::atomic<bool>& closed;
    Closes(Runtime runtime_, std::atomic<bool>& closed_)
        : runtime(std::move(runtime_)), closed(closed_) {}
    Closes(const Closes&) = delete;
    Closes& operator=(const Closes&) = delete;
    ~Closes() { closed = runtime.close().has_value(); }
  };
  std::atomic<bool> closed{false};
  auto payload = std::make_shared<Closes>(bench.runtime, closed);
  must(stream.call_host([payload] {}));
  payload.reset();
  test::guarded("synchronize", [&] { must(stream.synchronize()); });
  CHECK(closed);
}

TEST_CASE("a window whose owner is dropped while another pass starts is given up") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode),
                      {.shared_streams = 1, .plugin_directories = {}});
    const Stream keep = must(bench.runtime.create_stream());
    std::optional<Stream> brief = must(bench.runtime.create_stream());
    Window window(*brief);
    must(window.prepare());
    bench.script->block(Call::kSynchronizeStream);
    Doer passer([&] { return code_of(window.warmup_pass()); });
    REQUIRE(bench.script->wait_until_blocked());
    brief.reset();
    bench.script->unblock();
    CHECK(passer.answer() == "invalid_state");
    CHECK(bench.runtime.stats().open_windows == 0);
    CHECK(code_of(keep.synchronize()) == "ok");
    CHECK(code_of(bench.runtime.trim()) == "ok");
  }
}

TEST_CASE("a stream that a warm-up pulled in waits while the window opens, and then is outside") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Stream bystander = bench.stream();
    const Words mine = bench.words(stream, 1);
    const Words theirs = bench.words(bystander, 1);
    Window window(stream);
    must(window.prepare());
    pull_in(bench, stream, bystander);
    bench.script->block(Call::kSynchronizeStream);
    Doer opener([&] { return code_of(window.begin()); });
    REQUIRE(bench.script->wait_until_blocked());
    Doer worker([&] { return code_of(bench.inc(bystander, theirs)); });
    CHECK(worker.waits());
    bench.script->unblock();
    CHECK(opener.answer() == "ok");
    CHECK(worker.answer() == "ok");
    must(bench.inc(stream, mine));
    CHECK(must_graph(window.instantiate()).node_count() == 1);
    CHECK(all_are(must(bystander.read(theirs)), 2));
  }
}

TEST_CASE("closing waits for a window that another thread is giving up") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  std::optional<Stream> stream = bench.stream();
  const Stream fork = bench.stream();
  Window window(*stream);
  must(window.prepare());
  pull_in(bench, *stream, fork);
  bench.script->fail(Call::kRecord);  // the fork can't be waited for but by hand
  bench.script->block(Call::kSynchronizeStream);
  Doer leaver([&] {
    stream.reset();
    return std::string("ok");
  });
  REQUIRE(bench.script->wait_until_blocked());
  Doer closer([&] { return code_of(bench.runtime.close()); });
  CHECK(closer.waits());
  bench.script->unblock();
  CHECK(leaver.answer() == "ok");
  CHECK(closer.answer() == "ok");
  CHECK(bench.runtime.stats().open_windows == 0);
}

TEST_CASE("native work is refused in a window of a device that builds its graphs") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Words d = bench.words(stream, 1);
  Window window(stream);
  must(window.prepare());
  CHECK(code_of(stream.native_handle()) == "ok");
  must(window.begin());
  must(bench.inc(stream, d));
  CHECK(code_of(stream.native_handle()) == "not_permitted");
  bench.script->set_node_skew(1);  // the check is on still
  CHECK(code_of(window.instantiate()) == "doomed");
}
