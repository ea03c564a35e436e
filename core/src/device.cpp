#include <oriel/core/device.hpp>

#include <utility>

namespace oriel::core {

Lock::Lock(Device& device) : device_(device), lock_(device.mutex) {}

Lock::~Lock() {
  if (device_.garbage_.empty()) {
    return;
  }
  const auto garbage = std::exchange(device_.garbage_, {});
  lock_.unlock();
  // Destroyed here, without the lock: it may drop handles of this very runtime.
}

Device::Device(std::unique_ptr<GraphDriver> driver)
    : driver_(std::move(driver)), info_(driver_->info()), capabilities_(driver_->capabilities()) {}

Device::~Device() = default;

Result<DeviceStream*> Device::create_stream() {
  if (slots_ == ~std::uint64_t{0}) {
    retire_streams();
  }
  if (slots_ == ~std::uint64_t{0}) {
    return fail(ErrorCode::kUnsupported,
                "a runtime has at most 64 device streams; drop streams, or share them");
  }
  const auto slot = static_cast<unsigned>(__builtin_ctzll(~slots_));
  auto stream = DeviceStream::create(*this, slot);
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  streams_[slot] = std::move(*stream);
  slots_ |= lane_bit(slot);
  return streams_[slot].get();
}

void Device::retire_streams() noexcept {
  if (recording_windows_ > 0) {
    return;
  }
  for_each(slots_, [&](DeviceStream& stream) {
    const bool unused =
        stream.exclusive && stream.users == 0 && stream.window == nullptr && stream.waiters == 0;
    if (!unused || !guarded([&] { return driver_->query(stream.driver()); }).value_or(false)) {
      return;
    }
    stream.infos.clear();
    stream.drops.drain(grave_);
    if (stream.live_slices() == 0) {
      destroy_stream(stream);
    }
  });
  bury(nullptr);
}

void Device::destroy_stream(DeviceStream& stream) noexcept {
  slots_ &= ~lane_bit(stream.slot());
  // Others may still be about to wait for its events, though these are signalled.
  retire(std::shared_ptr<DriverEvent>(std::move(stream.order_event)), stream.waited_for_by);
  retire(std::shared_ptr<DriverEvent>(std::move(stream.fork_event)), stream.waited_for_by);
  streams_[stream.slot()].reset();
}

void Device::destroy_idle_streams() noexcept {
  for_each(slots_, [&](DeviceStream& stream) {
    if (stream.live_slices() == 0) {
      slots_ &= ~lane_bit(stream.slot());
      streams_[stream.slot()].reset();
    }
  });
  if (slots_ == 0) {
    driver_.reset();
  }
}

void Device::window_closed(bool recorded) noexcept {
  --active_windows_;
  if (recorded) {
    --recording_windows_;
  }
  changed.notify_all();
  collect(false);
}

StreamCapture* Device::window_of_this_thread() noexcept {
  if (recording_windows_ == 0) {
    return nullptr;
  }
  StreamCapture* found = nullptr;
  for_each(slots_, [&](DeviceStream& stream) {
    if (stream.capture.recording() && stream.capture.is_in_hand_of_this_thread()) {
      found = &stream.capture;
    }
  });
  return found;
}

Result<void> Device::order_after(DeviceStream& waiter, DeviceStream& earlier) {
  if (&waiter == &earlier) {
    return {};
  }
  if (earlier.capture.recording()) {
    return {};  // begin has waited for all it had
  }
  if (earlier.window != nullptr && earlier.window->recording()) {
    // A fork: what it had been given before was marked when it was pulled in.
    earlier.waited_for_by |= lane_bit(waiter.slot());
    return guarded([&] { return driver_->wait(waiter.driver(), *earlier.fork_event); });
  }
  ORIEL_TRY(guarded([&] { return driver_->record(*earlier.order_event, earlier.driver()); }));
  earlier.waited_for_by |= lane_bit(waiter.slot());
  return guarded([&] { return driver_->wait(waiter.driver(), *earlier.order_event); });
}

Result<void> Device::wait_idle(Lock& lock, DeviceStream& stream) {
  if (recording_windows_ == 0) {
    // What is staged by now needs no fence of its own once the wait is over, but what another
    // thread adds meanwhile does: seal first, so that the wait covers a known set.
    static_cast<void>(stream.drops.seal(*driver_, stream.driver()));
  }
  ++stream.waiters;
  auto waited = without(lock, [&] { return driver_->synchronize(stream.driver()); });
  --stream.waiters;
  changed.notify_all();
  collect_from(stream, false);
  return waited;
}

void Device::bury(std::shared_ptr<void> object) noexcept {
  if (object) {
    grave_.push_back(std::move(object));
  }
  // Burying may bury more: a graph lets go of its modules.
  while (recording_windows_ == 0 && !grave_.empty()) {
    const auto grave = std::exchange(grave_, {});
  }
}

void Device::retire(std::shared_ptr<void> object, std::uint64_t slots) noexcept {
  bool queued = false;
  for_each(slots, [&](DeviceStream& stream) {
    stream.drops.add(object);
    queued = true;
  });
  if (!queued) {
    bury(std::move(object));
    return;
  }
  object.reset();
  for_each(slots, [&](DeviceStream& stream) { collect_from(stream, false); });
}

void Device::collect(bool seal) noexcept {
  for_each(slots_, [&](DeviceStream& stream) { collect_from(stream, seal); });
}

void Device::collect_from(DeviceStream& stream, bool seal) noexcept {
  if (recording_windows_ > 0) {
    return;
  }
  if (seal || stream.drops.wants_fence()) {
    // A fence that can't be had leaves things staged: nothing is freed early, and close waits.
    static_cast<void>(stream.drops.seal(*driver_, stream.driver()));
  }
  stream.drops.poll(*driver_, grave_);
  bury(nullptr);
}

void Device::drain(DeviceStream& stream) noexcept {
  stream.drops.drain(grave_);
  bury(nullptr);
}

std::size_t Device::queued_drops() const noexcept {
  std::size_t queued = grave_.size();
  for (const auto& stream : streams_) {
    queued += stream ? stream->drops.size() : 0;
  }
  return queued;
}

void Device::claim(Slice& slice, const std::shared_ptr<const Error>& cause) noexcept {
  claims_ += slice.claim ? 0 : 1;
  slice.claim = cause;
}

void Device::unclaim(Slice& slice) noexcept {
  if (slice.claim) {
    slice.claim.reset();
    --claims_;
  }
}

}  // namespace oriel::core
