#pragma once

#include "host_driver.hpp"
#include "host_kernels.hpp"
#include "support/catch.hpp"

#include <oriel/core/graph_driver.hpp>
#include <oriel/core/recording.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace oriel::host {

// These throw rather than use Catch2, which is for one thread alone.
inline void demand(bool condition, const std::string& otherwise) {
  if (!condition) {
    throw std::runtime_error(otherwise);
  }
}
template <class T>
T taken(tl::expected<T, Error> result) {
  demand(result.has_value(), result ? "" : result.error().message);
  return std::move(*result);
}
inline void ok(const Result<void>& result) {
  demand(result.has_value(), result ? "" : result.error().message);
}

using Words = std::vector<std::uint32_t>;

/// A value as a launch takes it: a buffer's address, or a scalar.
inline std::uint64_t address(const void* memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory);
}

/// A host device with its kernels, called with short words. Any host memory is its device memory.
class Device {
 public:
  explicit Device(unsigned workers = 1)
      : driver(taken(HostDriver::open(0, HostOptions{workers}))),
        module(taken(driver->load_module(host_kernels::bundle()))) {}

  [[nodiscard]] std::unique_ptr<core::DriverStream> stream() const {
    return taken(driver->create_stream());
  }
  [[nodiscard]] std::unique_ptr<core::DriverEvent> event() const {
    return taken(driver->create_event());
  }

  /// A launch of one group of `items` items.
  [[nodiscard]] core::LaunchCommand command(const std::string& name,
                                            std::size_t items,
                                            std::span<void* const> values) const {
    const auto& kernels = host_kernels::bundle().kernels;
    const auto found = std::find_if(
        kernels.begin(), kernels.end(), [&](const KernelSignature& it) { return it.name == name; });
    demand(found != kernels.end(), "there is no kernel " + name);
    core::LaunchCommand launch;
    launch.kernel = module->kernel(static_cast<std::size_t>(found - kernels.begin()));
    launch.signature = &*found;
    launch.group = Dim3(static_cast<std::uint32_t>(items));
    launch.values = values;
    return launch;
  }

  void set(core::DriverStream& stream, Words& words, std::uint32_t value) const {
    launch(stream, "set", words.size(), address(words.data()), value);
  }
  void step(core::DriverStream& stream, Words& words, std::uint32_t digit) const {
    launch(stream, "step", words.size(), address(words.data()), digit);
  }

  template <class... Values>
  void launch(core::DriverStream& stream,
              const std::string& name,
              std::size_t items,
              Values... values) const {
    const std::array<void*, sizeof...(Values)> list{&values...};
    ok(driver->launch(stream, command(name, items, list)));
  }

  std::unique_ptr<core::GraphDriver> driver;
  std::unique_ptr<core::DriverModule> module;
};

/// A host function that runs what a test says; lives until it has run.
class HostFunction {
 public:
  explicit HostFunction(std::function<void()> body) : body_(std::move(body)) {}
  [[nodiscard]] core::HostCommand command() {
    return {[](void* self) noexcept { static_cast<HostFunction*>(self)->body_(); }, this};
  }

 private:
  std::function<void()> body_;
};

/// Holds up the thread that runs it until it is opened; says when it has been reached.
class Gate {
 public:
  void open() noexcept { opened_ = true; }
  void await_reached() const noexcept {
    while (!reached_) {
      std::this_thread::yield();
    }
  }
  [[nodiscard]] core::HostCommand command() noexcept {
    return {[](void* self) noexcept {
              auto& gate = *static_cast<Gate*>(self);
              gate.reached_ = true;
              while (!gate.opened_) {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
              }
            },
            this};
  }

 private:
  std::atomic<bool> reached_{false};
  std::atomic<bool> opened_{false};
};

/// Polls until the condition holds; false after ten seconds.
template <class Condition>
[[nodiscard]] bool soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

/// What `step` makes of 0 with these digits.
[[nodiscard]] inline std::uint32_t chain(std::span<const std::uint32_t> digits,
                                         std::uint32_t start = 0) noexcept {
  for (const std::uint32_t digit : digits) {
    start = 31 * start + digit;
  }
  return start;
}

/// A recording as the core would make it, of nodes without labels and uses.
class Recorder {
 public:
  explicit Recorder(const Device& device) : device_(device) {}

  template <class... Values>
  NodeId launch(const std::string& name,
                std::vector<NodeId> after,
                std::size_t items,
                Values... values) {
    const std::array<void*, sizeof...(Values)> list{&values...};
    const std::array<std::uint32_t, sizeof...(Values)> sizes{std::uint32_t{sizeof(values)}...};
    return taken(recording->append(origin(after), device_.command(name, items, list), sizes));
  }
  NodeId step(Words& words, std::uint32_t digit, std::vector<NodeId> after = {}) {
    return launch("step", std::move(after), words.size(), address(words.data()), digit);
  }
  NodeId copy(Words& to, const Words& from, std::vector<NodeId> after) {
    core::CopyCommand command;
    command.destination = address(to.data());
    command.source = address(from.data());
    command.bytes = to.size() * sizeof(to[0]);
    return taken(recording->append(origin(after), command));
  }
  NodeId fill(Words& words, std::uint32_t value, std::vector<NodeId> after) {
    core::FillCommand command;
    command.destination = address(words.data());
    command.bytes = words.size() * sizeof(value);
    command.pattern_bytes = sizeof(value);
    std::memcpy(command.pattern, &value, sizeof(value));
    return taken(recording->append(origin(after), command));
  }
  NodeId call_host(HostFunction& function, std::vector<NodeId> after) {
    return taken(recording->append(origin(after), function.command(), nullptr));
  }

  /// Seals it and makes the graph, as if recorded on this stream.
  [[nodiscard]] std::unique_ptr<core::DriverExecutable> instantiate(core::DriverStream& stream) {
    recording->seal();
    ok(device_.driver->begin(stream, core::CaptureMode::kRelaxed, 0));
    core::Instantiated made = taken(device_.driver->instantiate(stream, *recording, false));
    demand(made.executable != nullptr, "no graph");
    demand(made.nodes == recording->node_count(), "nodes are missing");
    demand(made.allocation_nodes == 0, "the host has no allocation nodes");
    return std::move(made.executable);
  }

  std::unique_ptr<core::Recording> recording = std::make_unique<core::Recording>();

 private:
  [[nodiscard]] static core::NodeOrigin origin(const std::vector<NodeId>& after) noexcept {
    core::NodeOrigin origin;
    origin.dependencies = after;
    return origin;
  }

  const Device& device_;
};

}  // namespace oriel::host
