#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/core/slice.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace oriel::core {

/// What callers have let go of while one device stream may still use it. Items are staged, then
/// sealed in batches behind one fence each, and let go when that fence has passed.
///
/// Invariant: an item leaves only when all work that was on the stream when it was added is done.
/// While a window of the device records, nothing moves: no fence is recorded, none is asked.
///
/// Thread rule: called under the runtime's lock.
class DropQueue {
 public:
  /// Where driver objects go once the stream is done with them.
  using Grave = std::vector<std::shared_ptr<void>>;
  /// Items, or bytes, staged before a fence is recorded by itself.
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

  void add(SliceRef slice) {
    staged_bytes_ += slice->reserved;
    staged_.slices.push_back(std::move(slice));
  }
  void add(std::shared_ptr<void> object) { staged_.objects.push_back(std::move(object)); }

  [[nodiscard]] bool wants_fence() const noexcept {
    return staged_.size() >= kBatch || staged_bytes_ >= kBatchBytes;
  }
  [[nodiscard]] std::size_t size() const noexcept { return staged_.size() + pending_items_; }

  /// Puts a fence behind what is staged. On failure it stays staged.
  [[nodiscard]] Result<void> seal(GraphDriver& driver, DriverStream& stream);
  /// Lets go of the batches whose fences have passed, in order; never waits.
  void poll(GraphDriver& driver, Grave& grave);
  /// Lets go of everything: the stream is known to be idle, or gone.
  void drain(Grave& grave);
  /// Lets go of the fences kept for later use.
  void forget_fences() noexcept { spare_fences_.clear(); }

 private:
  struct Batch {
    std::unique_ptr<DriverEvent> fence;
    std::vector<SliceRef> slices;
    std::vector<std::shared_ptr<void>> objects;
    [[nodiscard]] std::size_t size() const noexcept { return slices.size() + objects.size(); }
  };
  static void let_go(Batch& batch, Grave& grave);

  Batch staged_;
  std::deque<Batch> pending_;
  std::size_t staged_bytes_ = 0;
  std::size_t pending_items_ = 0;
  std::vector<std::unique_ptr<DriverEvent>> spare_fences_;
};

}  // namespace oriel::core
