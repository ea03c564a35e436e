#include <oriel/core/device.hpp>
#include <oriel/core/graph.hpp>

#include <utility>

namespace oriel::core {

Graph::Graph(Device& device, std::unique_ptr<Recording> recording) noexcept
    : device_(device), recording_(std::move(recording)) {}

Graph::~Graph() {
  executable.reset();
  pin({});
  // Payloads are callers' objects: their destructors may call back, which the lock forbids here.
  for (auto& payload : recording_->take_payloads()) {
    device_.discard(std::move(payload));
  }
}

std::vector<SliceRef> Graph::pin(std::vector<SliceRef> slices) {
  for (const SliceRef& slice : slices) {
    if (slice->pins++ == 0) {
      device_.graph_bytes[static_cast<int>(slice->kind)] += slice->reserved;
    }
  }
  // The new ones first: what stays pinned is never let go in between.
  std::swap(pins, slices);
  for (const SliceRef& slice : slices) {
    if (--slice->pins == 0) {
      device_.graph_bytes[static_cast<int>(slice->kind)] -= slice->reserved;
    }
  }
  return slices;
}

GraphMemory Graph::memory() const noexcept {
  GraphMemory memory;
  for (const SliceRef& slice : pins) {
    (slice->kind == MemoryKind::kDevice ? memory.device_bytes : memory.pinned_bytes) +=
        slice->reserved;
    if (slice->references.load(std::memory_order_relaxed) == 1) {
      memory.returned_by_destroy += slice->reserved;
    }
  }
  memory.slices = pins.size();
  return memory;
}

namespace {

/// How far a pass over a recording has come with one slice; larger is later.
struct Marks {
  explicit Marks(Device& device) noexcept
      : read(device.next_mark()),
        part(device.next_mark()),
        part_read(device.next_mark()),
        whole(device.next_mark()) {}

  std::uint64_t read;       // read, never written
  std::uint64_t part;       // written in part, not read
  std::uint64_t part_read;  // both
  std::uint64_t whole;      // written whole: what follows reads this graph's own bytes
};

}  // namespace

void Graph::learn_access() {
  inputs.clear();
  outputs.clear();
  const Marks marks(device_);
  const auto learn_read = [&](Slice& slice) {
    if (slice.graph_mark < marks.read || slice.graph_mark == marks.part) {
      inputs.push_back(&slice);
      slice.graph_mark = slice.graph_mark == marks.part ? marks.part_read : marks.read;
    }
  };
  const auto learn_write = [&](Slice& slice, bool whole) {
    if (slice.graph_mark <= marks.read) {
      outputs.push_back({&slice, false});
      slice.graph_mark = slice.graph_mark == marks.read ? marks.part_read : marks.part;
    }
    if (whole) {
      slice.graph_mark = marks.whole;
    }
  };
  for (NodeId id = 0; id < recording_->node_count(); ++id) {
    const Node node = recording_->node(id);
    for (const Use& use : node.uses) {
      if (reads(use.access)) {
        learn_read(*use.slice);
      }
    }
    for (const Use& use : node.uses) {
      if (writes(use.access)) {
        learn_write(*use.slice, use.access == Access::kWrite && use.whole());
      }
    }
  }
  for (Output& output : outputs) {
    output.whole = output.slice->graph_mark == marks.whole;
  }
}

}  // namespace oriel::core
