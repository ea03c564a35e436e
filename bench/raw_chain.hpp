#pragma once

#include "chain.hpp"
#include "raw_cuda.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace oriel::bench {

/// A chain's memory and non-blocking stream by the bare driver API. Its end waits for its work.
class RawChain {
 public:
  RawChain(std::shared_ptr<const RawCuda> raw, Chain chain) : raw_(std::move(raw)), chain_(chain) {}
  RawChain(const RawChain&) = delete;
  RawChain& operator=(const RawChain&) = delete;
  ~RawChain();

  /// Makes stream and memory, and sets the first floats.
  [[nodiscard]] Result<void> start();

  [[nodiscard]] const RawCuda& raw() const noexcept { return *raw_; }
  [[nodiscard]] CUstream stream() const noexcept { return stream_; }
  /// Launches one link: the driver's call and nothing else.
  [[nodiscard]] CUresult launch(float increment) {
    void* arguments[] = {&memory_, &increment, &chain_.width};
    return raw_->driver().launch_kernel(
        raw_->link(), chain_.groups(), 1, 1, chain_.group(), 1, 1, 0, stream_, arguments, nullptr);
  }
  [[nodiscard]] Result<void> launch_all();
  /// Captures `links` launches, and instantiates and uploads what became of them.
  [[nodiscard]] Result<CUgraphExec> capture();
  [[nodiscard]] Result<void> synchronize() const;
  [[nodiscard]] Result<std::vector<float>> read() const;

 private:
  std::shared_ptr<const RawCuda> raw_;
  Chain chain_;
  CUstream stream_ = nullptr;
  CUdeviceptr memory_ = 0;
};

/// The chain launched link by link.
class RawEager final : public Contestant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Contestant>> create(
      const std::shared_ptr<const RawCuda>& raw, const Chain& chain);
  RawEager(const std::shared_ptr<const RawCuda>& raw, const Chain& chain) : chain_(raw, chain) {}

  [[nodiscard]] Result<void> enqueue() override { return chain_.launch_all(); }
  [[nodiscard]] Result<void> finish() override { return chain_.synchronize(); }
  [[nodiscard]] Result<std::vector<float>> read() override { return chain_.read(); }

 private:
  RawChain chain_;
};

/// The chain captured once, and launched as a graph.
class RawGraph final : public Contestant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Contestant>> create(
      const std::shared_ptr<const RawCuda>& raw, const Chain& chain);
  RawGraph(const std::shared_ptr<const RawCuda>& raw, const Chain& chain) : chain_(raw, chain) {}
  RawGraph(const RawGraph&) = delete;
  RawGraph& operator=(const RawGraph&) = delete;
  ~RawGraph() override;

  [[nodiscard]] Result<void> enqueue() override;
  [[nodiscard]] Result<void> finish() override { return chain_.synchronize(); }
  [[nodiscard]] Result<std::vector<float>> read() override { return chain_.read(); }

 private:
  RawChain chain_;
  CUgraphExec graph_ = nullptr;
};

}  // namespace oriel::bench
