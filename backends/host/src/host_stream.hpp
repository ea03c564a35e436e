#pragma once

#include "executor.hpp"
#include "host_provider.hpp"
#include "work_stream.hpp"

#include <oriel/alloc/stream_pool.hpp>
#include <oriel/core/graph_driver.hpp>

#include <memory>
#include <utility>

namespace oriel::host {

/// One in-order stream with its pools.
///
/// Invariant: commands run only while the stream is there, since they may use its memory. Dropping
/// it runs what is left; inside a command that this would have to wait for, it discards it.
class HostStream final : public core::DriverStream {
 public:
  explicit HostStream(std::shared_ptr<Executor> executor)
      : executor_(std::move(executor)),
        work_(new WorkStream(*executor_)),
        device_pool_(std::make_unique<HostProvider>(MemoryKind::kDevice)),
        pinned_pool_(std::make_unique<HostProvider>(MemoryKind::kPinned)) {}
  HostStream(const HostStream&) = delete;
  HostStream& operator=(const HostStream&) = delete;
  ~HostStream() override {
    if (!executor_->wait(end())) {
      work_->abandoned = true;
    }
  }

  [[nodiscard]] core::MemoryPool& device_pool() noexcept override { return device_pool_; }
  [[nodiscard]] core::MemoryPool& pinned_pool() noexcept override { return pinned_pool_; }
  [[nodiscard]] void* native_handle() noexcept override { return nullptr; }

  [[nodiscard]] WorkStream& work() noexcept { return *work_; }
  /// Its present end.
  [[nodiscard]] Mark end() const noexcept {
    // Read first: g++ 12 takes the null check in Ref's copy for a sign that work_ may be null here.
    const std::uint64_t enqueued = work_->queue.enqueued();
    return {work_, enqueued};
  }

  bool recording = false;  ///< Between begin and instantiate.

 private:
  std::shared_ptr<Executor> executor_;  // outlives the stream's work
  Ref<WorkStream> work_;
  alloc::StreamPool device_pool_;
  alloc::StreamPool pinned_pool_;
};

}  // namespace oriel::host
