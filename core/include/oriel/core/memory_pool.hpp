#pragma once

#include <oriel/core/slice.hpp>

#include <cstddef>
#include <cstdint>

namespace oriel::core {

/// Exact counters of one pool, in bytes unless the name says otherwise. Each is kept, not counted.
struct PoolStats {
  std::size_t reserved = 0;  ///< Held from the provider.
  std::size_t in_use = 0;    ///< Handed out (padded), free-but-pinned memory included.
  std::size_t peak_in_use = 0;
  std::size_t armed = 0;        ///< Free memory that an open window may still be served from.
  std::size_t live_slices = 0;  ///< Count of slices handed out.
  std::uint64_t provider_allocations = 0;  ///< Calls, for the life of the pool.
  std::uint64_t provider_releases = 0;
};

/// The memory that one device stream allocates from, for one kind of memory.
///
/// Invariant: between open() and close() the provider is not called, and no byte that a lane may
/// still use is handed to another lane.
///
/// A *pass* is one run of the step: a warm-up, or the recording. Within a pass a pool reuses memory
/// by the window's own rule, so that the recording can't need more than the last warm-up left:
///  - memory freed by the only lane that used it is reusable by that lane at once;
///  - memory used on a forked lane is reusable by the origin only after join(lane);
///  - memory that no lane has used in this pass is reusable by every lane;
///  - pinned memory that a command named (`Slice::device_touched`) is not reused in the pass at
///  all.
/// Lanes are device-stream slots, below 64; `arm` names the origin.
///
/// Thread rule: called under the runtime's lock. `release` and what closes a window can't fail.
class MemoryPool {
 public:
  virtual ~MemoryPool() = default;

  [[nodiscard]] virtual MemoryKind kind() const noexcept = 0;

  /// Hands out a slice of at least `bytes` bytes with one reference counted for the caller. Size 0
  /// gives an empty slice and never reaches the provider. A refused call changes nothing.
  /// Errors: `out_of_memory` (provider or limit), `would_allocate` between open() and close().
  [[nodiscard]] virtual Result<Slice*> allocate(std::size_t bytes, unsigned lane) = 0;

  /// Takes back a slice with no references. Outside a pass it is reusable at once: the caller has
  /// made sure that no stream uses it. In a pass it goes by the rules above.
  virtual void release(Slice& slice) noexcept = 0;

  /// Takes a slice that this pass freed out of the free memory again and counts one reference, so
  /// that a graph can pin it. Only for slices with no references.
  virtual void retain(Slice& slice) noexcept = 0;

  /// From `prepare` on: allocations are served by exact padded size from capture memory, and the
  /// first warm-up pass begins. `arming` (never 0) marks the slices allocated from here on.
  virtual void arm(unsigned origin, std::uint64_t arming) noexcept = 0;
  /// Ends the present warm-up pass and begins another. The caller has made all streams idle.
  virtual void restart_pass() noexcept = 0;
  /// From `begin` on: ends the warm-up, frees what it held, provides one spare for each slice that
  /// the last pass allocated and that is still referred to (a step that replaces its outputs needs
  /// both), and stops calling the provider. The caller has made all streams idle.
  virtual void open() noexcept = 0;
  /// All that `lane` did so far in this pass is ordered before the origin's next command.
  virtual void join(unsigned lane) noexcept = 0;
  /// Ends the pass, whatever it was, and disarms. Memory that the pass freed is free for all.
  virtual void disarm() noexcept = 0;

  /// Gives memory that nobody refers to back to the provider; returns the bytes given back. Only
  /// while no window is prepared or open on the device.
  virtual std::size_t trim() noexcept = 0;

  /// The most bytes to hold from the provider, from now on. What is held already stays.
  virtual void set_limit(std::size_t bytes) noexcept = 0;

  [[nodiscard]] virtual PoolStats stats() const noexcept = 0;
};

}  // namespace oriel::core
