// Every driver call of one cycle of capture, replay and destruction made to fail in turn.

#include "fixture.hpp"
#include "suite_kernels.hpp"

#include <cstdio>

namespace oriel::emulated {
namespace {

// The cycle: two streams, every kind of command, memory of both kinds. Errors end it early, as
// they would end a caller's.
Result<void> cycle(Fixture& fixture) {
  Stream& s = fixture.stream(0);
  Stream& side = fixture.stream(1);
  auto d = s.allocate<Word>(Fixture::kWords);
  ORIEL_TRY(d);
  auto e = s.allocate<Word>((1 << 20) + 1024);  // more than half a page: the driver is asked
  ORIEL_TRY(e);
  auto forked = fixture.runtime().create_event();
  ORIEL_TRY(forked);
  auto joined = fixture.runtime().create_event();
  ORIEL_TRY(joined);
  ORIEL_TRY(s.fill(*d, 1));
  const std::vector<Word> four(Fixture::kWords, 4);
  auto graph = s.capture([&](Stream& it) -> Result<void> {
    ORIEL_TRY(it.upload(*d, four));
    ORIEL_TRY(it.record(*forked));
    ORIEL_TRY(side.wait(*forked));
    ORIEL_TRY(side.fill(e->view(0, 64), 7));
    ORIEL_TRY(side.record(*joined));
    ORIEL_TRY(fixture.inc(it, *d));
    ORIEL_TRY(it.call_host([] {}));
    return it.wait(*joined);
  });
  if (!graph) {
    return fail(graph.error().error);
  }
  if (fixture.runtime().capabilities().update) {
    ORIEL_TRY(graph->update(2, inout(*d)));
  }
  ORIEL_TRY(graph->replay(s));
  ORIEL_TRY(graph->replay(side));
  ORIEL_TRY(side.record(*joined));
  ORIEL_TRY(s.wait(*joined));
  auto words = s.read(*d);
  ORIEL_TRY(words);
  CHECK(*words == std::vector<Word>(Fixture::kWords, 5));
  return {};
}

// Drops what the cycle left behind and gives it back to the driver.
void settle(Fixture& fixture) {
  must(fixture.runtime().synchronize());
  must(fixture.runtime().trim());
}

// What is alive, but for events, of which the core keeps those that it used as fences: few, and
// all are gone with the runtime.
std::string in_words(const emulator::Live& live) {
  return std::to_string(live.contexts) + " contexts, " + std::to_string(live.streams) +
         " streams, " + std::to_string(live.modules) + " modules, " +
         std::to_string(live.device_blocks) + " device blocks, " +
         std::to_string(live.pinned_blocks) + " pinned blocks, " + std::to_string(live.graphs) +
         " graphs, " + std::to_string(live.executables) + " executables, " +
         std::to_string(live.captures) + " captures";
}

void sweep(std::int32_t code) {
  World world;
  Fixture& fixture = world.fixture;
  const emulator::Control& control = driver().control();
  must(cycle(fixture));
  settle(fixture);
  const std::size_t events = driver().live().events;
  const std::string before = in_words(driver().live());
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (;; ++tried) {
    control.clear_log();
    control.fail_call("", tried + 1, code, false);
    const Result<void> result = cycle(fixture);
    const bool hit = control.fault_hit();
    control.clear_faults();
    INFO("call " << tried + 1 << " fails with " << code);
    INFO((result ? std::string("the cycle went through") : result.error().to_string()));
    if (hit && tried < driver().log().size()) {
      INFO("it is " << driver().log()[tried].function);
    }
    if (!hit) {
      CHECK(code_of(result) == "ok");
      break;
    }
    refused += result ? 0 : 1;
    settle(fixture);
    CHECK(in_words(driver().live()) == before);
    CHECK(driver().live().captures == 0);
    CHECK(fixture.stream(0).window_state() == WindowState::kIdle);
    CHECK(fixture.stream(1).window_state() == WindowState::kIdle);
    must(cycle(fixture));
    settle(fixture);
    REQUIRE(in_words(driver().live()) == before);
    REQUIRE(driver().violations() == std::vector<std::string>{});
  }
  std::printf("fault sweep with code %d: %zu driver calls made to fail in turn, %zu refusals\n",
              code,
              tried,
              refused);
  CHECK(driver().live().events <= events + 4);
  CHECK(tried > 50);
  CHECK(refused > 20);
}

TEST_CASE("whichever driver call fails nothing leaks and the stream captures again") {
  SECTION("for a reason that the driver doesn't know") {
    sweep(999);
  }
  if (test::kSanitized) {
    return;  // the others take the same ways, and minutes
  }
  SECTION("since memory ran out") {
    sweep(2);
  }
  SECTION("since the capture is broken") {
    sweep(901);
  }
}

TEST_CASE("whichever driver call fails while a device is opened and closed nothing is left") {
  const emulator::Control& control = driver().control();
  const std::string before = in_words(driver().live());
  std::size_t tried = 0;
  for (;; ++tried) {
    control.fail_call("", tried + 1, 999, false);
    {
      auto runtime = Runtime::open("cuda");
      auto stream = runtime ? runtime->create_stream() : fail(runtime.error());
      if (stream) {
        auto module = runtime->load(suite_kernels::bundle());
      }
    }
    const bool hit = control.fault_hit();
    control.clear_faults();
    INFO("call " << tried + 1);
    REQUIRE(in_words(driver().live()) == before);
    if (!hit) {
      break;
    }
  }
  std::printf("opening and closing: %zu driver calls made to fail in turn\n", tried);
  CHECK(tried > 40);
}

}  // namespace
}  // namespace oriel::emulated
