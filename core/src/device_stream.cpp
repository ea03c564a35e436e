#include <oriel/core/device.hpp>
#include <oriel/core/device_stream.hpp>

#include <utility>

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
  const bool in_pass = capture.state() != WindowState::kIdle;
  std::uint64_t users_left = slice.streams;
  if (in_pass && slice.arming == capture.serial()) {
    // Memory of the window's own obeys the pool's rule of reuse, lane by lane; only a stream
    // outside the window must be waited for. Lanes that are joined have left it to the origin.
    const Lanes& lanes = capture.lanes();
    // Pinned memory of a warm-up is the host's to write again, which no stream order holds back: it
    // comes home like any other, once the streams are past it.
    const bool host_writes =
        slice.kind == MemoryKind::kPinned && capture.state() == WindowState::kPrepared;
    users_left &= host_writes ? ~std::uint64_t{0} : ~lanes.members();
    if ((slice.lanes & ~lanes.unjoined() & ~lane_bit(slot_)) != 0) {
      slice.lanes = (slice.lanes & lanes.unjoined()) | lane_bit(slot_);
    }
  } else if (slice.kind == MemoryKind::kDevice && !in_pass) {
    // Stream order protects it; but in a pass this pool serves forks too, which may run ahead.
    users_left &= ~lane_bit(slot_);
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
