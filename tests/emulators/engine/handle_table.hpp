#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace oriel::emulator {

/// A vendor's handle as a number. It looks like an address but is never one, and no two objects of
/// a process ever have the same, so a handle of a destroyed object is always told from a live one.
using Handle = std::uint64_t;

/// The live objects of one kind by handle. T has a member `handle`, which insert() sets.
template <class T>
class HandleTable {
 public:
  /// `kind` is unlike for each table of the process, from 1.
  explicit HandleTable(std::uint64_t kind) noexcept : next_(kind << 40U), first_(next_) {}

  Handle insert(std::shared_ptr<T> object) {
    next_ += 16;
    object->handle = next_;
    objects_.emplace(next_, std::move(object));
    return next_;
  }
  /// Null for a handle that is not of this table, or no longer.
  [[nodiscard]] T* find(Handle handle) const {
    const auto found = objects_.find(handle);
    return found != objects_.end() ? found->second.get() : nullptr;
  }
  [[nodiscard]] std::shared_ptr<T> share(Handle handle) const {
    const auto found = objects_.find(handle);
    return found != objects_.end() ? found->second : nullptr;
  }
  std::shared_ptr<T> erase(Handle handle) {
    const auto found = objects_.find(handle);
    if (found == objects_.end()) {
      return nullptr;
    }
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }
  /// Whether an object had this handle once.
  [[nodiscard]] bool was_live(Handle handle) const noexcept {
    return handle > first_ && handle <= next_ && (handle - first_) % 16 == 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }
  [[nodiscard]] auto begin() const noexcept { return objects_.begin(); }
  [[nodiscard]] auto end() const noexcept { return objects_.end(); }

 private:
  Handle next_;
  Handle first_;
  std::unordered_map<Handle, std::shared_ptr<T>> objects_;
};

}  // namespace oriel::emulator
