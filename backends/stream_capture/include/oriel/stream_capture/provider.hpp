#pragma once

#include <oriel/alloc/provider.hpp>
#include <oriel/stream_capture/api.hpp>

#include <memory>
#include <utility>

namespace oriel::stream_capture {

/// Device memory, or pinned host memory that the device sees at the host's address.
template <class Api>
class CaptureProvider final : public alloc::Provider {
 public:
  CaptureProvider(std::shared_ptr<const Api> api, MemoryKind kind) noexcept
      : api_(std::move(api)), kind_(kind) {}

  [[nodiscard]] Result<alloc::Block> allocate(std::size_t bytes) override {
    alloc::Block block;
    block.bytes = bytes;
    void* host = nullptr;
    Outcome outcome = unrestricted(*api_, [&] {
      return kind_ == MemoryKind::kDevice ? api_->device_allocate(&block.address, bytes)
                                          : api_->pinned_allocate(&host, bytes);
    });
    if (kind_ == MemoryKind::kPinned) {
      block.host = static_cast<std::byte*>(host);
      block.address = reinterpret_cast<std::uintptr_t>(host);
    }
    if (outcome.ok() && block.address == 0) {
      outcome.code = Outcome::kMadeNothing;
    }
    if (!outcome.ok()) {
      return fail(api_->error(outcome));
    }
    return block;
  }

  void release(const alloc::Block& block) noexcept override {
    destroy(*api_, [&] {
      return kind_ == MemoryKind::kDevice ? api_->device_free(block.address)
                                          : api_->pinned_free(block.host);
    });
  }

  [[nodiscard]] std::size_t alignment() const noexcept override {
    return kind_ == MemoryKind::kDevice ? 256 : 64;
  }
  [[nodiscard]] std::size_t granularity() const noexcept override {
    return kind_ == MemoryKind::kDevice ? Api::kDevicePage : Api::kPinnedPage;
  }
  [[nodiscard]] MemoryKind kind() const noexcept override { return kind_; }

 private:
  std::shared_ptr<const Api> api_;
  MemoryKind kind_;
};

}  // namespace oriel::stream_capture
