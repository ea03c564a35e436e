#include "bench.hpp"

// What a graph pins, and for how long.

using namespace oriel;
using namespace oriel::fake;

namespace {

struct Scene {
  Bench bench{std::make_shared<Script>(RecordingMode::kCaptures)};
  Stream stream = bench.stream();
  Words a = bench.words(stream, 1);
  Words b = bench.words(stream, 2);

  Graph capture_copy() {
    return must_graph(stream.capture([&](Stream& s) { return bench.copy(s, a, b); }));
  }
  [[nodiscard]] std::size_t pinned() const { return bench.runtime.stats().graph_device_bytes; }
};

}  // namespace

TEST_CASE("a graph pins the buffers that its commands name, each once, and no others") {
  Scene scene;
  const Words stranger = scene.bench.words(scene.stream, 0);
  const Graph graph = must_graph(scene.stream.capture([&](Stream& s) -> Result<void> {
    ORIEL_TRY(scene.bench.copy(s, scene.a, scene.b));
    return scene.bench.inc(s, scene.a);
  }));
  const GraphMemory memory = graph.memory();
  CHECK(memory.slices == 2);
  CHECK(memory.device_bytes == 2 * kWords * sizeof(Word));
  CHECK(memory.pinned_bytes == 0);
  CHECK(memory.returned_by_destroy == 0);  // the handles are still there
  CHECK(scene.pinned() == memory.device_bytes);
}

TEST_CASE("memory that only a graph refers to is what destroying it returns") {
  Scene scene;
  {
    Graph graph = scene.capture_copy();
    scene.b = Words();
    CHECK(graph.memory().returned_by_destroy == kWords * sizeof(Word));
    must(graph.replay(scene.stream));
    CHECK(all_are(must(scene.stream.read(scene.a)), 2));
  }
  must(scene.bench.runtime.synchronize());
  CHECK(scene.pinned() == 0);
  CHECK(scene.bench.script->live().executables == 0);
}

TEST_CASE("two graphs share a pin, whose bytes count once") {
  Scene scene;
  const Graph one = scene.capture_copy();
  const std::size_t alone = scene.pinned();
  {
    const Graph two = scene.capture_copy();
    CHECK(scene.pinned() == alone);
  }
  CHECK(scene.pinned() == alone);
}

TEST_CASE("an executable is destroyed when its last replay is done, not before, and never waits") {
  Scene scene;
  {
    Graph graph = scene.capture_copy();
    must(graph.replay(scene.stream));
  }
  CHECK(scene.bench.script->live().executables == 1);
  must(scene.stream.synchronize());
  CHECK(scene.bench.script->live().executables == 0);
  CHECK(scene.bench.script->violations().empty());
}

TEST_CASE("a module lives as long as a graph that launches from it") {
  Scene scene;
  auto graph = [&] {
    const Module module = must(scene.bench.runtime.load(test_kernels()));
    const Kernel inc = must(module.kernel("inc"));
    return must_graph(scene.stream.capture(
        [&](Stream& s) { return s.launch(inc, Bench::over(kWords), inout(scene.a)); }));
  }();
  must(scene.bench.runtime.synchronize());
  CHECK(scene.bench.script->live().modules == 2);
  must(graph.replay(scene.stream));
  graph = must_graph(scene.stream.capture([&](Stream& s) { return scene.bench.inc(s, scene.a); }));
  must(scene.bench.runtime.synchronize());
  CHECK(scene.bench.script->live().modules == 1);
}
