#include <oriel/buffer.hpp>
#include <oriel/core/runtime.hpp>

#include <utility>

namespace oriel {

RawBuffer::RawBuffer(const RawBuffer& other) noexcept
    : runtime_(other.runtime_), slice_(other.slice_), offset_(other.offset_), bytes_(other.bytes_) {
  if (slice_ != nullptr) {
    slice_->references.fetch_add(1, std::memory_order_relaxed);
  }
}

RawBuffer::RawBuffer(RawBuffer&& other) noexcept
    : runtime_(std::move(other.runtime_)),
      slice_(std::exchange(other.slice_, nullptr)),
      offset_(std::exchange(other.offset_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

RawBuffer& RawBuffer::operator=(RawBuffer other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(slice_, other.slice_);
  std::swap(offset_, other.offset_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

RawBuffer::~RawBuffer() {
  if (slice_ != nullptr) {
    runtime_->release(*slice_);
  }
}

MemoryKind RawBuffer::kind() const noexcept {
  return slice_ == nullptr ? MemoryKind::kDevice : slice_->kind;
}

std::uint64_t RawBuffer::device_address() const noexcept {
  return slice_ == nullptr || slice_->address == 0 ? 0 : slice_->address + offset_;
}

std::byte* RawBuffer::host_bytes() const noexcept {
  const bool usable = slice_ != nullptr && slice_->host != nullptr && !runtime_->closed();
  return usable ? slice_->host + offset_ : nullptr;
}

}  // namespace oriel
