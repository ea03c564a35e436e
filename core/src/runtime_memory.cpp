#include "text.hpp"

#include <oriel/core/runtime.hpp>

#include <utility>

/// Memory: allocation inside and outside windows, letting go, limits.

namespace oriel::core {

Result<Slice*> Runtime::allocate(StreamId id,
                                 MemoryKind kind,
                                 std::size_t bytes,
                                 std::string_view label) {
  Lock lock(device_);
  auto route = route_work(id, "allocate", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  auto slice = allocate_on(*route, kind, bytes);
  if (slice) {
    return slice;
  }
  Error error = std::move(slice.error());
  if (!label.empty()) {
    error.message = in_quotes(label) + " " + error.message;
  }
  error.message += " (" + name_of(id);
  if (route->recording()) {
    error.message += ", recorded call " + std::to_string(route->window->calls()) + " of " +
                     std::to_string(route->window->warmed_calls());
  }
  error.message += ")";
  return fail(std::move(spoil(*route, label, std::move(error)).error()));
}

/// Window memory comes from the pools of the stream that the window began on, also for its forks;
/// all other memory from the stream's own.
Result<Slice*> Runtime::allocate_on(const Route& route, MemoryKind kind, std::size_t bytes) {
  DeviceStream& home =
      route.window == nullptr ? *route.stream : *device_.stream(route.window->lanes().origin());
  MemoryPool& pool = home.pool(kind);
  const unsigned lane = route.stream->slot();
  auto slice = guarded([&] { return pool.allocate(bytes, lane); });
  if (!slice && slice.error().code == ErrorCode::kOutOfMemory && device_.recording_windows() == 0) {
    slice = allocate_after_collecting(pool, bytes, lane);
  }
  if (slice) {
    (*slice)->home = &home;
  }
  return slice;
}

/// The rungs that need no wait: what the streams are done with, then what sibling pools keep.
Result<Slice*> Runtime::allocate_after_collecting(MemoryPool& pool,
                                                  std::size_t bytes,
                                                  unsigned lane) {
  device_.collect(true);
  auto slice = guarded([&] { return pool.allocate(bytes, lane); });
  if (slice || device_.active_windows() != 0) {
    return slice;
  }
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    stream.infos.clear();
    stream.pool(pool.kind()).trim();
  });
  return guarded([&] { return pool.allocate(bytes, lane); });
}

void Runtime::release(Slice& slice) noexcept {
  // All but the last reference go without the lock. The last one needs it: a window that closes
  // must never see a slice that nobody refers to and that is not yet back in its pool.
  std::uint32_t references = slice.references.load(std::memory_order_relaxed);
  while (references > 1) {
    if (slice.references.compare_exchange_weak(
            references, references - 1, std::memory_order_acq_rel)) {
      return;
    }
  }
  Lock lock(device_);
  SliceRef::adopt(slice).reset();
  if (device_.closed()) {
    device_.destroy_idle_streams();
  }
}

Result<std::size_t> Runtime::trim() {
  Lock lock(device_);
  ORIEL_TRY(admit_call("trim"));
  if (device_.active_windows() != 0) {
    return fail(ErrorCode::kNotPermitted,
                "trim could take memory that a window counts on; close the device's windows first");
  }
  ORIEL_TRY(wait_for_all(lock));
  device_.retire_streams();
  ORIEL_TRY(wait_for_all(lock));  // for what the streams that are gone left to others
  if (device_.active_windows() != 0) {
    return fail(ErrorCode::kNotPermitted, "a window was opened while trim waited; try again");
  }
  std::size_t bytes = 0;
  device_.for_each(device_.slots(), [&](DeviceStream& stream) { stream.infos.clear(); });
  device_.collect(false);
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    bytes += stream.pool(MemoryKind::kDevice).trim() + stream.pool(MemoryKind::kPinned).trim();
  });
  return bytes;
}

Result<void> Runtime::set_limit(Limit limit, std::size_t bytes) {
  Lock lock(device_);
  ORIEL_TRY(admit_call("set_limit"));
  if (device_.active_windows() != 0) {
    return fail(
        ErrorCode::kNotPermitted,
        "set_limit would change the pools under a window; close the device's windows first");
  }
  if (limit != Limit::kDeviceBytes && limit != Limit::kPinnedBytes) {
    return fail(ErrorCode::kInvalidArgument, "there is no such limit; see oriel::Limit");
  }
  const MemoryKind kind = limit == Limit::kDeviceBytes ? MemoryKind::kDevice : MemoryKind::kPinned;
  (kind == MemoryKind::kDevice ? options_.device_limit : options_.pinned_limit) = bytes;
  device_.for_each(device_.slots(),
                   [&](DeviceStream& stream) { stream.pool(kind).set_limit(bytes); });
  return {};
}

}  // namespace oriel::core
