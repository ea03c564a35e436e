#pragma once

#include <oriel/alloc/provider.hpp>
#include <oriel/alloc/stream_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>

namespace oriel::test {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

/// What a test holds of a fake provider; outlives it.
struct Memory {
  explicit Memory(MemoryKind of = MemoryKind::kDevice) : kind(of) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    for (const auto& [address, block] : blocks) {
      free_host(block);
    }
  }

  MemoryKind kind;
  std::size_t alignment = kind == MemoryKind::kDevice ? 256 : 64;
  std::size_t granularity = 4 * kKiB;
  std::size_t capacity = ~std::size_t{0};
  ErrorCode failure = ErrorCode::kOutOfMemory;
  std::uint64_t fail_at = 0;    ///< Which call fails, counted from 1; 0 for none.
  std::uint64_t fail_from = 0;  ///< From which call on all fail; 0 for never.
  std::size_t short_by = 0;     ///< Breaks its contract: gives blocks that are too short.

  std::uint64_t calls = 0;  ///< Of allocate, failed ones included.
  std::uint64_t releases = 0;
  std::uint64_t wrong_releases = 0;
  std::size_t bytes = 0;
  std::map<std::uint64_t, alloc::Block> blocks;
  std::uint64_t next_address = std::uint64_t{1} << 40;

  void free_host(const alloc::Block& block) const {
    ::operator delete (static_cast<void*>(block.host), std::align_val_t{alignment});
  }
};

/// Made-up addresses for a device; real memory for a pinned host.
class FakeProvider final : public alloc::Provider {
 public:
  explicit FakeProvider(Memory& memory) noexcept : memory_(memory) {}

  Result<alloc::Block> allocate(std::size_t bytes) override {
    const std::uint64_t call = ++memory_.calls;
    const bool told =
        call == memory_.fail_at || (memory_.fail_from != 0 && call >= memory_.fail_from);
    if (told || bytes > memory_.capacity - memory_.bytes) {
      Error error(told ? memory_.failure : ErrorCode::kOutOfMemory, "the fake said no");
      error.native = {2, "FAKE_OUT_OF_MEMORY"};
      return fail(std::move(error));
    }
    alloc::Block block{.address = 0, .host = nullptr, .bytes = bytes - memory_.short_by};
    if (memory_.kind == MemoryKind::kPinned) {
      block.host =
          static_cast<std::byte*>(::operator new (bytes, std::align_val_t{memory_.alignment}));
      block.address = reinterpret_cast<std::uintptr_t>(block.host);
    } else {
      block.address = memory_.next_address;
      memory_.next_address += bytes + memory_.granularity;  // a gap: no two blocks touch
    }
    memory_.bytes += block.bytes;
    memory_.blocks.emplace(block.address, block);
    return block;
  }

  void release(const alloc::Block& block) noexcept override {
    ++memory_.releases;
    const auto at = memory_.blocks.find(block.address);
    if (at == memory_.blocks.end() || at->second.bytes != block.bytes) {
      ++memory_.wrong_releases;
      return;
    }
    memory_.free_host(block);
    memory_.bytes -= block.bytes;
    memory_.blocks.erase(at);
  }

  std::size_t alignment() const noexcept override { return memory_.alignment; }
  std::size_t granularity() const noexcept override { return memory_.granularity; }
  MemoryKind kind() const noexcept override { return memory_.kind; }

 private:
  Memory& memory_;
};

/// A pool over a fake provider, with small pages.
inline std::unique_ptr<alloc::StreamPool> make_pool(Memory& memory,
                                                    std::size_t page_bytes = kMiB,
                                                    std::size_t limit = 0) {
  return std::make_unique<alloc::StreamPool>(
      std::make_unique<FakeProvider>(memory),
      alloc::PoolOptions{.page_bytes = page_bytes, .limit = limit});
}

/// Drops the one reference that the caller holds, as the core does.
inline void drop(alloc::StreamPool& pool, core::Slice* slice) {
  slice->references.store(0);
  pool.release(*slice);
}

}  // namespace oriel::test
