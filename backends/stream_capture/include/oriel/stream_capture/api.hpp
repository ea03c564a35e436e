#pragma once

#include <oriel/core/graph_driver.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace oriel::stream_capture {

/// What one call of the vendor's answered. CUDA and HIP count alike where it matters here.
struct [[nodiscard]] Outcome {
  static constexpr int kSuccess = 0;
  static constexpr int kNotFound = 500;
  static constexpr int kNotReady = 600;
  /// Not a vendor's code: the call answered success and made nothing.
  static constexpr int kMadeNothing = -1;

  int code = kSuccess;
  const char* call = "";  ///< The vendor's name of the function.

  [[nodiscard]] bool ok() const noexcept { return code == kSuccess; }
};

/// What a node of a captured graph is to us.
enum class NodeClass : std::uint8_t {
  kWork,        ///< A kernel, a copy, a fill or a host function: one call of ours.
  kAllocation,  ///< Allocates or frees: a graph with one can't be replayed freely.
  kChild,       ///< A graph of its own, which may hold any of these.
  kOther,       ///< Neither: empty nodes, events.
};

/// One opened device of a vendor whose streams capture natively: the vendor's calls by neutral
/// names, its errors and its facts. Nothing here decides anything.
///
/// An `Api` is shared by all objects made through it and outlives them. Its calls may be made on
/// any thread, inside an `Api::Scope`, which makes the device the thread's own for its life.
/// `Scope(api, true)` also lifts the vendor's restrictions on threads that capture, for calls that
/// it counts as unsafe though they are not: what allocates, frees, loads or destroys.
template <class Api>
concept CaptureApi = requires(const Api& api,
                              typename Api::Stream stream,
                              typename Api::Event event,
                              typename Api::Module module,
                              typename Api::Function function,
                              typename Api::Graph graph,
                              typename Api::Node node,
                              typename Api::Executable executable,
                              bool flag,
                              float milliseconds,
                              std::size_t size,
                              std::uint64_t address,
                              void* pointer,
                              NodeClass node_class) {
  typename Api::Scope;
  { Api::kEndsAgain } -> std::convertible_to<bool>;  // a failed end may be tried once more
  { api.info() } -> std::same_as<const DeviceInfo&>;
  { api.capabilities() } -> std::same_as<const Capabilities&>;
  { api.error(Outcome{}) } -> std::same_as<Error>;
  { api.stream_create(&stream) } -> std::same_as<Outcome>;  // never blocks on a default stream
  { api.stream_destroy(stream) } -> std::same_as<Outcome>;  // returns at once
  { api.stream_synchronize(stream) } -> std::same_as<Outcome>;
  { api.stream_query(stream) } -> std::same_as<Outcome>;
  { api.stream_wait(stream, event) } -> std::same_as<Outcome>;
  { api.event_create(&event) } -> std::same_as<Outcome>;
  { api.event_destroy(event) } -> std::same_as<Outcome>;
  { api.event_record(event, stream) } -> std::same_as<Outcome>;
  { api.event_query(event) } -> std::same_as<Outcome>;
  { api.event_synchronize(event) } -> std::same_as<Outcome>;
  { api.event_elapsed(&milliseconds, event, event) } -> std::same_as<Outcome>;
  { api.launch(function, core::LaunchCommand{}, stream) } -> std::same_as<Outcome>;
  { api.copy(core::CopyCommand{}, stream) } -> std::same_as<Outcome>;
  { api.fill(core::FillCommand{}, stream) } -> std::same_as<Outcome>;
  { api.call_host(core::HostCommand{}, stream) } -> std::same_as<Outcome>;
  { Api::runs(ImageFormat::kFatbin) } -> std::same_as<bool>;  // whether it loads such images
  { api.module_load(&module, KernelImage{}) } -> std::same_as<Outcome>;
  { api.is_other_architecture(Outcome{}) } -> std::same_as<bool>;  // of module_load
  { api.module_unload(module) } -> std::same_as<Outcome>;
  { api.module_function(&function, module, "") } -> std::same_as<Outcome>;
  // Loads it for good, and tells what memory its first launch would make the driver set aside.
  { api.function_load(function, &size) } -> std::same_as<Outcome>;
  { api.capture_begin(stream, core::CaptureMode::kRelaxed) } -> std::same_as<Outcome>;
  { api.capture_end(stream, &graph) } -> std::same_as<Outcome>;
  { api.capture_active(stream, &flag) } -> std::same_as<Outcome>;  // broken captures are active
  { api.capture_last_node(stream, &node) } -> std::same_as<Outcome>;
  { api.graph_nodes(graph, &node, &size) } -> std::same_as<Outcome>;  // null for the count alone
  { api.graph_destroy(graph) } -> std::same_as<Outcome>;
  { api.node_class(node, &node_class) } -> std::same_as<Outcome>;
  { api.child_graph(node, &graph) } -> std::same_as<Outcome>;
  { api.executable_create(&executable, graph) } -> std::same_as<Outcome>;
  { api.executable_destroy(executable) } -> std::same_as<Outcome>;
  { api.executable_upload(executable, stream) } -> std::same_as<Outcome>;
  { api.executable_launch(executable, stream) } -> std::same_as<Outcome>;
  {
    api.executable_update(executable, node, function, core::LaunchCommand{})
    } -> std::same_as<Outcome>;
  { api.device_allocate(&address, size) } -> std::same_as<Outcome>;
  { api.device_free(address) } -> std::same_as<Outcome>;
  { api.pinned_allocate(&pointer, size) } -> std::same_as<Outcome>;  // one address for both sides
  { api.pinned_free(pointer) } -> std::same_as<Outcome>;
};

/// The outcome as the core is told of it.
template <class Api>
[[nodiscard]] Result<void> judge(const Api& api, Outcome outcome) {
  if (outcome.ok()) [[likely]] {
    return {};
  }
  return fail(api.error(outcome));
}

/// `call()`, made where the device is the thread's own.
template <class Api, class Call>
Outcome within(const Api& api, Call&& call) {
  const typename Api::Scope scope(api);
  return scope.entered().ok() ? call() : scope.entered();
}

/// The same for what a vendor counts as unsafe while a stream is captured.
template <class Api, class Call>
Outcome unrestricted(const Api& api, Call&& call) {
  const typename Api::Scope scope(api, true);
  return scope.entered().ok() ? call() : scope.entered();
}

/// Destroys something: a call that fails, which nobody can be told of, is made once more.
template <class Api, class Call>
void destroy(const Api& api, Call&& call) {
  if (!unrestricted(api, call).ok()) {
    static_cast<void>(unrestricted(api, call));
  }
}

}  // namespace oriel::stream_capture
