// Handles: what is left of one that was moved from, and what errors say about the call.

#include "bench.hpp"

#include <type_traits>

namespace oriel::fake {
namespace {

TEST_CASE("A handle that was moved from still names what it named") {
  Bench bench(std::make_shared<Script>(RecordingMode::kCaptures));
  Stream stream = bench.stream();
  Event event = must(bench.runtime.create_event());

  const Runtime runtime = std::move(bench.runtime);
  const Stream same_stream = std::move(stream);
  const Event same_event = std::move(event);
  const Module module = std::move(bench.module);
  const Kernel kernel = std::move(bench.inc_kernel);

  CHECK(bench.runtime.info().name == runtime.info().name);
  CHECK(stream.id() == same_stream.id());
  CHECK(code_of(stream.record(event)) == "ok");
  CHECK(code_of(stream.synchronize()) == "ok");
  CHECK(must(same_event.query()));
  CHECK(code_of(bench.module.kernel("inc")) == "ok");
  CHECK(bench.inc_kernel.signature().name == kernel.signature().name);
}

TEST_CASE("A graph or buffer that was moved from is empty, and every call says so") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  Words words = bench.words(stream, 1);
  Graph graph = must_graph(stream.capture([&](Stream& s) { return bench.inc(s, words); }));
  const Graph moved_graph = std::move(graph);
  const Words moved_words = std::move(words);

  // NOLINTBEGIN(bugprone-use-after-move): what is tested
  CHECK(code_of(graph.replay(stream)) == "invalid_state");
  CHECK(graph.node_count() == 0);
  CHECK(graph.to_dot().empty());
  CHECK_FALSE(words.valid());
  CHECK(code_of(bench.inc(stream, words)) == "invalid_argument");
  CHECK(code_of(stream.read(words)) == "invalid_argument");
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("An error says which call on which stream it came from") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kCaptures));
  const Stream stream = bench.stream();
  const Event event = must(bench.runtime.create_event());
  Window window(stream);
  const auto check = [&](const auto& result, const char* operation) {
    CAPTURE(operation);
    REQUIRE_FALSE(result);
    CHECK(result.error().operation == operation);
    CHECK(result.error().stream == stream.id());
  };

  check(window.begin(), "begin");
  check(window.warmup_pass(), "warmup_pass");
  check(stream.wait(event), "wait");
  check(stream.allocate<Word>(~std::size_t{0}), "allocate");
  check(stream.fill(Words(), 1), "fill");
  check(stream.fill(Words(), 1, "clear it"), "clear it");
  must(window.prepare());
  check(window.prepare(), "prepare");
  must(window.begin());
  check(stream.synchronize(), "synchronize");
  check(stream.query(), "query");

  const CaptureResult empty = window.instantiate();
  REQUIRE_FALSE(empty);
  CHECK(empty.error().error.operation == "instantiate");
  CHECK(empty.error().error.stream == stream.id());
}

TEST_CASE("An error of a call that is made on no stream names the call") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kCaptures));
  const Stream stream = bench.stream();
  const Words words = bench.words(stream, 1);
  const Event event = must(bench.runtime.create_event());
  Graph graph = must_graph(stream.capture([&](Stream& s) { return bench.inc(s, words); }));
  const auto check = [&](const auto& result, const char* operation) {
    CAPTURE(operation);
    REQUIRE_FALSE(result);
    CHECK(result.error().operation == operation);
    CHECK_FALSE(result.error().stream.valid());
  };

  check(event.query(), "query");
  check(event.synchronize(), "synchronize");
  check(elapsed(event, event), "elapsed");
  check(graph.update(7), "update");
  {
    Window window(stream);
    must(window.prepare());
    check(bench.runtime.trim(), "trim");
    check(bench.runtime.set_limit(Limit::kDeviceBytes, 0), "set_limit");
  }
  const Graph moved = std::move(graph);
  check(graph.update(0), "update");  // NOLINT(bugprone-use-after-move): what is tested
  must(bench.runtime.close());
  check(bench.runtime.close(), "close");
  check(bench.runtime.create_stream(), "create_stream");
  check(bench.runtime.create_event(), "create_event");
  check(bench.runtime.load(test_kernels()), "load");
  check(bench.runtime.synchronize(), "synchronize");
  check(Runtime::open("no such device"), "open");
}

TEST_CASE("A replay that never reaches the runtime names the call and the stream too") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Bench other(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Stream foreign = other.stream();
  const Words words = bench.words(stream, 1);
  Graph graph = must_graph(stream.capture([&](Stream& s) { return bench.inc(s, words); }));
  const auto strayed = graph.replay(foreign);
  REQUIRE_FALSE(strayed);
  CHECK(strayed.error().operation == "replay");
  CHECK(strayed.error().stream == foreign.id());
}

TEST_CASE("A step's own error says that it came from capturing on that stream") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Words words = bench.words(stream, 1);
  for (const int failing_run : {1, 2}) {
    CAPTURE(failing_run);
    int run = 0;
    const auto graph = stream.capture([&](Stream& s) -> Result<void> {
      must(bench.inc(s, words));
      if (++run == failing_run) {
        return fail(ErrorCode::kInvalidArgument, "no batch");
      }
      return {};
    });
    REQUIRE_FALSE(graph);
    CHECK(graph.error().error.message == "no batch");
    CHECK(graph.error().error.operation == "capture");
    CHECK(graph.error().error.stream == stream.id());
    must(stream.fill(words, 1));
  }
}

TEST_CASE("Of several forks that are not joined each is named with its own last call") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Stream first = bench.stream();
  const Stream second = bench.stream();
  const Words words = bench.words(stream, 1);
  const Event event = must(bench.runtime.create_event());
  Window window(stream);
  must(window.prepare());
  must(window.begin());
  must(stream.record(event));
  must(first.wait(event));
  must(second.wait(event));
  must(second.fill(words, 2, "late"));
  must(first.fill(words, 1, "early"));
  const CaptureResult graph = window.instantiate();
  REQUIRE_FALSE(graph);
  const Error& error = graph.error().error;
  CHECK(error.stream == first.id());
  CHECK(error.operation == "early");
  CHECK(error.message.find("stream 2 (its last call: \"early\"), stream 3 (its last call: "
                           "\"late\") were pulled into") == 0);
}

TEST_CASE("A launch with a buffer that can't be used names the argument and the kernel") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Bench other(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Words words = bench.words(stream, 1);
  const Words foreign = other.words(other.stream(), 1);
  const auto empty = bench.copy(stream, words, Words());
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == ErrorCode::kInvalidArgument);
  CHECK(empty.error().message.find("argument 1 (\"") == 0);
  CHECK(empty.error().message.find("of kernel \"copy\"") != std::string::npos);
  const auto strayed = bench.copy(stream, words, foreign);
  REQUIRE_FALSE(strayed);
  CHECK(strayed.error().code == ErrorCode::kInvalidState);
  CHECK(strayed.error().message.find("argument 1 (\"") == 0);
}

TEST_CASE("What a host function throws is reported with its label and its stream") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kCaptures));
  const Stream stream = bench.stream();
  must(stream.call_host([] { throw std::runtime_error("no luck"); }, "dice"));

  const auto thrown = stream.synchronize();
  REQUIRE_FALSE(thrown);
  CHECK(thrown.error().operation == "dice");
  CHECK(thrown.error().stream == stream.id());
}

}  // namespace
}  // namespace oriel::fake
