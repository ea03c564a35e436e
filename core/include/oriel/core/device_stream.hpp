#pragma once

#include <oriel/core/drop_queue.hpp>
#include <oriel/core/info_cache.hpp>
#include <oriel/core/stream_capture.hpp>

#include <cstdint>
#include <memory>

namespace oriel::core {

class Device;

/// One driver stream with its two pools, its window's lifecycle, its drop queue and its info cache.
///
/// Invariant: `window` is null, or the capture (its own, or the one of the stream it was forked
/// from) that this stream's work belongs to. Slices of its pools come home here.
///
/// Thread rule: guarded by the runtime's lock.
class DeviceStream final : public SliceHome {
 private:
  Device& device_;
  unsigned slot_;
  std::unique_ptr<DriverStream> driver_;  // first: its pools outlive every slice kept below

 public:
  /// Makes the driver's stream and the events it needs, so that nothing is made later.
  [[nodiscard]] static Result<std::unique_ptr<DeviceStream>> create(Device& device, unsigned slot);
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream();

  [[nodiscard]] unsigned slot() const noexcept { return slot_; }
  [[nodiscard]] DriverStream& driver() noexcept { return *driver_; }
  [[nodiscard]] MemoryPool& pool(MemoryKind kind) noexcept {
    return kind == MemoryKind::kDevice ? driver_->device_pool() : driver_->pinned_pool();
  }
  [[nodiscard]] std::size_t live_slices() noexcept;

  /// Nobody refers to the slice any more: back to the pool, as soon as the streams that used it are
  /// past it.
  void reclaim(Slice& slice) noexcept override;

  StreamCapture capture;            ///< The window that this stream is the origin of.
  StreamCapture* window = nullptr;  ///< The window it is in, as origin or as fork.
  DropQueue drops;
  InfoCache infos;
  std::uint64_t submitted = 0;  ///< Commands given to the driver for it, eager ones.
  unsigned waiters = 0;         ///< Threads in the driver's synchronize; no window opens meanwhile.
  unsigned users = 0;           ///< Logical streams on it.
  bool exclusive = false;
  StreamId last_user;                        ///< The logical stream that last gave it work.
  std::unique_ptr<DriverEvent> order_event;  ///< For waits of other streams on this one.
  std::uint64_t waited_for_by = 0;  ///< Streams that were told to wait for these two events.
  std::unique_ptr<DriverEvent> fork_event;  ///< Its end when it was pulled into a window.

 private:
  DeviceStream(Device& device, unsigned slot, std::unique_ptr<DriverStream> driver) noexcept
      : device_(device), slot_(slot), driver_(std::move(driver)) {}
};

}  // namespace oriel::core
