#include "bench.hpp"

#include <thread>

// A warm-up that is given up still runs, late: what it uses must not be handed out before. The
// scripted driver runs nothing until somebody waits.

using namespace oriel;
using namespace oriel::fake;

namespace {

std::vector<Word> filled(Word value) {
  return std::vector<Word>(kWords, value);
}

}  // namespace

TEST_CASE("staging memory of an abandoned warm-up is not written again before it was copied") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Words x = bench.words(stream, 0);
    const Words y = bench.words(stream, 0);
    {
      Window window(stream);
      must(window.prepare());
      must(stream.upload(x, filled(1)));
    }
    Window window(stream);
    must(window.prepare());
    must(stream.upload(y, filled(2)));
    CHECK(all_are(must(stream.read(x)), 1));
    CHECK(all_are(must(stream.read(y)), 2));
  }
}

TEST_CASE("scratch memory of an abandoned fork is not used by the origin before the fork is done") {
  for (const RecordingMode mode : both_modes()) {
    CAPTURE(name_of(mode));
    const Bench bench(std::make_shared<Script>(mode));
    const Stream stream = bench.stream();
    const Stream fork = bench.stream();
    const Event forked = must(bench.runtime.create_event());
    const Words result = bench.words(stream, 0);
    {
      Window window(stream);
      must(window.prepare());
      must(stream.record(forked));
      must(fork.wait(forked));
      const Words scratch = must(fork.allocate<Word>(kWords));
      must(fork.fill(scratch, 7));
      must(bench.copy(fork, result, scratch));
    }
    const auto waits = bench.script->calls(Call::kWait);
    Window window(stream);
    must(window.prepare());
    const Words anew = must(stream.allocate<Word>(kWords));
    must(stream.fill(anew, 9));
    CHECK(waits >= 2);  // the fork for the origin, and the origin for the fork it gave up
    must(fork.synchronize());
    CHECK(all_are(must(stream.read(result)), 7));
  }
}

TEST_CASE("a thread that records into a window is not made to wait for its close") {
  const Bench bench(std::make_shared<Script>(RecordingMode::kBuilds));
  const Stream stream = bench.stream();
  const Words words = bench.words(stream, 0);
  Window window(stream);
  must(window.prepare());
  std::thread([&] { must(window.begin()); }).join();
  must(bench.inc(stream, words));
  CHECK(code_of(bench.runtime.synchronize()) == "not_permitted");
  CHECK(must_graph(window.instantiate()).node_count() == 1);
}
