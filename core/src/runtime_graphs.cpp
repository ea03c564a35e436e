#include "runtime_submit.hpp"
#include "text.hpp"

#include <oriel/core/recording_comparison.hpp>

#include <utility>

/// Replays, updates and the end of graphs.

namespace oriel::core {

Result<Graph*> Runtime::find_graph(GraphId id) {
  Graph* graph = captures_.find(id);
  if (graph == nullptr) {
    return fail(ErrorCode::kInvalidState, "the graph does not exist (any more)");
  }
  return graph;
}

Result<void> Runtime::check_inputs(const Graph& graph) const {
  if (device_.claims() == 0) {
    return {};
  }
  for (const Slice* slice : graph.inputs) {
    if (slice->claim) {
      return fail(unwritten(*slice));
    }
  }
  return {};
}

/// A replay that was enqueued writes what it writes; one that was not leaves that unwritten.
void Runtime::note_outputs(const Graph& graph, const Error* failure) noexcept {
  if (failure == nullptr && device_.claims() == 0) {
    return;
  }
  const auto cause = failure == nullptr ? nullptr : std::make_shared<const Error>(*failure);
  for (const Graph::Output& output : graph.outputs) {
    if (failure != nullptr) {
      device_.claim(*output.slice, cause);
    } else if (output.whole) {
      device_.unclaim(*output.slice);
    }
  }
}

/// Replays of one graph never overlap: on one stream its order sees to that, across streams this.
Result<void> Runtime::order_replay(const Graph& graph, DeviceStream& stream) {
  if (!graph.replayed || graph.last_slot == stream.slot()) {
    return {};
  }
  DeviceStream* last = device_.stream(graph.last_slot);
  return last == nullptr ? Result<void>() : device_.order_after(stream, *last);
}

Result<void> Runtime::replay(GraphId id, StreamId stream_id) {
  Lock lock(device_);
  auto route = route_outside(stream_id, "replay", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  auto found = find_graph(id);
  if (!found) {
    return fail(std::move(found.error()));
  }
  Graph& graph = **found;
  ORIEL_TRY(check_inputs(graph));
  DeviceStream& stream = *route->stream;
  auto enqueued = order_replay(graph, stream);
  if (enqueued) {
    enqueued = guarded([&] { return device_.driver().replay(*graph.executable, stream.driver()); });
  }
  note_outputs(graph, enqueued ? nullptr : &enqueued.error());
  if (enqueued) {
    graph.replayed = true;
    graph.last_slot = stream.slot();
    ++stream.submitted;
    stream.last_user = stream_id;
  }
  return enqueued;
}

Result<Graph*> Runtime::find_updatable(GraphId id, const char* call) {
  ORIEL_TRY(admit_call(call));
  ORIEL_TRY(refuse_in_window(call));
  auto found = find_graph(id);
  if (found && !capabilities().update) {
    return fail(ErrorCode::kUnsupported,
                "this device can't update a graph; capture it again with the new arguments");
  }
  return found;
}

Result<void> Runtime::update(GraphId id, NodeId node, std::span<const Argument> arguments) {
  Lock lock(device_);
  auto found = find_updatable(id, "update");
  if (!found) {
    return fail(std::move(found.error()));
  }
  Graph& graph = **found;
  Recording& recording = graph.recording();
  if (node >= recording.node_count() || recording.node(node).kind != NodeKind::kLaunch) {
    return fail(ErrorCode::kInvalidArgument,
                "node " + std::to_string(node) + " is not a launch of this graph, which has " +
                    std::to_string(recording.node_count()) + " node(s)");
  }
  for (const Argument& argument : arguments) {
    if (argument.kind == Argument::Kind::kInfo) {
      return fail(ErrorCode::kInvalidArgument,
                  "info bytes can't be updated; pass them as a buffer instead");
    }
  }
  ResolvedArguments resolved;
  ORIEL_TRY(resolve({}, *recording.node(node).launch.signature, arguments, resolved));
  const std::span<void* const> values(resolved.values.data(), resolved.count);
  ORIEL_TRY(guarded([&] { return device_.driver().update(*graph.executable, node, values); }));
  recording.replace(node, values, std::span(resolved.uses.data(), resolved.use_count));
  pin_anew(graph);
  return {};
}

Result<void> Runtime::update_from(GraphId id, GraphId recorded_id) {
  Lock lock(device_);
  auto found = find_updatable(id, "update_from");
  if (!found) {
    return fail(std::move(found.error()));
  }
  auto recorded = find_graph(recorded_id);
  if (!recorded) {
    return fail(std::move(recorded.error()));
  }
  Graph& graph = **found;
  const Recording& from = (*recorded)->recording();
  const Comparison comparison = compare(graph.recording(), from);
  switch (comparison.difference) {
    case Difference::kNone:
      return {};
    case Difference::kArguments:
      return take_arguments(graph, from);
    case Difference::kTopology:
      break;
  }
  return fail(
      ErrorCode::kUnsupported,
      "node " + std::to_string(comparison.node) + " " + comparison.what +
          " (topology); an update changes arguments of launches only: replay the graph that "
          "was recorded anew");
}

/// All launches or none: what a refusal finds changed already is changed back.
Result<void> Runtime::take_arguments(Graph& graph, const Recording& from) {
  Recording& recording = graph.recording();
  const auto update_to = [&](NodeId id, const Recording& source) {
    return guarded([&] {
      return device_.driver().update(*graph.executable, id, source.node(id).launch.values);
    });
  };
  const auto is_launch = [&](NodeId id) { return recording.node(id).kind == NodeKind::kLaunch; };
  for (NodeId id = 0; id < recording.node_count(); ++id) {
    auto updated = is_launch(id) ? update_to(id, from) : Result<void>();
    if (!updated) {
      while (id-- > 0) {
        if (is_launch(id)) {
          static_cast<void>(update_to(id, recording));
        }
      }
      return updated;
    }
  }
  for (NodeId id = 0; id < recording.node_count(); ++id) {
    if (is_launch(id)) {
      const Node node = from.node(id);
      recording.replace(id, node.launch.values, node.uses);
    }
  }
  pin_anew(graph);
  return {};
}

bool Runtime::same_work(GraphId one, GraphId other) {
  Lock lock(device_);
  const Graph* a = captures_.find(one);
  const Graph* b = captures_.find(other);
  return a != nullptr && b != nullptr &&
         compare(a->recording(), b->recording()).difference == Difference::kNone;
}

/// After an update: pins what the commands name now; what they named before stays until the replays
/// that use it are done.
void Runtime::pin_anew(Graph& graph) {
  const std::uint64_t mark = device_.next_mark();
  std::vector<SliceRef> pins;
  pins.reserve(graph.pins.size() + 1);
  for (NodeId id = 0; id < graph.recording().node_count(); ++id) {
    const Node node = graph.recording().node(id);
    for (const Use& use : node.uses) {
      if (std::exchange(use.slice->graph_mark, mark) != mark) {
        pins.emplace_back(*use.slice);
      }
    }
  }
  std::vector<SliceRef> before = graph.pin(std::move(pins));
  graph.learn_access();
  DeviceStream* last = graph.replayed ? device_.stream(graph.last_slot) : nullptr;
  for (SliceRef& slice : before) {
    if (last != nullptr) {
      last->drops.add(std::move(slice));
    }
  }
}

void Runtime::retire_graph(std::shared_ptr<Graph> graph) noexcept {
  const std::uint64_t last = graph->replayed ? lane_bit(graph->last_slot) : 0;
  device_.retire(std::move(graph), last);
}

void Runtime::destroy_graph(GraphId id) noexcept {
  Lock lock(device_);
  if (auto graph = captures_.remove(id)) {
    retire_graph(std::move(graph));
  }
}

std::size_t Runtime::node_count(GraphId id) {
  Lock lock(device_);
  const Graph* graph = captures_.find(id);
  return graph == nullptr ? 0 : graph->recording().node_count();
}

GraphMemory Runtime::memory(GraphId id) {
  Lock lock(device_);
  const Graph* graph = captures_.find(id);
  return graph == nullptr ? GraphMemory{} : graph->memory();
}

std::string Runtime::to_dot(GraphId id) {
  Lock lock(device_);
  const Graph* graph = captures_.find(id);
  return graph == nullptr ? std::string() : graph->recording().to_dot();
}

}  // namespace oriel::core
