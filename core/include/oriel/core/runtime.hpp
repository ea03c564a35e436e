#pragma once

#include <oriel/argument.hpp>
#include <oriel/core/captures.hpp>
#include <oriel/core/device.hpp>
#include <oriel/core/event_state.hpp>
#include <oriel/core/module_state.hpp>
#include <oriel/options.hpp>
#include <oriel/refused.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::core {

/// One logical stream of a call, resolved: the device stream it folds onto and the window, if any,
/// that the call belongs to.
struct Route {
  StreamId id;
  DeviceStream* stream = nullptr;
  StreamCapture* window = nullptr;

  [[nodiscard]] bool recording() const noexcept { return window != nullptr && window->recording(); }
};

/// A call's buffers and values, resolved on the caller's stack.
struct ResolvedArguments {
  std::array<Use, KernelSignature::kMostParameters> uses;
  std::size_t use_count = 0;
  std::array<std::uint64_t, KernelSignature::kMostParameters> addresses;
  std::array<void*, KernelSignature::kMostParameters> values;
  std::array<std::uint32_t, KernelSignature::kMostParameters> sizes;
  std::array<SliceRef, KernelSignature::kMostParameters> infos;
  std::size_t count = 0;

  /// The i-th argument is this buffer.
  void add(std::size_t index, const Use& use) noexcept;
  /// What they take in a recording.
  [[nodiscard]] Recording::Size size() const noexcept;
};

