#pragma once

#include "options.hpp"
#include "violations.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace oriel::emulator {

enum class BlockKind : std::uint8_t {
  kDevice,
  kPinned,
  kRegistered,  ///< Pinned memory that is the program's own.
};

/// Memory that the driver knows. Its address is a real one of this process, so kernels run on it.
///
/// Invariant: between `kGuard` bytes before and after it nothing is ever written. While it is not
/// live nothing is written in it either, and its first bytes hold the pattern of freed memory.
struct Block {
  static constexpr std::size_t kGuard = 256;

  std::uint64_t address = 0;
  std::size_t bytes = 0;
  BlockKind kind = BlockKind::kDevice;
  int device = 0;
  unsigned flags = 0;      ///< The vendor's, of pinned memory.
  bool live = false;       ///< May be used by work that runs now.
  bool of_graph = false;   ///< The address is fixed as long as the graph's node is there.
  bool allocated = false;  ///< By the calls so far, though work may be pending that makes it live.
  bool backed = false;     ///< Of a graph: counted against the device's memory.
  std::size_t filled = 0;  ///< Bytes from its start that hold a pattern when nobody writes.

  /// Whether [at, at + size) is inside.
  [[nodiscard]] bool holds(std::uint64_t at, std::size_t size) const noexcept {
    return at >= address && size <= bytes && at - address <= bytes - size;
  }

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> storage;  ///< Null when the memory is not the driver's.
};
using BlockRef = std::shared_ptr<Block>;

/// All memory that the driver gave out. Fresh memory holds one pattern, freed memory another; freed
/// blocks stay in a quarantine for a while, where use and writes are noticed.
class Memory {
 public:
  static constexpr std::size_t kQuarantineBytes = std::size_t{64} << 20U;
  static constexpr std::size_t kQuarantineBlocks = 4096;
  static constexpr int kFreshByte = 0xA5;
  static constexpr int kFreedByte = 0xDD;

  Memory(const Options& options, Violations& violations) noexcept
      : options_(options), violations_(violations) {}

  /// An address for memory that isn't live yet. Null when the machine itself has no memory left.
  BlockRef reserve(BlockKind kind, std::size_t bytes, int device);
  /// The program's own memory; live at once.
  BlockRef adopt(void* memory, std::size_t bytes);

  void make_live(Block& block) noexcept;
  /// The block's contents are gone; its address stays known.
  void make_dead(Block& block);
  /// The address is unknown from now on, but for the quarantine.
  void forget(std::uint64_t address);

  /// The block around the address, live or not; null if there is none.
  [[nodiscard]] const BlockRef* find(std::uint64_t address) const;
  /// The same of freed ones.
  [[nodiscard]] bool was_freed(std::uint64_t address) const;

  /// Graphs' addresses that no graph, executable or work refers to, and that are not allocated.
  [[nodiscard]] std::vector<BlockRef> abandoned() const;
  /// All that graphs have.
  [[nodiscard]] std::vector<BlockRef> of_graphs() const;

  /// Looks for writes into freed memory.
  void check_quarantine();

  [[nodiscard]] std::size_t count(BlockKind kind) const noexcept;

 private:
  using Blocks = std::map<std::uint64_t, BlockRef>;

  [[nodiscard]] static const BlockRef* around(const Blocks& blocks, std::uint64_t address);
  void fill(Block& block, int byte) const noexcept;
  void check_freed(Block& block);
  void check_guards(const Block& block);
  void shrink_quarantine();

  const Options& options_;
  Violations& violations_;
  Blocks known_;
  Blocks freed_;                      ///< The quarantine.
  std::deque<BlockRef> freed_order_;  ///< The same, oldest first.
  std::size_t freed_bytes_ = 0;
};

}  // namespace oriel::emulator
