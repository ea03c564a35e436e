#include "support/catch.hpp"

#include <oriel/core/lanes.hpp>

using namespace oriel;
using namespace oriel::core;

namespace {

LaneMark marked(const Lanes& lanes, unsigned lane) {
  LaneMark mark;
  lanes.mark(lane, mark);
  return mark;
}

std::vector<NodeId> frontier(const Lanes& lanes, unsigned lane) {
  const auto it = lanes.frontier(lane);
  return {it.begin(), it.end()};
}

}  // namespace

TEST_CASE("commands of one lane depend each on the one before") {
  Lanes lanes;
  lanes.reset(2);
  CHECK(frontier(lanes, 2).empty());
  lanes.issue(2, 0);
  lanes.issue(2, 1);
  CHECK(frontier(lanes, 2) == std::vector<NodeId>{1});
  CHECK(lanes.unjoined() == 0);
}

TEST_CASE("waiting for a mark pulls a lane in, after what the mark stood for") {
  Lanes lanes;
  lanes.reset(0);
  lanes.issue(0, 0);
  const LaneMark mark = marked(lanes, 0);
  lanes.issue(0, 1);
  CHECK_FALSE(lanes.contains(5));
  lanes.wait(5, mark);
  CHECK(lanes.contains(5));
  CHECK(frontier(lanes, 5) == std::vector<NodeId>{0});
}

TEST_CASE("a lane is unjoined from its pull-in until the origin waits for its end") {
  Lanes lanes;
  lanes.reset(0);
  lanes.wait(1, marked(lanes, 0));
  CHECK(lanes.unjoined() == lane_bit(1));
  lanes.issue(1, 0);
  const LaneMark half = marked(lanes, 1);
  lanes.issue(1, 1);
  CHECK(lanes.wait(0, half) == 0);
  CHECK(lanes.unjoined() == lane_bit(1));
  CHECK(lanes.wait(0, marked(lanes, 1)) == lane_bit(1));
  CHECK(lanes.unjoined() == 0);
  lanes.issue(1, 2);
  CHECK(lanes.unjoined() == lane_bit(1));
}

TEST_CASE("a join through a third lane joins both") {
  Lanes lanes;
  lanes.reset(0);
  const LaneMark start = marked(lanes, 0);
  lanes.wait(1, start);
  lanes.issue(1, 0);
  lanes.wait(2, marked(lanes, 1));
  lanes.issue(2, 1);
  CHECK(lanes.wait(0, marked(lanes, 2)) == (lane_bit(1) | lane_bit(2)));
  CHECK(frontier(lanes, 0) == std::vector<NodeId>{1});
}

TEST_CASE("independent lanes meet as two dependencies; a mark already seen adds none") {
  Lanes lanes;
  lanes.reset(0);
  lanes.issue(0, 0);
  const LaneMark start = marked(lanes, 0);
  lanes.wait(1, start);
  lanes.issue(1, 1);
  lanes.issue(0, 2);
  lanes.wait(0, marked(lanes, 1));
  CHECK(frontier(lanes, 0) == std::vector<NodeId>{2, 1});
  lanes.issue(0, 3);
  lanes.wait(0, start);
  CHECK(frontier(lanes, 0) == std::vector<NodeId>{3});
}

TEST_CASE("ten thousand hops between two lanes keep the frontier small") {
  Lanes lanes;
  lanes.reset(0);
  lanes.issue(0, 0);
  for (int hop = 0; hop < 10'000; ++hop) {
    lanes.wait(1, marked(lanes, 0));
    lanes.wait(0, marked(lanes, 1));
  }
  CHECK(lanes.frontier(0).size() == 1);
  CHECK(lanes.frontier(1).size() == 1);
  CHECK(lanes.unjoined() == 0);
}

TEST_CASE("a reset forgets every lane but the new origin") {
  Lanes lanes;
  lanes.reset(0);
  lanes.wait(1, marked(lanes, 0));
  lanes.issue(1, 0);
  lanes.reset(3);
  CHECK(lanes.members() == lane_bit(3));
  CHECK(lanes.unjoined() == 0);
  CHECK(lanes.frontier(1).empty());
}