/// The thread-safe front door of one opened device: folds logical streams onto device streams,
/// keeps the graphs and the claims on unwritten memory, and holds every rule about which call is
/// allowed where. The everyday layer forwards to it.
///
/// Every method takes the device's lock for a short while and never holds it while it waits.
class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Runtime>> open(std::unique_ptr<GraphDriver> driver,
                                                             const RuntimeOptions& options);
  Runtime(std::unique_ptr<GraphDriver> driver, const RuntimeOptions& options);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  // Streams, events, modules.
  [[nodiscard]] Result<StreamId> create_stream(const StreamOptions& options);
  void destroy_stream(StreamId id) noexcept;
  [[nodiscard]] Result<std::shared_ptr<EventState>> create_event();
  void destroy_event(EventState& event) noexcept;
  [[nodiscard]] Result<std::shared_ptr<ModuleState>> load(const KernelBundle& bundle);
  void destroy_module(std::shared_ptr<LoadedModule> module) noexcept;

  // Memory.
  [[nodiscard]] Result<Slice*> allocate(StreamId id,
                                        MemoryKind kind,
                                        std::size_t bytes,
                                        std::string_view label);
  /// Drops one reference; the slice goes home with the last one.
  void release(Slice& slice) noexcept;
  [[nodiscard]] Result<std::size_t> trim();
  [[nodiscard]] Result<void> set_limit(Limit limit, std::size_t bytes);

  // Work.
  [[nodiscard]] Result<void> launch(StreamId id,
                                    const ModuleState& module,
                                    std::size_t kernel,
                                    const LaunchConfig& config,
                                    std::span<const Argument> arguments);
  [[nodiscard]] Result<void> copy(StreamId id,
                                  const RawBuffer& destination,
                                  const RawBuffer& source,
                                  std::string_view label);
  [[nodiscard]] Result<void> fill(StreamId id,
                                  const RawBuffer& buffer,
                                  const void* pattern,
                                  std::size_t pattern_bytes,
                                  std::string_view label);
  [[nodiscard]] Result<void> upload(StreamId id,
                                    const RawBuffer& destination,
                                    std::span<const std::byte> source,
                                    std::string_view label);
  [[nodiscard]] Result<void> download(StreamId id,
                                      std::span<std::byte> destination,
                                      const RawBuffer& source);
  [[nodiscard]] Result<void> call_host(StreamId id,
                                       void (*function)(void*),
                                       std::shared_ptr<void> payload,
                                       std::string_view label);
  [[nodiscard]] Result<void> record(StreamId id, EventState& event);
  [[nodiscard]] Result<void> wait(StreamId id, EventState& event);

  // Waiting.
  [[nodiscard]] Result<void> synchronize(StreamId id);
  [[nodiscard]] Result<bool> query(StreamId id);
  [[nodiscard]] Result<void> synchronize();
  [[nodiscard]] Result<bool> query(EventState& event);
  [[nodiscard]] Result<void> synchronize(EventState& event);
  [[nodiscard]] Result<double> elapsed(EventState& from, EventState& to);

  // Windows. `prepare` returns the window's serial; what is given a serial does nothing to another
  // window.
  [[nodiscard]] Result<std::uint64_t> prepare(StreamId id, const WindowOptions& options);
  [[nodiscard]] Result<void> warmup_pass(StreamId id);
  [[nodiscard]] Result<void> begin(StreamId id);
  [[nodiscard]] tl::expected<GraphId, Refused> instantiate(StreamId id);
  void abandon(StreamId id, std::uint64_t serial) noexcept;
  void doom(StreamId id, std::uint64_t serial, Error error) noexcept;
  [[nodiscard]] WindowState window_state(StreamId id);
  [[nodiscard]] Result<void*> native_handle(StreamId id);

  // Graphs.
  [[nodiscard]] Result<void> replay(GraphId graph, StreamId id);
  [[nodiscard]] Result<void> update(GraphId graph,
                                    NodeId node,
                                    std::span<const Argument> arguments);
  [[nodiscard]] Result<void> update_from(GraphId graph, GraphId recorded);
  [[nodiscard]] bool same_work(GraphId one, GraphId other);
  void destroy_graph(GraphId graph) noexcept;
  [[nodiscard]] std::size_t node_count(GraphId graph);
  [[nodiscard]] GraphMemory memory(GraphId graph);
  [[nodiscard]] std::string to_dot(GraphId graph);

  [[nodiscard]] const DeviceInfo& info() const noexcept { return device_.info(); }
  [[nodiscard]] const Capabilities& capabilities() const noexcept { return device_.capabilities(); }
  [[nodiscard]] RuntimeStats stats();
  [[nodiscard]] bool closed() noexcept;
  [[nodiscard]] Result<void> close();

 private:
  struct LogicalStream {
    std::uint32_t generation = 1;
    bool used = false;
    unsigned slot = 0;
  };

  // Admission: runtime_streams.cpp.
  [[nodiscard]] Result<void> admit_call(const char* call) const;
  [[nodiscard]] Result<DeviceStream*> find(StreamId id);
  [[nodiscard]] Result<DeviceStream*> admit(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<Route> route(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<Route> route_work(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<Route> route_outside(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<void> refuse_in_window(const char* call);
  [[nodiscard]] Result<void> check_slice(const RawBuffer& buffer, const char* role) const;
  [[nodiscard]] Result<void> check_event(const EventState& event) const;
  [[nodiscard]] Result<unsigned> choose_slot(bool exclusive);

  // Windows: runtime_windows.cpp.
  [[nodiscard]] Result<DeviceStream*> window_stream(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<DeviceStream*> own_window_stream(StreamId id, const char* call, Lock& lock);
  [[nodiscard]] Result<void> keep_owned(StreamId id, DeviceStream& stream, Lock& lock);
  void abandon_window(DeviceStream& stream, Lock& lock) noexcept;

  // Work: runtime_work.cpp.
  template <class Command, class Append>
  [[nodiscard]] Result<void> submit(const Route& route,
                                    std::string_view label,
                                    std::span<const Use> uses,
                                    const Command& command,
                                    const Recording::Size& size,
                                    Append&& append);
  [[nodiscard]] Result<void> spoil(const Route& route, std::string_view label, Error error);
  [[nodiscard]] Result<SliceRef> stage(const Route& route, std::span<const std::byte> bytes);
  void keep_payload(DeviceStream& stream, std::shared_ptr<HostCall> call);
  [[nodiscard]] Result<void> check_reads(const Route& route, std::span<const Use> uses) const;
  void note_uses(const Route& route, std::span<const Use> uses) noexcept;
  void note_warmup(const Route& route,
                   std::span<const Use> uses,
                   const Recording::Size& size) noexcept;
  void touch(const Route& route, const Use& use);
  [[nodiscard]] Result<Slice*> allocate_on(const Route& route, MemoryKind kind, std::size_t bytes);
  [[nodiscard]] Result<Slice*> allocate_after_collecting(MemoryPool& pool,
                                                         std::size_t bytes,
                                                         unsigned lane);
  [[nodiscard]] Result<void> copy_on(const Route& route,
                                     const Use& destination,
                                     const Use& source,
                                     std::string_view label);

  // Arguments: runtime_launch.cpp.
  [[nodiscard]] Result<void> check_launch(const KernelSignature& signature,
                                          const LaunchConfig& config) const;
  [[nodiscard]] Result<void> resolve(const Route& route,
                                     const KernelSignature& signature,
                                     std::span<const Argument> arguments,
                                     ResolvedArguments& resolved);
  void keep_module(const Route& route, const std::shared_ptr<LoadedModule>& module);
  [[nodiscard]] Result<SliceRef> stage_info(const Route& route, std::string_view bytes);
  [[nodiscard]] Result<void> check_scratch(const Route& route,
                                           const DriverKernel& kernel,
                                           const KernelSignature& signature);

  // Events and waiting: runtime_order.cpp.
  [[nodiscard]] Result<void> join_window(const Route& route, EventState& event);
  [[nodiscard]] Result<void> fork_into(const Route& route,
                                       StreamCapture& window,
                                       EventState& event);
  [[nodiscard]] Result<void> wait_eager(const Route& route, EventState& event);
  [[nodiscard]] Result<void> check_signalled(const EventState& event, const char* call);
  [[nodiscard]] StreamCapture* window_of(const EventState& event) noexcept;

  // Graphs: runtime_graphs.cpp.
  [[nodiscard]] Result<Graph*> find_graph(GraphId graph);
  [[nodiscard]] Result<Graph*> find_updatable(GraphId graph, const char* call);
  [[nodiscard]] Result<void> take_arguments(Graph& graph, const Recording& from);
  [[nodiscard]] Result<void> check_inputs(const Graph& graph) const;
  [[nodiscard]] Result<void> order_replay(const Graph& graph, DeviceStream& stream);
  void note_outputs(const Graph& graph, const Error* failure) noexcept;
  void pin_anew(Graph& graph);
  void retire_graph(std::shared_ptr<Graph> graph) noexcept;

  [[nodiscard]] Result<void> wait_for_all(Lock& lock);
  [[nodiscard]] Result<void> report_failures();
  [[nodiscard]] bool moving_any() noexcept;
  Result<void> shut_down();

  Device device_;
  RuntimeOptions options_;
  bool closed_ = false;
  std::vector<LogicalStream> logical_;
  std::vector<std::uint32_t> free_logical_;
  std::size_t live_logical_ = 0;
  unsigned next_shared_ = 0;
  std::vector<unsigned> shared_slots_;
  Captures captures_;
  std::vector<EventState*> events_;
  std::vector<std::weak_ptr<LoadedModule>> modules_;
  std::size_t live_modules_ = 0;
};

}  // namespace oriel::core
