#pragma once

#include <oriel/core/commands.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::core {

/// What of a node is new when one is appended.
struct NodeOrigin {
  std::string_view label;
  StreamId stream;
  unsigned lane = 0;
  std::span<const NodeId> dependencies;
  std::span<const Use> uses;
};

/// The neutral list of what a window recorded, in the order of the calls, which is an order they
/// can run in. It holds all that a builder needs: resolved arguments, access, dependencies.
///
/// Invariant: a node's dependencies are earlier nodes. Once sealed nothing is appended, and every
/// pointer that a Node shows stays valid for the recording's life, moves of the owner included
/// (it is held by pointer). Until sealed, LaunchCommand::values is empty.
///
/// Everything lies in flat arrays, which `reserve` sizes from the warm-up, so that recording the
/// same step again allocates nothing.
class Recording {
 public:
  /// How much room a recording takes; what a warm-up counts.
  struct Size {
    std::size_t nodes = 0;
    std::size_t uses = 0;
    std::size_t dependencies = 0;
    std::size_t values = 0;       ///< Arguments.
    std::size_t value_bytes = 0;  ///< Their bytes, each rounded up to kValueAlignment.
    std::size_t label_bytes = 0;
  };
  static constexpr std::size_t kValueAlignment = 16;

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() = default;

  void reserve(const Size& size);
  [[nodiscard]] Size size() const noexcept;
  [[nodiscard]] std::size_t node_count() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool sealed() const noexcept { return sealed_; }

  /// Append a node and return its id. The bytes of arguments and label are copied. `value_sizes[i]`
  /// is the size of `command.values[i]`. Error: `invalid_state` once sealed; nothing is appended.
  [[nodiscard]] Result<NodeId> append(const NodeOrigin& origin,
                                      const LaunchCommand& command,
                                      std::span<const std::uint32_t> value_sizes);
  [[nodiscard]] Result<NodeId> append(const NodeOrigin& origin, const CopyCommand& command);
  [[nodiscard]] Result<NodeId> append(const NodeOrigin& origin, const FillCommand& command);
  /// `payload` lives as long as the recording.
  [[nodiscard]] Result<NodeId> append(const NodeOrigin& origin,
                                      const HostCommand& command,
                                      std::shared_ptr<void> payload);

  /// No more nodes: fixes every pointer.
  void seal();

  [[nodiscard]] Node node(NodeId id) const noexcept;

  /// The sizes of a launch's values, in bytes.
  [[nodiscard]] std::span<const std::uint32_t> value_sizes(NodeId id) const noexcept;

  /// Puts other arguments into a launch of a sealed recording: as many, of the same sizes.
  void replace(NodeId id, std::span<void* const> values, std::span<const Use> uses) noexcept;

  /// Gives away what host nodes keep: whoever destroys the recording destroys callers' payloads
  /// where that is safe.
  [[nodiscard]] std::vector<std::shared_ptr<void>> take_payloads() noexcept;

  /// The recording as Graphviz: a box a node with its label, an edge a dependency, buffers named
  /// by pool index.
  [[nodiscard]] std::string to_dot() const;

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  struct Entry {
    NodeKind kind;
    StreamId stream;
    std::uint32_t lane;
    std::uint32_t command;  // index into the array of its kind
    Range label;
    Range dependencies;
    Range uses;
  };
  struct Launch {
    LaunchCommand command;  // its values are set by seal()
    Range values;
  };

  Result<NodeId> push(NodeKind kind, const NodeOrigin& origin, std::size_t command);

  bool sealed_ = false;
  std::vector<Entry> nodes_;
  std::vector<Launch> launches_;
  std::vector<CopyCommand> copies_;
  std::vector<FillCommand> fills_;
  std::vector<HostCommand> hosts_;
  std::vector<std::shared_ptr<void>> payloads_;
  std::vector<NodeId> dependencies_;
  std::vector<Use> uses_;
  std::vector<char> labels_;
  struct alignas(kValueAlignment) Cell {
    std::byte bytes[kValueAlignment];
  };
  std::vector<Cell> value_cells_;
  std::vector<std::uint32_t> value_offsets_;  // in cells, one a value
  std::vector<std::uint32_t> value_sizes_;    // in bytes, one a value
  std::vector<void*> value_pointers_;         // filled by seal()
};

}  // namespace oriel::core
