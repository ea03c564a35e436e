#pragma once

#include <oriel/core/runtime.hpp>

#include <utility>

namespace oriel::core {

/// "unwritten", naming the slice and what kept it from being written.
[[nodiscard]] Error unwritten(const Slice& slice);

/// "stream_busy": the caller's device stream is another logical stream's window.
[[nodiscard]] Error stream_busy(StreamId caller, const StreamCapture& window, const char* call);

namespace detail {
inline Result<void> give(GraphDriver& driver, DriverStream& stream, const LaunchCommand& command) {
  return driver.launch(stream, command);
}
inline Result<void> give(GraphDriver& driver, DriverStream& stream, const CopyCommand& command) {
  return driver.copy(stream, command);
}
inline Result<void> give(GraphDriver& driver, DriverStream& stream, const FillCommand& command) {
  return driver.fill(stream, command);
}
inline Result<void> give(GraphDriver& driver, DriverStream& stream, const HostCommand& command) {
  return driver.call_host(stream, command);
}
}  // namespace detail

/// The one way of every command: refused, or given to the driver and noted, or recorded.
/// `append(recording, origin)` records it; `size` counts its arguments.
template <class Command, class Append>
Result<void> Runtime::submit(const Route& route,
                             std::string_view label,
                             std::span<const Use> uses,
                             const Command& command,
                             const Recording::Size& size,
                             Append&& append) {
  if (auto readable = check_reads(route, uses); !readable) {
    return spoil(route, label, std::move(readable.error()));
  }
  DeviceStream& stream = *route.stream;
  if (!route.recording() || device_.captures()) {
    auto given = guarded([&] { return detail::give(device_.driver(), stream.driver(), command); });
    if (!given) {
      return spoil(route, label, std::move(given.error()));
    }
  }
  if (!route.recording()) {
    note_uses(route, uses);
    if (route.window != nullptr) {
      Recording::Size counted = size;
      counted.nodes = 1;
      counted.uses = uses.size();
      counted.label_bytes = label.size();
      counted.dependencies = route.window->lanes().frontier(stream.slot()).size();
      note_warmup(route, uses, counted);
    }
    return {};
  }
  Lanes& lanes = route.window->lanes();
  const NodeOrigin origin{label, route.id, stream.slot(), lanes.frontier(stream.slot()), uses};
  auto node = append(route.window->recorded(), origin);
  if (!node) {
    return spoil(route, label, std::move(node.error()));
  }
  stream.last_user = route.id;
  lanes.issue(stream.slot(), *node);
  for (const Use& use : uses) {
    touch(route, use);
  }
  return {};
}

}  // namespace oriel::core
