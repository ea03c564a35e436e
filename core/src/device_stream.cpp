#include <oriel/core/device_stream.hpp>

#include <utility>

#include <oriel/core/device.hpp>

namespace oriel::core {

Result<std::unique_ptr<DeviceStream>> DeviceStream::create(Device& device, unsigned slot) {
  auto driver = guarded([&] { return device.driver().create_stream(); });
  if (!driver) {
    return fail(std::move(driver.error()));
  }
  std::unique_ptr<DeviceStream> stream(new DeviceStream(device, slot, std::move(*driver)));
  for (auto* event : {&stream->order_event, &stream->fork_event}) {
    auto made = guarded([&] { return device.driver().create_event(); });
    if (!made) {
      return fail(std::move(made.error()));
    }
    *event = std::move(*made);
  }
  return stream;
}

DeviceStream::~DeviceStream() = default;

std::size_t DeviceStream::live_slices() noexcept {
  return driver_->device_pool().stats().live_slices + driver_->pinned_pool().stats().live_slices;
}

void DeviceStream::reclaim(Slice& slice) noexcept {
  // Memory that the window's own pools armed obeys the pool's rule of reuse, lanes and all. Only a
  // stream outside the window that used it must be waited for.
  const bool armed = capture.state() != WindowState::kIdle && slice.arming == capture.serial();
  std::uint64_t users_left = slice.streams;
  if (armed) {
    users_left &= ~capture.lanes().members();
  } else if (slice.kind == MemoryKind::kDevice) {
    users_left &= ~lane_bit(slot_);  // stream order protects it
  }
  slice.streams = 0;
  bool queued = false;
  if (device_.closed()) {
    users_left = 0;  // everything was waited for
  }
  device_.for_each(users_left, [&](DeviceStream& user) {
    user.drops.add(SliceRef(slice));
    queued = true;
  });
  if (queued) {
    device_.for_each(users_left, [&](DeviceStream& user) { device_.collect_from(user, false); });
    return;
  }
  device_.unclaim(slice);
  pool(slice.kind).release(slice);
}

}  // namespace oriel::core
