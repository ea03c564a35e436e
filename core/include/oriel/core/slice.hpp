#pragma once

#include <oriel/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace oriel {

enum class MemoryKind : std::uint8_t {
  kDevice,  ///< The device's own memory; the host can't read it.
  kPinned,  ///< Page-locked host memory that both sides read and write.
};

}  // namespace oriel

namespace oriel::core {

struct Slice;

/// Where a slice goes when nobody refers to it any more.
class SliceHome {
 public:
  virtual void reclaim(Slice& slice) noexcept = 0;

 protected:
  ~SliceHome() = default;
};

/// One piece of a pool's memory. It lives at one address for the life of its pool; index and
/// generation name what is handed out, and nothing is ever renumbered. The pool owns address, bytes
/// and reserved; the core owns everything from `references` down.
///
/// Thread rule: guarded by the lock of the runtime, except `references` and what is constant while
/// somebody refers to the slice (address, host, bytes).
struct Slice {
  std::uint64_t address = 0;     ///< As the device sees it; 0 for an empty slice.
  std::byte* host = nullptr;     ///< As the host sees it; null unless the kind is pinned.
  std::size_t bytes = 0;         ///< What was asked for.
  std::size_t reserved = 0;      ///< What it takes in the pool: bytes, padded.
  std::uint32_t index = 0;       ///< Position in the pool's table, for good.
  std::uint32_t generation = 0;  ///< Changes each time the slice is handed out.
  MemoryKind kind = MemoryKind::kDevice;

  std::atomic<std::uint32_t> references{0};
  SliceHome* home = nullptr;  ///< Set by the core when it hands the slice out.
  /// Device streams (by slot) that used it since their last fence: who must pass before reuse.
  std::uint64_t streams = 0;
  /// Device streams of a window that used it in the present pass, allocation included.
  std::uint64_t lanes = 0;
  bool device_touched = false;   ///< A command of the present pass named it.
  std::uint64_t arming = 0;      ///< The arming that allocated it, 0 if none.
  std::uint64_t stamp = 0;       ///< The last window that listed it as touched.
  std::uint64_t written = 0;     ///< The last window that recorded a write of all of it.
  std::uint32_t pins = 0;        ///< Graphs that pin it.
  std::uint64_t graph_mark = 0;  ///< Scratch mark of passes over a recording.
  /// Set while its bytes are owed by work that never ran; reading answers `unwritten`.
  std::shared_ptr<const Error> claim;
};

/// One counted reference to a slice, dropped under the runtime's lock.
class SliceRef {
 public:
  SliceRef() = default;
  /// Adds a reference to `slice`.
  explicit SliceRef(Slice& slice) noexcept : slice_(&slice) {
    slice.references.fetch_add(1, std::memory_order_relaxed);
  }
  /// Takes over a reference that is already counted.
  [[nodiscard]] static SliceRef adopt(Slice& slice) noexcept {
    SliceRef ref;
    ref.slice_ = &slice;
    return ref;
  }
  SliceRef(const SliceRef& other) noexcept : slice_(other.slice_) {
    if (slice_ != nullptr) {
      slice_->references.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SliceRef(SliceRef&& other) noexcept : slice_(std::exchange(other.slice_, nullptr)) {}
  SliceRef& operator=(SliceRef other) noexcept {
    std::swap(slice_, other.slice_);
    return *this;
  }
  ~SliceRef() { reset(); }

  void reset() noexcept {
    if (Slice* slice = std::exchange(slice_, nullptr);
        slice != nullptr && slice->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      slice->home->reclaim(*slice);
    }
  }
  /// Gives the counted reference away.
  [[nodiscard]] Slice* release() noexcept { return std::exchange(slice_, nullptr); }

  [[nodiscard]] Slice* get() const noexcept { return slice_; }
  Slice& operator*() const noexcept { return *slice_; }
  Slice* operator->() const noexcept { return slice_; }
  explicit operator bool() const noexcept { return slice_ != nullptr; }

 private:
  Slice* slice_ = nullptr;
};

}  // namespace oriel::core
