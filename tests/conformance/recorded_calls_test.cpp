// What each call leaves in a graph.
#include "conformance/fixture.hpp"
#include "suite_kernels.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>

namespace oriel::conformance {
namespace {

TEST_CASE("fill, copy and launch are recorded in order and read inputs at each replay", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words in = fixture.words(s, 0);
  const Words sum = fixture.words(s, 0);
  const Words last = fixture.words(s, 0);
  Graph graph = must_graph(s.capture([&](Stream& it) -> Result<void> {
    ORIEL_TRY(it.fill(sum, 100));
    ORIEL_TRY(fixture.scale_add(it, sum, in, 3));
    ORIEL_TRY(fixture.inc(it, sum));
    return it.copy(last, sum);
  }));
  CHECK(graph.node_count() == 4);
  for (Word round = 1; round <= 4; ++round) {
    fixture.scribble(s);
    must(s.fill(in, round));
    must(graph.replay(s));
    fixture.expect(s, last, 101 + 3 * round);
  }
}

TEST_CASE("fills of every pattern size that the device knows are exact", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  struct Sixteen {
    std::uint64_t low, high;
  };
  const auto check = [&](auto value, std::size_t bytes) {
    using T = decltype(value);
    const Buffer<T> buffer = must(s.allocate<T>(37));
    if (bytes > fixture.runtime().capabilities().fill_pattern_bytes) {
      fixture.declared_unsupported("fill_pattern_bytes " + std::to_string(bytes));
      CHECK(code_of(s.fill(buffer, value)) == "unsupported");
      return;
    }
    must(s.fill(buffer, value));
    const std::vector<T> got = must(s.read(buffer));
    CHECK(std::all_of(got.begin(), got.end(), [&](const T& it) {
      return std::memcmp(&it, &value, sizeof(T)) == 0;
    }));
  };
  check(std::uint8_t{0xA5}, 1);
  check(std::uint16_t{0xA5C3}, 2);
  check(std::uint32_t{0xA5C3F00D}, 4);
  check(std::uint64_t{0x0123456789ABCDEF}, 8);
  check(Sixteen{1, 2}, 16);
}

TEST_CASE("a host function runs once a replay with the payload it was recorded with", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const auto count = std::make_shared<std::atomic<int>>(0);
  if (!fixture.runtime().capabilities().host_functions) {
    fixture.declared_unsupported("host_functions");
    CHECK(code_of(s.call_host([count] { ++*count; })) == "unsupported");
    fixture.sync(s);
    CHECK(count->load() == 0);
    return;
  }
  {
    Window window(s);
    fixture.open(window);
    must(s.call_host([count] { ++*count; }, "count"));
    Graph graph = must_graph(window.instantiate());
    fixture.sync(s);
    CHECK(count->load() == 0);
    for (int i = 1; i <= 3; ++i) {
      must(graph.replay(s));
      fixture.sync(s);
      CHECK(count->load() == i);
    }
    CHECK(count.use_count() == 2);
  }
  fixture.sync(s);
  CHECK(count.use_count() == 1);
}

TEST_CASE("a host function that throws is reported by the next synchronise, once", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  if (!fixture.runtime().capabilities().host_functions) {
    fixture.declared_unsupported("host_functions");
    CHECK(code_of(s.call_host([] {})) == "unsupported");
    return;
  }
  must(s.call_host([] { throw std::runtime_error("in a host function"); }));
  const Result<void> result = guarded("synchronize", [&] { return s.synchronize(); });
  REQUIRE_FALSE(result);
  CHECK(contains(result.error().to_string(), "in a host function"));
  fixture.sync(s);
}

TEST_CASE("a host function may drop handles but not call Oriel", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  if (!fixture.runtime().capabilities().host_functions) {
    fixture.declared_unsupported("host_functions");
    CHECK(code_of(s.call_host([] {})) == "unsupported");
    return;
  }
  const auto held = std::make_shared<Words>(fixture.words(s, 1));
  std::string code;
  must(s.call_host([held, &code, &s] {
    *held = {};
    code = code_of(s.synchronize());
  }));
  fixture.sync(s);
  CHECK(code == "not_permitted");
}

TEST_CASE("scalars are those of the call", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 0);
  Word value = 5;
  Window window(s);
  fixture.open(window);
  must(s.launch(fixture.kernel("fill"), fixture.over(d.size()), out(d), value));
  value = 6;
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.expect(s, d, 5);
}

TEST_CASE("events and buffers may be made and dropped while a window is open", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream(0);
  Stream& other = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  Words gone = fixture.words(other, 1);
  std::optional<Graph> old = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  std::optional<Event> event = must(fixture.runtime().create_event());
  std::optional<Module> module = must(fixture.runtime().load(suite_kernels::bundle()));
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  gone = {};
  old.reset();
  event.reset();
  module.reset();
  CHECK(fixture.stats().queued_drops >= 1);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);
  must(graph.replay(s));
  fixture.expect(s, d, 4);
  must(fixture.runtime().synchronize());
  CHECK(fixture.stats().queued_drops == 0);
}

}  // namespace
}  // namespace oriel::conformance
