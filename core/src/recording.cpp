#include <oriel/core/recording.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace oriel::core {
namespace {

template <class T>
std::uint32_t narrow(T value) noexcept {
  return static_cast<std::uint32_t>(value);
}

constexpr std::size_t cells_for(std::size_t bytes) noexcept {
  return (bytes + Recording::kValueAlignment - 1) / Recording::kValueAlignment;
}

}  // namespace

void Recording::reserve(const Size& size) {
  nodes_.reserve(size.nodes);
  // Which kinds the nodes are is not counted: each array has room for all of them to be its own.
  launches_.reserve(size.nodes);
  copies_.reserve(size.nodes);
  fills_.reserve(size.nodes);
  hosts_.reserve(size.nodes);
  payloads_.reserve(size.nodes);
  dependencies_.reserve(size.dependencies);
  uses_.reserve(size.uses);
  labels_.reserve(size.label_bytes);
  value_cells_.reserve(size.value_bytes / kValueAlignment);
  value_offsets_.reserve(size.values);
  value_sizes_.reserve(size.values);
  value_pointers_.reserve(size.values);
}

Recording::Size Recording::size() const noexcept {
  return {nodes_.size(),
          uses_.size(),
          dependencies_.size(),
          value_offsets_.size(),
          value_cells_.size() * kValueAlignment,
          labels_.size()};
}

Result<NodeId> Recording::push(NodeKind kind, const NodeOrigin& origin, std::size_t command) {
  const auto id = narrow(nodes_.size());
  const Range label{narrow(labels_.size()), narrow(origin.label.size())};
  labels_.insert(labels_.end(), origin.label.begin(), origin.label.end());
  const Range dependencies{narrow(dependencies_.size()), narrow(origin.dependencies.size())};
  dependencies_.insert(dependencies_.end(), origin.dependencies.begin(), origin.dependencies.end());
  const Range uses{narrow(uses_.size()), narrow(origin.uses.size())};
  uses_.insert(uses_.end(), origin.uses.begin(), origin.uses.end());
  nodes_.push_back({kind, origin.stream, origin.lane, narrow(command), label, dependencies, uses});
  return id;
}

namespace {
tl::unexpected<Error> refuse_sealed() {
  return fail(ErrorCode::kInvalidState,
              "the recording is closed; nothing can be appended to it any more");
}
}  // namespace

Result<NodeId> Recording::append(const NodeOrigin& origin,
                                 const LaunchCommand& command,
                                 std::span<const std::uint32_t> value_sizes) {
  if (sealed_) {
    return refuse_sealed();
  }
  const Range values{narrow(value_offsets_.size()), narrow(command.values.size())};
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const std::size_t first = value_cells_.size();
    value_offsets_.push_back(narrow(first));
    value_sizes_.push_back(value_sizes[i]);
    value_cells_.resize(first + cells_for(value_sizes[i]));
    std::memcpy(value_cells_.data() + first, command.values[i], value_sizes[i]);
  }
  launches_.push_back({command, values});
  launches_.back().command.values = {};
  return push(NodeKind::kLaunch, origin, launches_.size() - 1);
}

Result<NodeId> Recording::append(const NodeOrigin& origin, const CopyCommand& command) {
  if (sealed_) {
    return refuse_sealed();
  }
  copies_.push_back(command);
  return push(NodeKind::kCopy, origin, copies_.size() - 1);
}

Result<NodeId> Recording::append(const NodeOrigin& origin, const FillCommand& command) {
  if (sealed_) {
    return refuse_sealed();
  }
  fills_.push_back(command);
  return push(NodeKind::kFill, origin, fills_.size() - 1);
}

Result<NodeId> Recording::append(const NodeOrigin& origin,
                                 const HostCommand& command,
                                 std::shared_ptr<void> payload) {
  if (sealed_) {
    return refuse_sealed();
  }
  hosts_.push_back(command);
  payloads_.push_back(std::move(payload));
  return push(NodeKind::kHost, origin, hosts_.size() - 1);
}

void Recording::seal() {
  sealed_ = true;
  value_pointers_.resize(value_offsets_.size());
  for (std::size_t i = 0; i < value_offsets_.size(); ++i) {
    value_pointers_[i] = value_cells_.data() + value_offsets_[i];
  }
  for (Launch& launch : launches_) {
    launch.command.values =
        std::span<void* const>(value_pointers_).subspan(launch.values.first, launch.values.count);
  }
}

Node Recording::node(NodeId id) const noexcept {
  const Entry& entry = nodes_[id];
  Node node;
  node.kind = entry.kind;
  node.label = std::string_view(labels_.data() + entry.label.first, entry.label.count);
  node.stream = entry.stream;
  node.lane = entry.lane;
  node.dependencies = std::span<const NodeId>(dependencies_)
                          .subspan(entry.dependencies.first, entry.dependencies.count);
  node.uses = std::span<const Use>(uses_).subspan(entry.uses.first, entry.uses.count);
  switch (entry.kind) {
    case NodeKind::kLaunch:
      node.launch = launches_[entry.command].command;
      break;
    case NodeKind::kCopy:
      node.copy = copies_[entry.command];
      break;
    case NodeKind::kFill:
      node.fill = fills_[entry.command];
      break;
    case NodeKind::kHost:
      node.host = hosts_[entry.command];
      break;
  }
  return node;
}

std::span<const std::uint32_t> Recording::value_sizes(NodeId id) const noexcept {
  const Range values = launches_[nodes_[id].command].values;
  return std::span<const std::uint32_t>(value_sizes_).subspan(values.first, values.count);
}

void Recording::replace(NodeId id,
                        std::span<void* const> values,
                        std::span<const Use> uses) noexcept {
  const Entry& entry = nodes_[id];
  const Range range = launches_[entry.command].values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(value_pointers_[range.first + i], values[i], value_sizes_[range.first + i]);
  }
  std::copy(uses.begin(), uses.end(), uses_.begin() + entry.uses.first);
}

std::vector<std::shared_ptr<void>> Recording::take_payloads() noexcept {
  return std::move(payloads_);
}

namespace {

void append_escaped(std::string& text, std::string_view label) {
  for (const char c : label) {
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
}

void append_use(std::string& text, const Use& use) {
  static constexpr std::string_view kNames[] = {"", "in", "out", "inout"};
  text += "\\n";
  text += kNames[static_cast<int>(use.access)];
  text += use.slice->kind == MemoryKind::kPinned ? " pinned " : " buffer ";
  text += std::to_string(use.slice->index);
  if (use.offset != 0 || use.bytes != use.slice->bytes) {
    text += " [" + std::to_string(use.offset) + ", " + std::to_string(use.offset + use.bytes) + ")";
  }
}

}  // namespace

std::string Recording::to_dot() const {
  static constexpr std::string_view kShapes[] = {"box", "cds", "component", "ellipse"};
  std::string text = "digraph oriel {\n  rankdir=TB;\n  node [fontname=\"monospace\"];\n";
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node it = node(id);
    const std::string name = "n" + std::to_string(id);
    text += "  " + name + " [shape=";
    text += kShapes[static_cast<int>(it.kind)];
    text += ", label=\"" + std::to_string(id) + " ";
    append_escaped(text, it.label);
    for (const Use& use : it.uses) {
      append_use(text, use);
    }
    text += "\"];\n";
    for (const NodeId before : it.dependencies) {
      text += "  n" + std::to_string(before) + " -> " + name + ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace oriel::core
