#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace oriel::host {

/// Memory that is taken in pieces, stays where it is and goes back as a whole.
class Arena {
 public:
  static constexpr std::size_t kAlignment = 16;

  /// `expected` bytes in all, if known: a small arena holds no more than it needs.
  explicit Arena(std::size_t expected = kMostChunk) noexcept
      : chunk_(std::clamp(expected, kLeastChunk, kMostChunk)) {}

  /// Aligned to kAlignment, not initialised. Throws std::bad_alloc.
  [[nodiscard]] std::byte* take(std::size_t bytes) {
    const std::size_t cells = (bytes + sizeof(Cell) - 1) / sizeof(Cell);
    if (cells > left_) {
      const std::size_t chunk = std::max(cells, chunk_ / sizeof(Cell));
      next_ = chunks_.emplace_back(std::make_unique_for_overwrite<Cell[]>(chunk)).get();
      left_ = chunk;
    }
    left_ -= cells;
    Cell* taken = next_;
    next_ += cells;
    return reinterpret_cast<std::byte*>(taken);
  }

 private:
  static constexpr std::size_t kLeastChunk = 256;
  static constexpr std::size_t kMostChunk = 16 * 1024;
  struct alignas(kAlignment) Cell {
    std::byte bytes[kAlignment];
  };

  std::size_t chunk_;
  std::vector<std::unique_ptr<Cell[]>> chunks_;
  Cell* next_ = nullptr;
  std::size_t left_ = 0;  // cells
};

}  // namespace oriel::host
