#pragma once

#include "executor.hpp"

#include <oriel/core/graph_driver.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace oriel::host {

struct HostOptions {
  /// Threads that run what nobody waits for. One is enough: whoever waits runs work too. With none,
  /// query() runs a command each time.
  unsigned workers = 1;
};

/// One host device: this computer's processors and memory. Each ordinal is a device of its own,
/// with its own streams and workers. Nothing fails asynchronously.
class HostDriver final : public core::GraphDriver {
 public:
  /// Errors: `out_of_memory` (threads included).
  [[nodiscard]] static Result<std::unique_ptr<core::GraphDriver>> open(
      std::uint32_t ordinal, const HostOptions& options = {});

  HostDriver(DeviceInfo info, std::shared_ptr<Executor> executor);
  HostDriver(const HostDriver&) = delete;
  HostDriver& operator=(const HostDriver&) = delete;
  ~HostDriver() override;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }

  [[nodiscard]] Result<std::unique_ptr<core::DriverStream>> create_stream() override;
  [[nodiscard]] Result<void> synchronize(core::DriverStream& stream) override;
  [[nodiscard]] Result<bool> query(core::DriverStream& stream) override;
  [[nodiscard]] Result<std::unique_ptr<core::DriverEvent>> create_event() override;
  [[nodiscard]] Result<void> record(core::DriverEvent& event, core::DriverStream& stream) override;
  [[nodiscard]] Result<void> wait(core::DriverStream& stream, core::DriverEvent& event) override;
  [[nodiscard]] Result<bool> query(core::DriverEvent& event) override;
  [[nodiscard]] Result<void> synchronize(core::DriverEvent& event) override;
  [[nodiscard]] Result<double> elapsed(core::DriverEvent& from, core::DriverEvent& to) override;

  [[nodiscard]] Result<void> launch(core::DriverStream& stream,
                                    const core::LaunchCommand& command) override;
  [[nodiscard]] Result<void> copy(core::DriverStream& stream,
                                  const core::CopyCommand& command) override;
  [[nodiscard]] Result<void> fill(core::DriverStream& stream,
                                  const core::FillCommand& command) override;
  [[nodiscard]] Result<void> call_host(core::DriverStream& stream,
                                       const core::HostCommand& command) override;

  [[nodiscard]] Result<std::unique_ptr<core::DriverModule>> load_module(
      const KernelBundle& bundle) override;

  [[nodiscard]] Result<void> begin(core::DriverStream& stream,
                                   core::CaptureMode mode,
                                   std::size_t expected_nodes) override;
  [[nodiscard]] Result<core::Instantiated> instantiate(core::DriverStream& stream,
                                                       const core::Recording& recording,
                                                       bool doomed) override;
  [[nodiscard]] Result<void> upload(core::DriverExecutable& executable,
                                    core::DriverStream& stream) override;
  [[nodiscard]] Result<void> replay(core::DriverExecutable& executable,
                                    core::DriverStream& stream) override;
  [[nodiscard]] Result<void> update(core::DriverExecutable& executable,
                                    NodeId node,
                                    std::span<void* const> values) override;

 private:
  [[nodiscard]] Result<void> wait_for(const Mark& mark);
  [[nodiscard]] bool passed(const Mark& mark);

  DeviceInfo info_;
  Capabilities capabilities_;
  std::shared_ptr<Executor> executor_;
};

}  // namespace oriel::host
