#pragma once

#include <oriel/ids.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace oriel::core {

/// Device streams of one runtime at most, and so the lanes of a window. One bit each in a mask.
inline constexpr unsigned kMaxLanes = 64;

[[nodiscard]] constexpr std::uint64_t lane_bit(unsigned lane) noexcept {
  return std::uint64_t{1} << lane;
}

/// A point in a window, as an event carries it from one lane to another: how far each lane had come
/// as seen from there, and the nodes that what follows depends on.
struct LaneMark {
  std::array<std::uint32_t, kMaxLanes> seen{};
  std::vector<NodeId> frontier;
};

/// Which device streams are in a window, and what is ordered before what: one vector clock a lane.
///
/// Invariant: `seen(a)[b]` is the position of lane b up to which all is ordered before lane a's
/// next command. A lane's position counts its pull-in and its commands; waits and event records
/// don't move it, since they are no work that could stay unjoined.
class Lanes {
 public:
  Lanes();

  /// One lane, the origin, that has done nothing.
  void reset(unsigned origin) noexcept;

  [[nodiscard]] unsigned origin() const noexcept { return origin_; }
  [[nodiscard]] std::uint64_t members() const noexcept { return members_; }
  [[nodiscard]] bool contains(unsigned lane) const noexcept {
    return (members_ & lane_bit(lane)) != 0;
  }

  /// `lane` has issued node `id`, which later commands of the lane depend on.
  void issue(unsigned lane, NodeId id) noexcept;
  /// The nodes that the lane's next command depends on.
  [[nodiscard]] std::span<const NodeId> frontier(unsigned lane) const noexcept {
    return lanes_[lane].frontier;
  }

  /// Writes down the present end of `lane`.
  void mark(unsigned lane, LaneMark& mark) const;
  /// `lane`, a member or not, goes on after `mark`: a fork if it was none. Returns the lanes that
  /// this joined: all they did is now ordered before the origin's next command.
  std::uint64_t wait(unsigned lane, const LaneMark& mark);

  /// Members with work, or only a pull-in, that the origin has not waited for.
  [[nodiscard]] std::uint64_t unjoined() const noexcept { return members_ & ~joined_; }

 private:
  struct Lane {
    std::array<std::uint32_t, kMaxLanes> seen{};
    std::vector<NodeId> frontier;
  };

  std::array<Lane, kMaxLanes> lanes_;
  std::uint64_t members_ = 0;
  std::uint64_t joined_ = 0;
  unsigned origin_ = 0;
};

}  // namespace oriel::core
