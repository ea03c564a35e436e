#pragma once

#include <oriel/alloc/provider.hpp>

#include <cstddef>

namespace oriel::host {

/// Pages from the operating system, for either kind of memory: on the host both are the same. They
/// are mapped and not touched, so what nobody writes takes no memory.
class HostProvider final : public alloc::Provider {
 public:
  explicit HostProvider(MemoryKind kind) noexcept : kind_(kind) {}

  [[nodiscard]] Result<alloc::Block> allocate(std::size_t bytes) override;
  void release(const alloc::Block& block) noexcept override;

  /// A cache line, and the widest vector.
  [[nodiscard]] std::size_t alignment() const noexcept override { return 64; }
  [[nodiscard]] std::size_t granularity() const noexcept override;
  [[nodiscard]] MemoryKind kind() const noexcept override { return kind_; }

 private:
  MemoryKind kind_;
};

}  // namespace oriel::host
