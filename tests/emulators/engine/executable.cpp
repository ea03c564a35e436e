#include "executable.hpp"

#include "machine.hpp"

#include <algorithm>
#include <utility>

namespace oriel::emulator {
namespace {

const BlockRef& block_of(const Node& node) {
  return node.kind == NodeKind::kAllocate ? std::get<AllocateWork>(node.work->what).block
                                          : std::get<FreeWork>(node.work->what).block;
}

bool any_allocated(const Graph& body) {
  bool found = false;
  for_each_leaf(body, [&](const Node& node) {
    found = found || (node.kind == NodeKind::kAllocate && block_of(node)->allocated);
  });
  return found;
}

/// Backs the block by memory of its device, unless it is.
bool back(Machine& machine, Block& block) {
  Device& device = machine.devices[static_cast<std::size_t>(block.device)];
  if (!block.backed) {
    const std::uint64_t limit = machine.options.memory_bytes;
    if (device.used_bytes > limit || block.bytes > limit - device.used_bytes) {
      return false;
    }
    device.used_bytes += block.bytes;
    device.graph_reserved.add(block.bytes);
    block.backed = true;
  }
  return true;
}

void unback(Machine& machine, Block& block) {
  Device& device = machine.devices[static_cast<std::size_t>(block.device)];
  if (block.backed) {
    device.used_bytes -= block.bytes;
    device.graph_reserved.remove(block.bytes);
    block.backed = false;
  }
}

/// What a launch's allocations and frees do at the call.
Situation take_memory(Machine& machine, const Graph& body) {
  Situation situation = Situation::kSuccess;
  for_each_leaf(body, [&](const Node& node) {
    if (failed(situation)) {
      return;
    }
    if (node.kind == NodeKind::kAllocate) {
      Block& block = *block_of(node);
      if (!back(machine, block)) {
        situation = Situation::kOutOfMemory;
        return;
      }
      block.allocated = true;
      machine.devices[static_cast<std::size_t>(block.device)].graph_used.add(block.bytes);
    } else if (node.kind == NodeKind::kFree) {
      if (!block_of(node)->allocated) {
        situation = Situation::kInvalidValue;
        return;
      }
      release_bytes(machine, *block_of(node));
    }
  });
  return situation;
}

Situation prepare_memory(Machine& machine, Executable& executable, Stream& stream) {
  if (any_allocated(*executable.body)) {
    if (!executable.frees_on_launch) {
      return Situation::kUnfreedRelaunch;
    }
    for_each_leaf(*executable.body, [&](const Node& node) {
      if (node.kind == NodeKind::kAllocate && block_of(node)->allocated) {
        release_bytes(machine, *block_of(node));
        enqueue(machine, stream, make_work(FreeWork{block_of(node)}), {executable.last});
      }
    });
  }
  return take_memory(machine, *executable.body);
}

/// Kinds that agree, parameters that may be exchanged: sizes and places may differ, except where a
/// node's memory changes between the host's and the device's.
UpdateResult compare(const Node& before, const Node& after) {
  if (before.kind != after.kind) {
    return UpdateResult::kNodeKind;
  }
  if (before.kind == NodeKind::kAllocate || before.kind == NodeKind::kFree) {
    return UpdateResult::kNotSupported;
  }
  if (before.kind == NodeKind::kCopy) {
    const auto& old_copy = std::get<CopyWork>(before.work->what);
    const auto& new_copy = std::get<CopyWork>(after.work->what);
    if (old_copy.to.device != new_copy.to.device || old_copy.from.device != new_copy.from.device) {
      return UpdateResult::kParameters;
    }
  }
  return UpdateResult::kSuccess;
}

UpdateReport compare(const Graph& before, const Graph& after) {
  if (before.nodes.size() != after.nodes.size()) {
    return {UpdateResult::kTopology, 0};
  }
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    const Node& old_node = *before.nodes[i];
    const Node& new_node = *after.nodes[i];
    const auto same = [](const Edge& a, const Edge& b) {
      return a.node->index == b.node->index && a.data == b.data;
    };
    if (!std::equal(old_node.dependencies.begin(),
                    old_node.dependencies.end(),
                    new_node.dependencies.begin(),
                    new_node.dependencies.end(),
                    same)) {
      return {UpdateResult::kTopology, new_node.handle};
    }
    if (const UpdateResult result = compare(old_node, new_node); result != UpdateResult::kSuccess) {
      return {result, new_node.handle};
    }
    if (old_node.child != nullptr) {
      const UpdateReport report = compare(*old_node.child, *new_node.child);
      if (report.result != UpdateResult::kSuccess) {
        return report;
      }
    }
  }
  return {};
}

/// The sources stay those of the graph it was instantiated from.
void adopt_work(Graph& into, const Graph& from) {
  for (std::size_t i = 0; i < into.nodes.size(); ++i) {
    into.nodes[i]->work = from.nodes[i]->work;
    if (into.nodes[i]->child != nullptr) {
      adopt_work(*into.nodes[i]->child, *from.nodes[i]->child);
    }
  }
}

}  // namespace

