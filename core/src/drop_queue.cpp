#include <oriel/core/device.hpp>
#include <oriel/core/drop_queue.hpp>

#include <utility>

namespace oriel::core {

Result<void> DropQueue::seal(GraphDriver& driver, DriverStream& stream) {
  if (staged_.size() == 0) {
    return {};
  }
  std::unique_ptr<DriverEvent> fence;
  if (spare_fences_.empty()) {
    auto made = guarded([&] { return driver.create_event(); });
    if (!made) {
      return fail(std::move(made.error()));
    }
    fence = std::move(*made);
  } else {
    fence = std::move(spare_fences_.back());
    spare_fences_.pop_back();
  }
  ORIEL_TRY(guarded([&] { return driver.record(*fence, stream); }));
  pending_items_ += staged_.size();
  staged_.fence = std::move(fence);
  pending_.push_back(std::exchange(staged_, Batch{}));
  staged_bytes_ = 0;
  return {};
}

void DropQueue::poll(GraphDriver& driver, Grave& grave) {
  while (!pending_.empty()) {
    const auto passed = guarded([&] { return driver.query(*pending_.front().fence); });
    if (!passed || !*passed) {
      return;
    }
    Batch batch = std::move(pending_.front());
    pending_.pop_front();
    pending_items_ -= batch.size();
    spare_fences_.push_back(std::move(batch.fence));
    let_go(batch, grave);
  }
}

void DropQueue::drain(Grave& grave) {
  // Letting go may add anew (a slice that another stream used goes to that stream's queue).
  std::deque<Batch> batches = std::exchange(pending_, {});
  pending_items_ = 0;
  staged_bytes_ = 0;
  batches.push_back(std::exchange(staged_, Batch{}));
  for (Batch& batch : batches) {
    if (batch.fence) {
      spare_fences_.push_back(std::move(batch.fence));
    }
    let_go(batch, grave);
  }
}

void DropQueue::let_go(Batch& batch, Grave& grave) {
  batch.slices.clear();
  for (auto& object : batch.objects) {
    grave.push_back(std::move(object));
  }
  batch.objects.clear();
}

}  // namespace oriel::core
