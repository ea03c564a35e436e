#pragma once

#include <oriel/core/slice.hpp>
#include <oriel/error.hpp>

#include <cstddef>
#include <cstdint>

namespace oriel::alloc {

/// One piece of memory from a driver, given back whole.
struct Block {
  std::uint64_t address = 0;  ///< As the device sees it.
  std::byte* host = nullptr;  ///< As the host sees it; null unless the kind is pinned.
  std::size_t bytes = 0;
};

/// Where a pool's pages come from: the only thing in a pool that reaches a driver.
///
/// Contract: a block is aligned to alignment(), holds at least the bytes asked for, and overlaps no
/// other that is out. Size 0 is never asked for. Nothing throws.
///
/// Thread rule: called under the runtime's lock, like the pool it belongs to.
class Provider {
 public:
  virtual ~Provider() = default;

  /// `bytes` is a multiple of granularity(). Errors: `out_of_memory`, `device_lost`,
  /// `driver_error`; nothing changed then.
  [[nodiscard]] virtual Result<Block> allocate(std::size_t bytes) = 0;
  /// Takes a block back, with the size that allocate gave it.
  virtual void release(const Block& block) noexcept = 0;

  /// What every slice is aligned and padded to, a power of two: 256 for a device, 64 for a host.
  [[nodiscard]] virtual std::size_t alignment() const noexcept = 0;
  /// What the driver rounds a block up to; a pool that asks for less wastes the rest.
  [[nodiscard]] virtual std::size_t granularity() const noexcept = 0;
  [[nodiscard]] virtual MemoryKind kind() const noexcept = 0;
};

}  // namespace oriel::alloc
