// What the scripted driver gives out.
#pragma once

#include "fake_machine.hpp"

#include <oriel/core/graph_driver.hpp>
#include <oriel/kernel_launch.h>

#include <set>
#include <vector>

namespace oriel::fake {

struct FakeStream;

struct FakeKernel final : core::DriverKernel {
  oriel_host_function* function = nullptr;
  std::vector<std::uint32_t> sizes;  // of the arguments' values
  std::size_t scratch = 0;

  [[nodiscard]] std::size_t scratch_bytes() const noexcept override { return scratch; }
};

using Nodes = std::vector<Work>;

// What one window of the driver's collects.
struct Capture {
  FakeStream* origin = nullptr;
  Nodes nodes;
  std::set<FakeStream*> members;
  std::set<FakeStream*> unjoined;
};

struct FakeEvent final : core::DriverEvent {
  explicit FakeEvent(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeEvent(const FakeEvent&) = delete;
  FakeEvent& operator=(const FakeEvent&) = delete;
  ~FakeEvent() override;

  std::shared_ptr<Machine> machine;
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<bool> captured{false};  // recorded in a window
  std::shared_ptr<Capture> capture;   // which
  FakeStream* stream = nullptr;       // there
};

struct FakeModule final : core::DriverModule {
  explicit FakeModule(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeModule(const FakeModule&) = delete;
  FakeModule& operator=(const FakeModule&) = delete;
  ~FakeModule() override;
  [[nodiscard]] core::DriverKernel* kernel(std::size_t index) noexcept override {
    return &kernels[index];
  }

  std::shared_ptr<Machine> machine;
  std::deque<FakeKernel> kernels;
};

struct FakeExecutable final : core::DriverExecutable {
  explicit FakeExecutable(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeExecutable(const FakeExecutable&) = delete;
  FakeExecutable& operator=(const FakeExecutable&) = delete;
  ~FakeExecutable() override;

  std::shared_ptr<Machine> machine;
  std::shared_ptr<const Nodes> nodes;         // replaced as a whole by update
  std::vector<core::LaunchCommand> launches;  // by node; kernel null where it is no launch
};

// Which stream's pools may not call the provider now.
struct StreamState {
  std::shared_ptr<Capture> capture;
  std::atomic<bool> captured{false};  // the same, for calls that come without the lock
};

struct FakeStream final : core::DriverStream {
  explicit FakeStream(std::shared_ptr<Machine> machine_)
      : machine(std::move(machine_)),
        state(std::make_shared<StreamState>()),
        device(make_pool(MemoryKind::kDevice)),
        pinned(make_pool(MemoryKind::kPinned)) {}
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  ~FakeStream() override;
  [[nodiscard]] core::MemoryPool& device_pool() noexcept override { return *device; }
  [[nodiscard]] core::MemoryPool& pinned_pool() noexcept override { return *pinned; }
  [[nodiscard]] void* native_handle() noexcept override { return this; }

  [[nodiscard]] const std::shared_ptr<Capture>& capture() const noexcept { return state->capture; }
  void enter(std::shared_ptr<Capture> capture) noexcept {
    state->captured = capture != nullptr;
    state->capture = std::move(capture);
  }
  [[nodiscard]] std::unique_ptr<core::MemoryPool> make_pool(MemoryKind kind) const;

  std::shared_ptr<Machine> machine;
  std::shared_ptr<StreamState> state;
  std::unique_ptr<core::MemoryPool> device;
  std::unique_ptr<core::MemoryPool> pinned;
  std::atomic<std::uint64_t> last{0};  // ticket of its last work
};

}  // namespace oriel::fake
