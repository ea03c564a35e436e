#pragma once

#include <oriel/core/slice.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace oriel::core {

/// Small constant data on the device, by content, so that the same shapes are staged once.
///
/// Invariant: every entry of the main table holds bytes that are on the device, or will be in
/// stream order after the lane that put them there. What a recording puts there is on the device
/// only when its graph runs, so it is kept apart (`local`) and forgotten when the window closes.
/// From `prepare` on, until the window closes, everything is kept and nothing evicted.
class InfoCache {
 public:
  static constexpr std::size_t kMostEntries = 4096;
  /// Larger data is kept only from prepare to close.
  static constexpr std::size_t kMostBytes = 4096;
  static constexpr unsigned kNoLane = ~0U;

  struct Entry {
    SliceRef slice;
    unsigned lane = kNoLane;  ///< Who must be waited for by other lanes; kNoLane once it is there.
  };

  /// The entry for `bytes`, most recently used now; null if there is none.
  [[nodiscard]] Entry* find(std::string_view bytes) noexcept;
  /// Keeps an entry, if it is to be kept; evicts the least recently used one if need be.
  void insert(std::string_view bytes, SliceRef slice, unsigned lane);

  /// An entry that the open window itself recorded, on that lane.
  [[nodiscard]] SliceRef find_local(std::string_view bytes, unsigned lane) noexcept;
  void insert_local(std::string_view bytes, SliceRef slice, unsigned lane);

  /// From prepare on: keep all.
  void keep_all(bool keep);
  /// All streams that put entries there are idle now.
  void settle() noexcept;
  void close_window() noexcept { local_.clear(); }
  /// Lets go of every entry.
  void clear() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view bytes) const noexcept {
      return std::hash<std::string_view>{}(bytes);
    }
  };
  struct Kept : Entry {
    std::list<const std::string*>::iterator age;
  };
  void evict_oldest();

  std::unordered_map<std::string, Kept, Hash, std::equal_to<>> entries_;
  std::list<const std::string*> ages_;  // most recently used first; names keys of entries_
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> local_;
  bool keep_all_ = false;
};

}  // namespace oriel::core
