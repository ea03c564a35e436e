#pragma once

#include <oriel/alloc/general_pool.hpp>
#include <oriel/alloc/slice_entry.hpp>
#include <oriel/alloc/slice_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace oriel::alloc {

/// All capture memory of one padded size.
struct Bin {
  using List = EntryList<&Entry::list_links>;
  struct LaneList {
    std::uint8_t lane = 0;
    List list;
  };

  std::size_t bytes = 0;
  std::size_t entries = 0;  ///< Of this size, idle or not.
  std::size_t clean_count = 0;
  std::size_t claimed = 0;  ///< Of the clean ones, while spares are counted.
  List clean;
  /// A slot for each entry, 64 at most, so that a lane's list can be made without asking for memory
  /// when something is freed. A slot with an empty list may be given to another lane.
  std::vector<LaneList> lanes;
};

/// Capture memory: slices by exact padded size, reused in constant time by the rules of a pass
/// (core::MemoryPool).
///
/// Where a free slice is:
///  - clean: no lane used it in this pass, or there is no pass. Every lane may take it.
///  - in a lane's list: that lane alone used it, or all who did were joined to the origin.
///  - waiting: several lanes used it. Nobody may take it until they are joined.
///  - held: pinned memory that a command named. Nobody may take it before the pass ends.
///
/// Invariant: every slice taken or freed in the pass is in exactly one chain of it: the live ones,
/// one per lane of the free ones that a join with that lane moves, or the held ones. A waiting
/// slice is in the chain of one of the lanes it waits for. Clean slices are in none.
///
/// Nothing that frees, joins or ends a pass asks for memory.
class PersistentPool {
 public:
  PersistentPool(GeneralPool& general, SliceTable& table) noexcept
      : general_(general), table_(table) {}

  [[nodiscard]] bool in_pass() const noexcept { return in_pass_; }
  /// Bytes of the free slices, and of those among them that are held until the pass ends.
  [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_bytes_; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_bytes_; }

  /// Takes a free slice that `lane` may use, its own before a clean one; null if there is none.
  [[nodiscard]] Entry* take(std::size_t padded, unsigned lane) noexcept;
  /// Makes an entry with memory of `padded` bytes capture memory for life, and takes it. Throws
  /// bad_alloc, changing nothing.
  void admit(Entry& entry, std::size_t padded);
  /// The same, but leaves it free and clean.
  void admit_clean(Entry& entry, std::size_t padded);
  /// A taken slice is free.
  void put(Entry& entry) noexcept;
  /// Takes one particular free slice.
  void retain(Entry& entry) noexcept;

  void begin_pass(unsigned origin) noexcept;
  /// All free memory is clean, and the slices still taken are as if no lane had used them. The pass
  /// that follows keeps an eye on those of this one, unless there is none.
  void next_pass() noexcept;
  void end_pass() noexcept;
  void join(unsigned lane) noexcept;

  /// Calls `missing(bytes)` for each slice which this pass took, which is still taken, and for
  /// which there is no clean slice that the pass could do without.
  template <class Missing>
  void for_each_missing_spare(Missing missing) {
    for (Entry* entry = live().front(); entry != nullptr; entry = Chain::next(*entry)) {
      if (entry->pass != pass_ || entry->reserved == 0) {
        continue;
      }
      Bin& bin = *entry->bin;
      if (bin.claimed == bin.clean_count) {
        missing(bin.bytes);
      }
      bin.claimed += bin.claimed < bin.clean_count ? 1 : 0;
    }
    for (Entry* entry = live().front(); entry != nullptr; entry = Chain::next(*entry)) {
      entry->bin->claimed = 0;
    }
  }

  /// Gives the memory of all clean slices to the general pool; returns its bytes.
  std::size_t flush() noexcept;

  /// What part of the invariant is broken; empty if none. For tests: looks at everything.
  [[nodiscard]] std::string validate() const;

 private:
  using Chain = EntryList<&Entry::chain_links>;
  static constexpr std::uint8_t kLanes = 64;
  static constexpr std::uint8_t kCleanList = kLanes;
  static constexpr std::uint8_t kHeldChain = kLanes;
  static constexpr std::uint8_t kLiveChain = kLanes + 1;
  static constexpr std::size_t kChains = kLanes + 2;

  [[nodiscard]] Chain& live() noexcept { return chains_[kLiveChain]; }
  void add_to_bin(Entry& entry, std::size_t padded);
  [[nodiscard]] static Bin::LaneList* find_list(Bin& bin, unsigned lane) noexcept;
  [[nodiscard]] static Bin::LaneList& make_list(Bin& bin, unsigned lane) noexcept;
  void put_clean(Entry& entry) noexcept;
  void place(Entry& entry) noexcept;
  void make_live(Entry& entry) noexcept;
  void enter_list(Entry& entry, std::uint8_t list) noexcept;
  void leave_list(Entry& entry) noexcept;
  void enter_chain(Entry& entry, std::uint8_t chain) noexcept;
  void leave_chain(Entry& entry) noexcept;
  void clean_up() noexcept;
  [[nodiscard]] std::uint64_t unjoined(const Entry& entry) const noexcept;

  /// What validate() counts again.
  struct Recount {
    std::size_t idle = 0;
    std::size_t held = 0;
    std::size_t clean = 0;
    std::size_t chained = 0;
    std::size_t entries = 0;
    void add(const Entry& entry) noexcept;
  };
  [[nodiscard]] std::string validate_bins(const Recount& found) const;
  [[nodiscard]] std::string validate_entry(const Entry& entry) const;
  [[nodiscard]] std::string validate_bin(const Bin& bin) const;
  [[nodiscard]] std::string validate_chains(std::size_t chained) const;

  GeneralPool& general_;
  SliceTable& table_;
  std::unordered_map<std::size_t, Bin> bins_;
  std::array<Chain, kChains> chains_;
  std::array<std::uint64_t, kLanes> joined_at_{};
  std::uint64_t clock_ = 0;
  std::uint64_t pass_ = 0;
  unsigned origin_ = 0;
  bool in_pass_ = false;
  std::size_t idle_bytes_ = 0;
  std::size_t held_bytes_ = 0;
  std::size_t clean_slices_ = 0;
};

}  // namespace oriel::alloc
