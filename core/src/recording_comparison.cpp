#include <oriel/core/recording_comparison.hpp>

#include <algorithm>
#include <cstring>

namespace oriel::core {
namespace {

bool same(const Use& a, const Use& b) noexcept {
  return a.slice == b.slice && a.offset == b.offset && a.bytes == b.bytes && a.access == b.access;
}

bool same(const CopyCommand& a, const CopyCommand& b) noexcept {
  return a.destination == b.destination && a.source == b.source && a.bytes == b.bytes;
}

bool same(const FillCommand& a, const FillCommand& b) noexcept {
  return a.destination == b.destination && a.bytes == b.bytes &&
         a.pattern_bytes == b.pattern_bytes &&
         std::memcmp(a.pattern, b.pattern, a.pattern_bytes) == 0;
}

bool same_uses(const Node& a, const Node& b) noexcept {
  return std::equal(
      a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(), [](const Use& x, const Use& y) {
        return same(x, y);
      });
}

bool same_values(const Recording& one, const Recording& other, NodeId id) noexcept {
  const auto sizes = one.value_sizes(id);
  const auto a = one.node(id).launch.values;
  const auto b = other.node(id).launch.values;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::memcmp(a[i], b[i], sizes[i]) != 0) {
      return false;
    }
  }
  return true;
}

/// What of the node no update can change; null if nothing of that differs.
const char* topology_of(const Node& a, const Node& b) noexcept {
  if (a.kind != b.kind) {
    return "is another kind of call";
  }
  if (!std::equal(a.dependencies.begin(),
                  a.dependencies.end(),
                  b.dependencies.begin(),
                  b.dependencies.end())) {
    return "comes after other calls";
  }
  switch (a.kind) {
    case NodeKind::kLaunch:
      if (a.launch.kernel != b.launch.kernel) {
        return "launches another kernel";
      }
      return a.launch.grid == b.launch.grid && a.launch.group == b.launch.group
                 ? nullptr
                 : "has another grid or group";
    case NodeKind::kCopy:
      return same(a.copy, b.copy) ? nullptr : "copies other memory";
    case NodeKind::kFill:
      return same(a.fill, b.fill) ? nullptr : "fills other memory, or with other bytes";
    case NodeKind::kHost:
      return a.host.payload == b.host.payload ? nullptr : "is a host function of its own";
  }
  return nullptr;
}

}  // namespace

Comparison compare(const Recording& one, const Recording& other) {
  Comparison found;
  const std::size_t count = std::min(one.node_count(), other.node_count());
  for (NodeId id = 0; id < count; ++id) {
    const Node a = one.node(id);
    const Node b = other.node(id);
    if (const char* what = topology_of(a, b)) {
      return {Difference::kTopology, id, what};
    }
    const bool same_arguments =
        same_uses(a, b) && (a.kind != NodeKind::kLaunch || same_values(one, other, id));
    if (!same_arguments && found.difference == Difference::kNone) {
      found = {Difference::kArguments, id, "has other arguments"};
    }
  }
  if (one.node_count() != other.node_count()) {
    return {Difference::kTopology, static_cast<NodeId>(count), "is in one of them only"};
  }
  return found;
}

}  // namespace oriel::core
