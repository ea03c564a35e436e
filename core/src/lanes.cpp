#include <oriel/core/lanes.hpp>

#include <algorithm>
#include <functional>

namespace oriel::core {
namespace {

/// Enough that recording a usual fork allocates nothing.
constexpr std::size_t kUsualFrontier = 8;

using Clock = std::array<std::uint32_t, kMaxLanes>;

/// Whether everything that `a` has seen, `b` has seen too.
bool within(const Clock& a, const Clock& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>{});
}

void add_missing(std::vector<NodeId>& to, const std::vector<NodeId>& from) {
  for (const NodeId id : from) {
    if (std::find(to.begin(), to.end(), id) == to.end()) {
      to.push_back(id);
    }
  }
}

}  // namespace

Lanes::Lanes() {
  for (Lane& lane : lanes_) {
    lane.frontier.reserve(kUsualFrontier);
  }
}

void Lanes::reset(unsigned origin) noexcept {
  for (Lane& lane : lanes_) {
    lane.seen.fill(0);
    lane.frontier.clear();
  }
  origin_ = origin;
  members_ = joined_ = lane_bit(origin);
}

void Lanes::issue(unsigned lane, NodeId id) noexcept {
  Lane& it = lanes_[lane];
  ++it.seen[lane];
  it.frontier.assign(1, id);
  if (lane != origin_) {
    joined_ &= ~lane_bit(lane);
  }
}

void Lanes::mark(unsigned lane, LaneMark& mark) const {
  mark.seen = lanes_[lane].seen;
  mark.frontier.assign(lanes_[lane].frontier.begin(), lanes_[lane].frontier.end());
}

std::uint64_t Lanes::wait(unsigned lane, const LaneMark& mark) {
  Lane& it = lanes_[lane];
  if (!contains(lane)) {
    members_ |= lane_bit(lane);
    ++it.seen[lane];  // the pull-in itself: it must be joined, work or none
  }
  // A mark that adds nothing adds no edge; one that covers all replaces what is there.
  if (!within(mark.seen, it.seen)) {
    if (within(it.seen, mark.seen)) {
      it.frontier.assign(mark.frontier.begin(), mark.frontier.end());
    } else {
      add_missing(it.frontier, mark.frontier);
    }
    std::transform(it.seen.begin(),
                   it.seen.end(),
                   mark.seen.begin(),
                   it.seen.begin(),
                   [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  } else if (it.frontier.empty()) {
    it.frontier.assign(mark.frontier.begin(), mark.frontier.end());
  }
  if (lane != origin_) {
    return 0;
  }
  std::uint64_t newly = 0;
  for (std::uint64_t left = members_ & ~joined_; left != 0; left &= left - 1) {
    const auto other = static_cast<unsigned>(__builtin_ctzll(left));
    if (it.seen[other] >= lanes_[other].seen[other]) {
      newly |= lane_bit(other);
    }
  }
  joined_ |= newly;
  return newly;
}

}  // namespace oriel::core