Situation instantiate(Machine&,
                      const std::shared_ptr<Graph>& graph,
                      bool frees_on_launch,
                      std::shared_ptr<Executable>& out) {
  if (graph->capture != nullptr) {
    return Situation::kGraphOfCapture;
  }
  const bool has_memory = has_memory_nodes(*graph);
  if (has_memory && !graph->only.expired()) {
    return Situation::kSecondExecutable;
  }
  auto executable = std::make_shared<Executable>();
  executable->context = graph->context;
  executable->body = snapshot(*graph);
  executable->has_memory = has_memory;
  executable->frees_on_launch = frees_on_launch;
  for_each_leaf(*graph, [&](const Node& node) {
    executable->has_events = executable->has_events || node.kind == NodeKind::kWaitEvent ||
                             node.kind == NodeKind::kRecordEvent;
  });
  if (has_memory) {
    graph->only = executable;
  }
  out = std::move(executable);
  return Situation::kSuccess;
}

Situation launch(Machine& machine, const std::shared_ptr<Executable>& executable, Stream& stream) {
  if (stream.capture != nullptr) {
    if (executable->has_memory) {
      return Situation::kNotSupported;
    }
    Node& node =
        add_child(machine, *stream.capture->graph, *executable->body, std::move(stream.frontier));
    stream.frontier.assign(1, Edge{&node});
    return Situation::kSuccess;
  }
  if (executable->has_memory) {
    if (const Situation situation = prepare_memory(machine, *executable, stream);
        failed(situation)) {
      return situation;
    }
  }
  std::vector<Ticket> after;
  if (!executable->last.passed()) {
    after.push_back(executable->last);
  }
  if (executable->has_events) {
    for_each_leaf(*executable->body, [&](const Node& node) {
      if (node.kind == NodeKind::kWaitEvent) {
        after.push_back(std::get<EventWork>(node.work->what).event->ticket);
      }
    });
  }
  executable->last = enqueue(
      machine, stream, make_work(LaunchWork{executable, executable->body}), std::move(after));
  if (executable->has_events) {
    for_each_leaf(*executable->body, [&](const Node& node) {
      if (node.kind == NodeKind::kRecordEvent) {
        Event& event = *std::get<EventWork>(node.work->what).event;
        event.capture = nullptr;
        event.nodes.clear();
        event.recorded = true;
        ++event.generation;
        event.ticket = executable->last;
      }
    });
  }
  return Situation::kSuccess;
}

UpdateReport update(Executable& executable, const Graph& graph) {
  const UpdateReport report = compare(*executable.body, graph);
  if (report.result == UpdateResult::kSuccess) {
    std::shared_ptr<Graph> body = snapshot(*executable.body);
    adopt_work(*body, graph);
    executable.body = std::move(body);
  }
  return report;
}

Situation set_work(Executable& executable, Handle source, NodeKind kind, WorkRef work) {
  const auto& nodes = executable.body->nodes;
  const auto found = std::find_if(
      nodes.begin(), nodes.end(), [&](const auto& node) { return node->source == source; });
  if (found == nodes.end() || (*found)->kind != kind) {
    return Situation::kInvalidValue;
  }
  const std::size_t index = (*found)->index;
  std::shared_ptr<Graph> body = snapshot(*executable.body);
  body->nodes[index]->work = std::move(work);
  executable.body = std::move(body);
  return Situation::kSuccess;
}

void collect_memory(Machine& machine) {
  for (const BlockRef& block : machine.memory.abandoned()) {
    unback(machine, *block);
    machine.memory.forget(block->address);
  }
}

void trim_memory(Machine& machine, const Device& device) {
  for (const BlockRef& block : machine.memory.of_graphs()) {
    if (block->device == device.ordinal && !block->allocated && !block->live) {
      unback(machine, *block);
    }
  }
}

}  // namespace oriel::emulator
