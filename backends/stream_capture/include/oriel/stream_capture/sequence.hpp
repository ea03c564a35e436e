#pragma once

#include <oriel/alloc/stream_pool.hpp>
#include <oriel/core/graph_driver.hpp>
#include <oriel/stream_capture/owned.hpp>
#include <oriel/stream_capture/provider.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace oriel::stream_capture {

template <class Api>
class CaptureStream;

/// One capture sequence, as its streams and the events recorded in them share it.
///
/// Invariant: while open, `streams` are exactly those that are in capture mode, the origin first;
/// `nodes[i]` is the node of the i-th call that was recorded, null where it is no launch.
template <class Api>
struct CaptureSequence {
  bool open = true;
  std::vector<typename Api::Node> nodes;
  std::vector<CaptureStream<Api>*> streams;
};

/// One non-blocking stream of the vendor's with its pools.
///
/// Invariant: `sequence` is null or open, since closing a sequence lets go of its streams.
template <class Api>
class CaptureStream final : public core::DriverStream {
 public:
  CaptureStream(const std::shared_ptr<const Api>& api, OwnedStream<Api> native)
      : native_(std::move(native)),
        device_pool_(std::make_unique<CaptureProvider<Api>>(api, MemoryKind::kDevice)),
        pinned_pool_(std::make_unique<CaptureProvider<Api>>(api, MemoryKind::kPinned)) {}

  [[nodiscard]] core::MemoryPool& device_pool() noexcept override { return device_pool_; }
  [[nodiscard]] core::MemoryPool& pinned_pool() noexcept override { return pinned_pool_; }
  [[nodiscard]] void* native_handle() noexcept override { return native_.get(); }

  [[nodiscard]] typename Api::Stream native() const noexcept { return native_.get(); }
  /// Puts another stream in the place of one that can't be brought out of capture mode.
  void replace(OwnedStream<Api> native) noexcept {
    native_ = std::move(native);
    stuck = false;
  }

  std::shared_ptr<CaptureSequence<Api>> sequence;
  bool stuck = false;  ///< Still in capture mode after its sequence, and not replaced yet.

 private:
  OwnedStream<Api> native_;
  alloc::StreamPool device_pool_;
  alloc::StreamPool pinned_pool_;
};

template <class Api>
class CaptureEvent final : public core::DriverEvent {
 public:
  explicit CaptureEvent(OwnedEvent<Api> native) noexcept : native_(std::move(native)) {}

  [[nodiscard]] typename Api::Event native() const noexcept { return native_.get(); }

  /// The sequence that it was last recorded in, null if that was eagerly.
  std::shared_ptr<CaptureSequence<Api>> sequence;

 private:
  OwnedEvent<Api> native_;
};

}  // namespace oriel::stream_capture
