#pragma once

#include <oriel/core/slice.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace oriel::core {
class Runtime;
}  // namespace oriel::core

namespace oriel {

/// A counted handle to pool memory, or to a part of it. Copies share the memory; when the last one
/// is dropped the memory is freed in stream order, which is legal at any time, on any thread, in a
/// window too, and never waits. A default-made handle holds nothing and every call refuses it.
class RawBuffer {
 public:
  RawBuffer() = default;
  RawBuffer(const RawBuffer& other) noexcept;
  RawBuffer(RawBuffer&& other) noexcept;
  RawBuffer& operator=(RawBuffer other) noexcept;
  ~RawBuffer();

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  [[nodiscard]] bool valid() const noexcept { return slice_ != nullptr; }
  [[nodiscard]] MemoryKind kind() const noexcept;
  /// The address as the device sees it, for vendor libraries; 0 if empty.
  [[nodiscard]] std::uint64_t device_address() const noexcept;

  [[nodiscard]] core::Slice* slice() const noexcept { return slice_; }
  [[nodiscard]] const core::Runtime* runtime() const noexcept { return runtime_.get(); }

 protected:
  /// Takes over one counted reference to `slice`.
  RawBuffer(std::shared_ptr<core::Runtime> runtime,
            core::Slice* slice,
            std::size_t offset,
            std::size_t bytes) noexcept
      : runtime_(std::move(runtime)), slice_(slice), offset_(offset), bytes_(bytes) {}
  [[nodiscard]] std::byte* host_bytes() const noexcept;

  std::shared_ptr<core::Runtime> runtime_;
  core::Slice* slice_ = nullptr;
  std::size_t offset_ = 0;
  std::size_t bytes_ = 0;
};

/// What device and pinned buffers of one element type share.
template <class T>
class TypedBuffer : public RawBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  using Element = T;
  TypedBuffer() = default;
  /// Elements.
  [[nodiscard]] std::size_t size() const noexcept { return bytes_ / sizeof(T); }
  [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }

 protected:
  friend class Stream;
  using RawBuffer::RawBuffer;
  /// The same memory, seen from element `first`: clamped to what is there.
  template <class Self>
  [[nodiscard]] static Self part(const Self& whole, std::size_t first, std::size_t count) noexcept {
    Self copy(whole);
    first = first < whole.size() ? first : whole.size();
    count = count < whole.size() - first ? count : whole.size() - first;
    copy.offset_ += first * sizeof(T);
    copy.bytes_ = count * sizeof(T);
    return copy;
  }
};

/// Device memory.
template <class T>
class Buffer : public TypedBuffer<T> {
 public:
  Buffer() = default;
  /// Elements [first, first + count) of this buffer, clamped to its size; shares the memory.
  [[nodiscard]] Buffer view(std::size_t first, std::size_t count) const noexcept {
    return TypedBuffer<T>::part(*this, first, count);
  }

 private:
  friend class Stream;
  using TypedBuffer<T>::TypedBuffer;
};

/// Page-locked host memory from the pinned pool: what recorded copies to and from the host name.
/// The device works on it in stream order; synchronise before the host looks.
template <class T>
class PinnedBuffer : public TypedBuffer<T> {
 public:
  PinnedBuffer() = default;
  [[nodiscard]] PinnedBuffer view(std::size_t first, std::size_t count) const noexcept {
    return TypedBuffer<T>::part(*this, first, count);
  }
  /// The elements as the host sees them; empty once the runtime was closed.
  [[nodiscard]] std::span<T> host() const noexcept {
    std::byte* bytes = this->host_bytes();
    return {reinterpret_cast<T*>(bytes), bytes == nullptr ? 0 : this->size()};
  }

 private:
  friend class Stream;
  using TypedBuffer<T>::TypedBuffer;
};

}  // namespace oriel
