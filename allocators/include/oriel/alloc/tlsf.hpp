#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace oriel::alloc {

/// A two-level segregated fit allocator over ranges of addresses that it never touches: all it
/// knows about them lies in nodes of its own, so the memory may be a device's.
///
/// Free blocks lie in lists by size class: a power of two, cut into 32 equal parts. Two levels of
/// bitmaps find the next class that isn't empty. A request first looks at a few blocks of its own
/// class, since one of them often fits, and then takes any block of a higher class, which all do.
///
/// Invariant: the blocks of a range lie end to end and cover it; no two neighbours are both free;
/// each free block is in the list of its class, and a class's bit is set exactly if its list holds
/// something. Every operation takes constant time. No sum or rounding can wrap: sizes are compared
/// and subtracted only, up to 2^64 - 1.
class Tlsf {
 public:
  /// Names a block, used or free, until it is freed, merged or removed.
  using Handle = std::uint32_t;
  static constexpr Handle kNone = ~Handle{0};

  /// Every address and size is a multiple of `grain`, a power of two.
  explicit Tlsf(std::uint64_t grain);

  /// Adds [address, address + bytes), which overlaps no other range, as one free block. `tag` comes
  /// back with each block of the range. `bytes` is not 0. Throws bad_alloc, changing nothing,
  /// unless reserve() went before.
  Handle add_range(std::uint64_t address, std::uint64_t bytes, std::uint32_t tag);
  /// Forgets the range of a block that is all of it, and free.
  void remove_range(Handle whole) noexcept;
  /// Makes sure that the next add_range finds a node.
  void reserve();

  /// Takes a block of exactly `bytes`, not 0; kNone if no free block is known to fit. Throws
  /// bad_alloc, changing nothing.
  [[nodiscard]] Handle allocate(std::uint64_t bytes);
  /// Gives a block back and merges it with its free neighbours; returns what became of it.
  Handle free(Handle block) noexcept;

  [[nodiscard]] std::uint64_t address(Handle block) const noexcept { return nodes_[block].address; }
  [[nodiscard]] std::uint64_t size(Handle block) const noexcept { return nodes_[block].bytes; }
  [[nodiscard]] std::uint32_t tag(Handle block) const noexcept { return nodes_[block].tag; }
  /// Whether a block is all of its range.
  [[nodiscard]] bool is_whole(Handle block) const noexcept {
    return nodes_[block].left == kNone && nodes_[block].right == kNone;
  }

  [[nodiscard]] std::uint64_t free_bytes() const noexcept { return free_bytes_; }
  [[nodiscard]] std::uint64_t used_bytes() const noexcept { return used_bytes_; }
  [[nodiscard]] std::uint64_t free_blocks() const noexcept { return free_blocks_; }
  [[nodiscard]] std::uint64_t used_blocks() const noexcept { return used_blocks_; }

  /// What part of the invariant is broken; empty if none. For tests: looks at every node.
  [[nodiscard]] std::string validate() const;

 private:
  static constexpr unsigned kSecondBits = 5;
  static constexpr unsigned kSecond = 1U << kSecondBits;
  static constexpr unsigned kFirst = 64 - kSecondBits + 1;
  static constexpr unsigned kProbes = 4;

  enum class State : std::uint8_t { kVacant, kFree, kUsed };

  struct Node {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    Handle left = kNone;  // neighbours in the range
    Handle right = kNone;
    Handle previous = kNone;  // in the class's list, or in the list of vacant nodes
    Handle next = kNone;
    std::uint32_t tag = 0;
    State state = State::kVacant;
  };
  struct Class {
    unsigned first;
    unsigned second;
  };

  [[nodiscard]] Class class_of(std::uint64_t bytes) const noexcept;
  [[nodiscard]] Handle find(std::uint64_t bytes) const noexcept;
  [[nodiscard]] Handle find_above(Class at) const noexcept;
  Handle take_node() noexcept;
  void drop_node(Handle node) noexcept;
  void link(Handle block) noexcept;
  void unlink(Handle block) noexcept;
  void cut(Handle block, std::uint64_t bytes) noexcept;
  void absorb_right(Handle block) noexcept;

  [[nodiscard]] std::string validate_block(Handle block) const;
  [[nodiscard]] std::string validate_lists() const;
  [[nodiscard]] bool validate_list(Class at, std::uint64_t& listed) const;
  [[nodiscard]] std::string validate_counters() const;

  unsigned shift_;
  std::vector<Node> nodes_;
  Handle vacant_ = kNone;
  std::uint64_t first_bits_ = 0;
  std::array<std::uint32_t, kFirst> second_bits_{};
  std::array<std::array<Handle, kSecond>, kFirst> heads_;
  std::uint64_t free_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t free_blocks_ = 0;
  std::uint64_t used_blocks_ = 0;
};

}  // namespace oriel::alloc
