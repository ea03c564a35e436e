#pragma once

#include <oriel/core/device_stream.hpp>
#include <oriel/core/graph_driver.hpp>
#include <oriel/core/host_call.hpp>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace oriel::core {

/// Calls into a driver; what a plugin throws becomes `driver_error` here, or `out_of_memory` where
/// the host's memory ran out, and goes no further.
template <class Call>
[[nodiscard]] auto guarded(Call&& call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory,
                "the host has no memory left for the driver; free some and try again");
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kDriverError, std::string("the driver threw: ") + thrown.what());
  } catch (...) {
    return fail(ErrorCode::kDriverError, "the driver threw something that is no std::exception");
  }
}

class Device;

/// The runtime's lock, for the length of one call. What callers own (payloads of host functions)
/// and what must not be destroyed under the lock, since its destructor may call back, goes at its
/// end.
class Lock {
 public:
  explicit Lock(Device& device);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

  /// For waiting in the middle of a call; see Device::Guest.
  [[nodiscard]] std::unique_lock<std::mutex>& native() noexcept { return lock_; }

 private:
  Device& device_;
  std::unique_lock<std::mutex> lock_;
};

/// What all streams of one opened device share: the driver, the device streams by slot, how many
/// windows record, what waits to be destroyed, which memory is claimed.
///
/// Invariant: while `recording_windows() > 0` no driver object is destroyed, no fence recorded or
/// asked, no memory given back.
///
/// Thread rule: everything but `mutex` is guarded by it.
class Device {
 public:
  /// A thread inside a call that lets go of the lock on its way and goes on with what it had
  /// found: while there is one, closing takes nothing away.
  class Guest {
   public:
    explicit Guest(Device& device) noexcept : device_(device) { ++device_.guests_; }
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;
    ~Guest() {
      --device_.guests_;
      device_.changed.notify_all();
    }

   private:
    Device& device_;
  };

  explicit Device(std::unique_ptr<GraphDriver> driver);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] GraphDriver& driver() noexcept { return *driver_; }
  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const Capabilities& capabilities() const noexcept { return capabilities_; }
  [[nodiscard]] bool captures() const noexcept {
    return capabilities_.recording == RecordingMode::kCaptures;
  }

  // Streams.
  /// Makes a device stream in a free slot. Error: `unsupported` if there is none.
  [[nodiscard]] Result<DeviceStream*> create_stream();
  [[nodiscard]] DeviceStream* stream(unsigned slot) noexcept { return streams_[slot].get(); }
  /// Calls `visit(DeviceStream&)` for each of `slots` that exists.
  template <class Visit>
  void for_each(std::uint64_t slots, Visit&& visit) {
    for (; slots != 0; slots &= slots - 1) {
      if (DeviceStream* it = stream(static_cast<unsigned>(__builtin_ctzll(slots)))) {
        visit(*it);
      }
    }
  }
  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
  /// Destroys device streams that nobody uses: no logical stream, no work, no live slice.
  void retire_streams() noexcept;

  /// Closed: whatever comes home now goes straight to its pool.
  void set_closed() noexcept { closed_ = true; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  /// After closing: destroys the streams without live slices, and with the last one the driver.
  void destroy_idle_streams() noexcept;

  // Windows.
  void window_prepared() noexcept { ++active_windows_; }
  void window_opened() noexcept { ++recording_windows_; }
  void window_closed(bool recorded) noexcept;
  [[nodiscard]] unsigned active_windows() const noexcept { return active_windows_; }
  [[nodiscard]] unsigned recording_windows() const noexcept { return recording_windows_; }
  /// A window that records and is in this thread's hand; null if there is none.
  [[nodiscard]] StreamCapture* window_of_this_thread() noexcept;
  [[nodiscard]] std::uint64_t next_serial() noexcept { return ++serial_; }
  [[nodiscard]] std::uint64_t next_mark() noexcept { return ++mark_; }

  // Order and waiting.
  /// Later work of `waiter` starts after all work given to `earlier` so far.
  [[nodiscard]] Result<void> order_after(DeviceStream& waiter, DeviceStream& earlier);
  /// Waits until the stream has no work, without the lock, and lets go of what that frees.
  [[nodiscard]] Result<void> wait_idle(Lock& lock, DeviceStream& stream);
  /// Runs a wait of the driver's without the lock.
  template <class Wait>
  [[nodiscard]] Result<void> without(Lock& lock, Wait&& wait) {
    const Guest guest(*this);
    lock.native().unlock();
    auto waited = guarded(std::forward<Wait>(wait));
    lock.native().lock();
    return waited;
  }
  /// Waits until no other thread is inside such a call.
  void wait_for_guests(Lock& lock) {
    changed.wait(lock.native(), [this] { return guests_ == 0; });
  }

  // Destruction.
  /// Destroys a driver object now, or when no window records.
  void bury(std::shared_ptr<void> object) noexcept;
  /// Keeps `object` until each of `slots` is past its present work, then buries it.
  void retire(std::shared_ptr<void> object, std::uint64_t slots) noexcept;
  /// Keeps a caller's payload until the lock is released.
  void discard(std::shared_ptr<void> payload) { garbage_.push_back(std::move(payload)); }
  /// Lets go of all that the stream's queue holds; the stream is known to be idle.
  void drain(DeviceStream& stream) noexcept;
  /// Moves the drop queues on, if no window records; `seal` puts fences behind what is staged.
  void collect(bool seal) noexcept;
  /// The same for one stream, after work was given up on it.
  void collect_from(DeviceStream& stream, bool seal) noexcept;
  [[nodiscard]] std::size_t queued_drops() const noexcept;

  // Claims.
  void claim(Slice& slice, const std::shared_ptr<const Error>& cause) noexcept;
  void unclaim(Slice& slice) noexcept;
  [[nodiscard]] std::size_t claims() const noexcept { return claims_; }

  std::mutex mutex;
  std::condition_variable changed;  ///< Windows moved, or waiters and guests left.
  std::shared_ptr<AsyncFailures> failures = std::make_shared<AsyncFailures>();
  std::size_t scratch_bytes = 0;    ///< The most that a launched kernel needed.
  std::size_t graph_bytes[2] = {};  ///< Pinned by graphs, by kind, each byte once.

 private:
  friend class Lock;
  void destroy_stream(DeviceStream& stream) noexcept;

  std::unique_ptr<GraphDriver> driver_;
  DeviceInfo info_;
  Capabilities capabilities_;
  std::array<std::unique_ptr<DeviceStream>, kMaxLanes> streams_;
  std::uint64_t slots_ = 0;
  unsigned guests_ = 0;
  unsigned active_windows_ = 0;
  unsigned recording_windows_ = 0;
  std::uint64_t serial_ = 0;
  std::uint64_t mark_ = 0;
  std::size_t claims_ = 0;
  bool closed_ = false;
  DropQueue::Grave grave_;
  std::vector<std::shared_ptr<void>> garbage_;
};

}  // namespace oriel::core
