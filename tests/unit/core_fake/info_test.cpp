#include "bench.hpp"

#include <array>

// Info bytes: small constant data that launches name by content.

using namespace oriel;
using namespace oriel::fake;

namespace {

using Table = std::array<Word, kGroup>;

Table filled(Word value) {
  Table table;
  table.fill(value);
  return table;
}

Result<void> copy_info(const Bench& bench,
                       const Stream& stream,
                       const Words& to,
                       const Table& table) {
  return stream.launch(
      bench.copy_kernel, Bench::over(to.size()), out(to), info(std::span<const Word>(table)));
}

}  // namespace

TEST_CASE("the same info bytes are staged once, other bytes anew") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Words words = bench.words(stream, 0, kGroup);
    must(copy_info(bench, stream, words, filled(3)));
    const auto copies = bench.script->calls(Call::kCopy);
    must(copy_info(bench, stream, words, filled(3)));
    CHECK(bench.script->calls(Call::kCopy) == copies);
    CHECK(all_are(must(stream.read(words)), 3));
    must(copy_info(bench, stream, words, filled(4)));
    CHECK(all_are(must(stream.read(words)), 4));
  }
}

TEST_CASE("info bytes of the warm-up are in the graph without a copy, and outlive the caller's") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Words words = bench.words(stream, 0, kGroup);
    Graph graph = must_graph(
        stream.capture([&](Stream& s) { return copy_info(bench, s, words, filled(5)); }));
    CHECK(graph.node_count() == 1);
    must(stream.fill(words, 0));
    must(graph.replay(stream));
    CHECK(all_are(must(stream.read(words)), 5));
    CHECK(bench.script->violations().empty());
  }
}

TEST_CASE("info bytes first met in a window are copied by each replay, and by nothing before it") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Words words = bench.words(stream, 0, kGroup);
    Word value = 6;
    Graph graph = must_graph(stream.capture([&](Stream& s) {
      const auto done = copy_info(bench, s, words, filled(value));
      must(Result<void>(done));
      // Room for other bytes of the same size: armed by the warm-up, on both sides.
      const auto spare = must(s.allocate<Word>(kGroup));
      const auto staging = must(s.allocate_pinned<Word>(kGroup));
      ++value;
      return Result<void>();
    }));
    CHECK(graph.node_count() == 2);
    // The entry was the window's own: an eager launch of the same bytes stages them itself.
    must(copy_info(bench, stream, words, filled(7)));
    CHECK(all_are(must(stream.read(words)), 7));
    must(stream.fill(words, 0));
    must(graph.replay(stream));
    CHECK(all_are(must(stream.read(words)), 7));
    CHECK(bench.script->violations().empty());
  }
}

TEST_CASE("info bytes staged on one lane of a warm-up are waited for by another") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Stream side = bench.stream();
    const Event fork = must(bench.runtime.create_event());
    const Event join = must(bench.runtime.create_event());
    const Words a = bench.words(stream, 0, kGroup);
    const Words b = bench.words(stream, 0, kGroup);
    Graph graph = must_graph(stream.capture([&](Stream& s) -> Result<void> {
      ORIEL_TRY(s.record(fork));
      ORIEL_TRY(side.wait(fork));
      ORIEL_TRY(copy_info(bench, side, b, filled(9)));
      ORIEL_TRY(copy_info(bench, s, a, filled(9)));
      ORIEL_TRY(side.record(join));
      return s.wait(join);
    }));
    CHECK(graph.node_count() == 2);
    must(graph.replay(stream));
    CHECK(all_are(must(stream.read(a)), 9));
    CHECK(all_are(must(stream.read(b)), 9));
    CHECK(bench.script->violations().empty());
  }
}

TEST_CASE("info bytes can't be given to a parameter that the kernel writes") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Table table = filled(1);
  const auto launched =
      stream.launch(bench.inc_kernel, Bench::over(kGroup), info(std::span<const Word>(table)));
  CHECK(code_of(launched) == "invalid_argument");
}
