#include "support/catch.hpp"

#include <oriel/core/stream_capture.hpp>

#include <functional>
#include <vector>

using namespace oriel;
using namespace oriel::core;

namespace {

constexpr StreamId kOwner{4, 1};
constexpr StreamId kOther{5, 1};

Result<void> prepare(StreamCapture& capture) {
  return capture.prepare(kOwner, 0, 17, {});
}

bool out_of_order(const Result<void>& step) {
  return !step && step.error().code == ErrorCode::kInvalidState;
}

}  // namespace

TEST_CASE("a window goes idle, prepared, recording, idle, and remembers its owner meanwhile") {
  StreamCapture capture;
  CHECK(capture.state() == WindowState::kIdle);
  REQUIRE(prepare(capture));
  CHECK(capture.state() == WindowState::kPrepared);
  CHECK(capture.owner() == kOwner);
  CHECK(capture.serial() == 17);
  REQUIRE(capture.start_moving("begin"));
  capture.open();
  CHECK(capture.recording());
  CHECK(capture.owner() == kOwner);
  CHECK(capture.thread() == std::this_thread::get_id());
  capture.close();
  CHECK(capture.state() == WindowState::kIdle);
  CHECK_FALSE(capture.owner().valid());
  CHECK(capture.serial() == 0);
}

TEST_CASE("each step out of order is refused and changes nothing") {
  StreamCapture capture;
  CHECK(out_of_order(capture.restart_pass()));
  CHECK(out_of_order(capture.start_moving("begin")));
  CHECK(capture.state() == WindowState::kIdle);
  REQUIRE(prepare(capture));
  CHECK(out_of_order(capture.prepare(kOther, 1, 18, {})));
  CHECK(capture.owner() == kOwner);
  CHECK(capture.serial() == 17);
  REQUIRE(capture.start_moving("begin"));
  CHECK(out_of_order(capture.start_moving("begin")));
  CHECK(out_of_order(capture.restart_pass()));
  capture.open();
  CHECK(out_of_order(prepare(capture)));
  CHECK(out_of_order(capture.start_moving("begin")));
  CHECK(capture.recording());
}

TEST_CASE("a window admits its owner and who was pulled in, for the present pass") {
  StreamCapture capture;
  REQUIRE(prepare(capture));
  CHECK(capture.admits(kOwner));
  CHECK_FALSE(capture.admits(kOther));
  capture.admit(kOther);
  CHECK(capture.admits(kOther));
  REQUIRE(capture.restart_pass());
  CHECK_FALSE(capture.admits(kOther));
}

TEST_CASE("the first failure is kept for good and later ones are listed after it, up to a bound") {
  StreamCapture capture;
  REQUIRE(prepare(capture));
  CHECK_FALSE(capture.doomed());
  capture.doom({ErrorCode::kDriverError, "first"});
  for (int i = 0; i < 100; ++i) {
    capture.doom({ErrorCode::kDoomed, "later"});
  }
  REQUIRE(capture.doomed());
  CHECK(capture.first_error()->message == "first");
  CHECK(capture.first_error()->later.size() == Error::kMostLater);
  capture.close();
  CHECK_FALSE(capture.doomed());
}

TEST_CASE("a recording has room for exactly what the last warm-up pass counted") {
  StreamCapture capture;
  REQUIRE(prepare(capture));
  Recording::Size node;
  node.nodes = 1;
  CHECK(capture.count(node) == 0);
  CHECK(capture.count(node) == 1);
  capture.next_call();
  REQUIRE(capture.restart_pass());
  CHECK(capture.count(node) == 0);
  capture.next_call();
  capture.next_call();
  capture.open();
  CHECK(capture.warmed_calls() == 2);
  CHECK(capture.calls() == 0);
}
