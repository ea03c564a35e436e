#include <oriel/core/captures.hpp>

#include <utility>

namespace oriel::core {

GraphId Captures::reserve() {
  if (free_.empty()) {
    free_.reserve(slots_.size() + 1);  // so that remove never allocates
    slots_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slots_[index].used = true;
  return {index, slots_[index].generation};
}

std::shared_ptr<Graph> Captures::remove(GraphId id) noexcept {
  if (id.index >= slots_.size() || !slots_[id.index].used ||
      slots_[id.index].generation != id.generation) {
    return nullptr;
  }
  Slot& slot = slots_[id.index];
  slot.used = false;
  if (++slot.generation == 0) {
    slot.generation = 1;
  }
  free_.push_back(id.index);
  live_ -= slot.graph != nullptr ? 1 : 0;
  return std::exchange(slot.graph, nullptr);
}

void Captures::insert(GraphId id, std::shared_ptr<Graph> graph) noexcept {
  slots_[id.index].graph = std::move(graph);
  ++live_;
}

Graph* Captures::find(GraphId id) const noexcept {
  if (id.index >= slots_.size() || slots_[id.index].generation != id.generation) {
    return nullptr;
  }
  return slots_[id.index].graph.get();
}

std::vector<std::shared_ptr<Graph>> Captures::take_all() noexcept {
  std::vector<std::shared_ptr<Graph>> graphs;
  for (std::uint32_t index = 0; index < slots_.size(); ++index) {
    if (auto graph = remove({index, slots_[index].generation})) {
      graphs.push_back(std::move(graph));
    }
  }
  return graphs;
}

}  // namespace oriel::core
