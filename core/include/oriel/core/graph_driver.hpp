#pragma once

#include <oriel/core/commands.hpp>
#include <oriel/core/memory_pool.hpp>
#include <oriel/core/recording.hpp>
#include <oriel/device_info.hpp>
#include <oriel/kernel_bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace oriel::core {

/// Owned driver objects. Each is destroyed by dropping it. The core drops one only when the device
/// no longer uses it and no window is open on the device.

/// One in-order stream and the two pools that come with it. Always created non-blocking: it never
/// synchronises with a vendor's default stream.
class DriverStream {
 public:
  virtual ~DriverStream() = default;
  [[nodiscard]] virtual MemoryPool& device_pool() noexcept = 0;
  [[nodiscard]] virtual MemoryPool& pinned_pool() noexcept = 0;
  /// The vendor's own handle, for calls of vendor libraries; null where there is none.
  [[nodiscard]] virtual void* native_handle() noexcept = 0;
};

class DriverEvent {
 public:
  virtual ~DriverEvent() = default;
};

class DriverKernel {
 public:
  virtual ~DriverKernel() = default;
  /// Private memory in bytes that the driver sets aside at the first launch of a kernel that needs
  /// more than any before, which must not happen in a window. 0 where it never does.
  [[nodiscard]] virtual std::size_t scratch_bytes() const noexcept = 0;
};

class DriverModule {
 public:
  virtual ~DriverModule() = default;
  /// The i-th kernel of the bundle it was loaded from; lives as long as the module. Never null.
  [[nodiscard]] virtual DriverKernel* kernel(std::size_t index) noexcept = 0;
};

class DriverExecutable {
 public:
  virtual ~DriverExecutable() = default;
};

/// What instantiate made, and what the driver says it recorded.
struct Instantiated {
  std::unique_ptr<DriverExecutable> executable;
  std::size_t nodes = 0;             ///< Work nodes, counted by the driver.
  std::size_t allocation_nodes = 0;  ///< Allocation and free nodes, child graphs included.
};

/// What begin asks of the driver.
enum class CaptureMode : std::uint8_t {
  kRelaxed,      ///< Nothing that another thread does matters. The default.
  kThreadLocal,  ///< Unsafe calls of the recording thread break the window: finds them.
  kGlobal,       ///< Unsafe calls of any thread break it.
};

/// One opened device. A driver translates; it holds no rule of order: the core calls it under the
/// runtime's lock (all but `synchronize` and `query` of events, see there), and only as the
/// window's rules allow, so it checks none of them. A method that fails leaves things as they were,
/// unless its comment says otherwise, and gives the vendor's code in Error::native.
///
/// Errors of all: `out_of_memory`, `device_lost`, `driver_error`; `unsupported` for what
/// `capabilities` denies (the core asks first).
class GraphDriver {
 public:
  virtual ~GraphDriver() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  [[nodiscard]] virtual const Capabilities& capabilities() const noexcept = 0;

  // Streams and events.
  [[nodiscard]] virtual Result<std::unique_ptr<DriverStream>> create_stream() = 0;
  /// Waits until all work of the stream is done. Called without the lock, by several threads at
  /// once; never while the stream is in a window. Reports what failed asynchronously, once.
  [[nodiscard]] virtual Result<void> synchronize(DriverStream& stream) = 0;
  /// Whether all work of the stream is done. Never waits.
  [[nodiscard]] virtual Result<bool> query(DriverStream& stream) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<DriverEvent>> create_event() = 0;
  /// Marks the stream's present end. In a window of a capturing driver: an edge, never a signal.
  [[nodiscard]] virtual Result<void> record(DriverEvent& event, DriverStream& stream) = 0;
  /// Later work of `stream` starts after what the event marked when this was called.
  [[nodiscard]] virtual Result<void> wait(DriverStream& stream, DriverEvent& event) = 0;
  /// Whether what the event marked is done. Never for events recorded in a window.
  [[nodiscard]] virtual Result<bool> query(DriverEvent& event) = 0;
  /// Waits for what the event marked. Called without the lock, like synchronize.
  [[nodiscard]] virtual Result<void> synchronize(DriverEvent& event) = 0;
  /// Seconds between two events that are done.
  [[nodiscard]] virtual Result<double> elapsed(DriverEvent& from, DriverEvent& to) = 0;

  // Work on a stream: enqueued eagerly, or recorded by a capturing driver in a window. Commands and
  // values are copied before the call returns; memory is kept alive by the core.
  [[nodiscard]] virtual Result<void> launch(DriverStream& stream, const LaunchCommand& command) = 0;
  [[nodiscard]] virtual Result<void> copy(DriverStream& stream, const CopyCommand& command) = 0;
  [[nodiscard]] virtual Result<void> fill(DriverStream& stream, const FillCommand& command) = 0;
  [[nodiscard]] virtual Result<void> call_host(DriverStream& stream,
                                               const HostCommand& command) = 0;

  // Code.
  /// Loads the bundle eagerly: no later launch of its kernels loads anything. The bundle outlives
  /// the module. `unsupported` names the images that were missing.
  [[nodiscard]] virtual Result<std::unique_ptr<DriverModule>> load_module(
      const KernelBundle& bundle) = 0;

  // Capture.
  /// Starts recording on the stream, which is idle. A refusal leaves it as it was. The warm-up made
  /// `expected_nodes` nodes: recording as many shall allocate nothing.
  [[nodiscard]] virtual Result<void> begin(DriverStream& stream,
                                           CaptureMode mode,
                                           std::size_t expected_nodes) = 0;
  /// Ends what begin started, whatever comes of it: after this the stream and those it pulled in
  /// are out of capture mode. A driver may put a new vendor's stream in the place of one that won't
  /// leave it; the core orders that behind what the old one had been given. With `doomed`, or with
  /// allocation nodes, nothing is made and the result's executable is null. The recording is
  /// sealed; it outlives the executable.
  [[nodiscard]] virtual Result<Instantiated> instantiate(DriverStream& stream,
                                                         const Recording& recording,
                                                         bool doomed) = 0;
  /// Does the first replay's preparations now, where the driver can; else nothing.
  [[nodiscard]] virtual Result<void> upload(DriverExecutable& executable, DriverStream& stream) = 0;
  /// Enqueues one run. The core has ordered it behind the executable's earlier runs.
  [[nodiscard]] virtual Result<void> replay(DriverExecutable& executable, DriverStream& stream) = 0;
  /// Later replays run node `node`, a launch, with `values`; earlier ones keep the old. Topology
  /// never changes.
  [[nodiscard]] virtual Result<void> update(DriverExecutable& executable,
                                            NodeId node,
                                            std::span<void* const> values) = 0;
};

}  // namespace oriel::core
