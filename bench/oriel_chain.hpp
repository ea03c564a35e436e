#pragma once

#include "chain.hpp"

#include <oriel/oriel.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace oriel::bench {

/// A chain's stream, kernel and memory by Oriel.
class OrielChain {
 public:
  /// Makes them, and sets the first floats.
  [[nodiscard]] static Result<OrielChain> create(const Runtime& runtime, const Chain& chain);

  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }
  [[nodiscard]] Result<void> launch(float increment) const {
    return stream_.launch(link_, config_, inout(x_), increment, chain_.width);
  }
  [[nodiscard]] Result<void> launch_all() const;
  /// A graph of `links` launches; the floats are the first ones again.
  [[nodiscard]] Result<Graph> capture() const;
  [[nodiscard]] Result<std::vector<float>> read() const { return stream_.read(x_); }

 private:
  OrielChain(const Chain& chain, Stream stream, Kernel link, Buffer<float> x);
  [[nodiscard]] Result<void> restart() const { return stream_.upload(x_, chain_.first()); }

  Chain chain_;
  Stream stream_;
  Kernel link_;
  Buffer<float> x_;
  LaunchConfig config_;
};

/// The chain launched link by link.
class OrielEager final : public Contestant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Contestant>> create(const Runtime& runtime,
                                                                  const Chain& chain);
  explicit OrielEager(OrielChain chain) : chain_(std::move(chain)) {}

  [[nodiscard]] Result<void> enqueue() override { return chain_.launch_all(); }
  [[nodiscard]] Result<void> finish() override { return chain_.stream().synchronize(); }
  [[nodiscard]] Result<std::vector<float>> read() override { return chain_.read(); }

 private:
  OrielChain chain_;
};

/// The chain captured once, and replayed.
class OrielGraph final : public Contestant {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Contestant>> create(const Runtime& runtime,
                                                                  const Chain& chain);
  OrielGraph(OrielChain chain, Graph graph) : chain_(std::move(chain)), graph_(std::move(graph)) {}

  [[nodiscard]] Result<void> enqueue() override { return graph_.replay(chain_.stream()); }
  [[nodiscard]] Result<void> finish() override { return chain_.stream().synchronize(); }
  [[nodiscard]] Result<std::vector<float>> read() override { return chain_.read(); }

 private:
  OrielChain chain_;
  Graph graph_;
};

}  // namespace oriel::bench
