// What a refused window would have written can be read by nobody until somebody writes it whole.
#include "conformance/fixture.hpp"

namespace oriel::conformance {
namespace {

TEST_CASE("a refused window claims what it would have written until that is written whole",
          "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 3);
  const Words untouched = fixture.words(s, 8);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  CHECK(code_of(s.allocate<Word>(5 * Fixture::kWords, "too.much")) == "would_allocate");
  const CaptureResult refused = window.instantiate();
  REQUIRE(code_of(refused) == "would_allocate");
  REQUIRE(refused.error().written.size() == 1);
  CHECK(refused.error().written[0].address == d.device_address());
  CHECK(refused.error().written[0].bytes == d.bytes());
  CHECK(refused.error().written[0].index == d.slice()->index);
  CHECK(refused.error().written[0].generation == d.slice()->generation);
  CHECK(fixture.stats().claims == 1);
  fixture.expect(s, untouched, 8);

  const auto denied = s.read(d);
  REQUIRE(code_of(denied) == "unwritten");
  CHECK(contains(denied.error().to_string(), "would_allocate"));
  CHECK(code_of(fixture.copy(s, untouched, d)) == "unwritten");
  CHECK(code_of(fixture.inc(s, d)) == "unwritten");
  must(s.fill(d.view(0, 64), 4));  // a part is not enough
  CHECK(code_of(s.read(d)) == "unwritten");

  SECTION("fill lifts the claim") {
    must(s.fill(d, 9));
  }
  SECTION("upload lifts the claim") {
    must(s.upload(d, std::vector<Word>(d.size(), 9)));
  }
  SECTION("a launch that writes all of it lifts the claim") {
    must(s.launch(fixture.kernel("fill"), fixture.over(d.size()), out(d), Word{9}));
  }
  CHECK(fixture.stats().claims == 0);
  fixture.expect(s, d, 9);
  fixture.expect(s, untouched, 8);
  fixture.recovery_check(s);
}

TEST_CASE("claimed memory can be read by nothing that is recorded either", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 3);
  const Words to = fixture.words(s, 0);
  {
    Window window(s);
    fixture.open(window);
    must(fixture.inc(s, d));
    window.doom(Error(ErrorCode::kInvalidArgument, "the step gave up"));
    const CaptureResult refused = window.instantiate();
    CHECK(code_of(refused) == "invalid_argument");
    CHECK(contains(refused.error().error.message, "the step gave up"));
  }
  Window window(s);
  fixture.open(window);
  CHECK(code_of(fixture.copy(s, to, d)) == "unwritten");
  CHECK(code_of(fixture.inc(s, to)) == "doomed");
  CHECK(code_of(window.instantiate()) == "unwritten");
  must(s.fill(d, 1));
  must(s.fill(to, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a replay that reads claimed memory is refused until it is written", "[rule]") {
  Fixture fixture;
  Stream& s = fixture.stream();
  const Words d = fixture.words(s, 3);
  const Words to = fixture.words(s, 0);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.copy(it, to, d); }));
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  window.doom(Error(ErrorCode::kInvalidArgument, "the step gave up"));
  CHECK(code_of(window.instantiate()) == "invalid_argument");
  CHECK(code_of(graph.replay(s)) == "unwritten");
  must(s.fill(d, 12));
  must(graph.replay(s));
  fixture.expect(s, to, 12);
}

}  // namespace
}  // namespace oriel::conformance
