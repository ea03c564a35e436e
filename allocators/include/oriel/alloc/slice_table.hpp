#pragma once

#include <oriel/alloc/slice_entry.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace oriel::alloc {

/// A pool's slices, in chunks that never move.
///
/// Invariant: an entry's address and index are its own for the life of the table; a vacant one
/// keeps its generation, so that the next slice made of it is told from the last.
class SliceTable {
 public:
  explicit SliceTable(MemoryKind kind) noexcept : kind_(kind) {}

  /// A vacant entry, which is the caller's until recycle(). Throws bad_alloc, changing nothing.
  [[nodiscard]] Entry& acquire();
  void recycle(Entry& entry) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Entry& at(std::size_t index) const noexcept {
    return (*chunks_[index / kChunk])[index % kChunk];
  }

 private:
  static constexpr std::size_t kChunk = 64;
  using Chunk = std::array<Entry, kChunk>;

  void add_chunk();

  MemoryKind kind_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  EntryList<&Entry::list_links> vacant_;
  std::size_t size_ = 0;
};

}  // namespace oriel::alloc
