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
