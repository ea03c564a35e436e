#pragma once

#include <oriel/core/graph.hpp>
#include <oriel/ids.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace oriel::core {

/// The graphs of a runtime by id. An id is reserved before a window closes, so that registering
/// can't fail afterwards. Lookup is O(1), and a stale id finds nothing.
class Captures {
 public:
  [[nodiscard]] GraphId reserve();
  /// Gives a reserved id back, or makes a registered one stale; returns the graph it named.
  std::shared_ptr<Graph> remove(GraphId id) noexcept;
  void insert(GraphId id, std::shared_ptr<Graph> graph) noexcept;
  [[nodiscard]] Graph* find(GraphId id) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return live_; }
  /// Takes every graph out.
  [[nodiscard]] std::vector<std::shared_ptr<Graph>> take_all() noexcept;

 private:
  struct Slot {
    std::uint32_t generation = 1;
    bool used = false;
    std::shared_ptr<Graph> graph;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace oriel::core
