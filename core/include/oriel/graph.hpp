#pragma once

#include <oriel/argument.hpp>
#include <oriel/options.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace oriel {

class Stream;

/// A step recorded once, to be replayed many times. It pins every byte that a replay touches, and
/// nothing else. Dropping it is legal at any time, never waits and never frees early: what it pins
/// goes once its last replay is done.
class Graph {
 public:
  /// Takes over the graph registered as `id`.
  Graph(std::shared_ptr<core::Runtime> runtime, GraphId id) noexcept;
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Runs it on `stream`, behind the stream's earlier work and behind its own earlier replays,
  /// wherever those ran. Allocates nothing. Errors: `invalid_state` (stream of another runtime),
  /// `not_permitted` (the stream is in a window), `unwritten` (it reads memory that work which
  /// never ran was to write), `driver_error` (then what it writes is claimed).
  [[nodiscard]] Result<void> replay(const Stream& stream);

  /// Gives the launch at `node` (nodes count from 0 in the order of the recorded calls) other
  /// arguments: as many, of the same kinds and types. Replays enqueued already keep the old ones.
  /// The graph pins the new buffers in place of the old. Errors: `unsupported` (capability update),
  /// `invalid_argument` (no launch there, or arguments that don't fit), `not_permitted` in a
  /// window; the graph is unchanged by all of them.
  template <class... Args>
  [[nodiscard]] Result<void> update(NodeId node, const Args&... args) {
    const std::array<Argument, sizeof...(Args)> list{argument(args)...};
    return update_with(node, list);
  }
  [[nodiscard]] Result<void> update_with(NodeId node, std::span<const Argument> arguments);

  /// Gives every launch the arguments that it has in `recorded`: the same step recorded anew, to be
  /// dropped afterwards. Cheaper than to keep the new graph where many are kept. Errors:
  /// `unsupported` (capability update; or the two differ in more than arguments of launches: in
  /// their calls, order, kernels, grids, copies or fills: replay the new graph instead),
  /// `invalid_state` (a graph of another runtime), `not_permitted` in a window; the graph is
  /// unchanged by all of them.
  [[nodiscard]] Result<void> update_from(const Graph& recorded);
  /// Whether a replay of the one does what a replay of the other does: the same calls in the same
  /// order with the same arguments on the same memory. Labels don't count.
  [[nodiscard]] bool same_work(const Graph& other) const;

  [[nodiscard]] std::size_t node_count() const;
  [[nodiscard]] GraphMemory memory() const;
  /// The recording as Graphviz.
  [[nodiscard]] std::string to_dot() const;
  [[nodiscard]] GraphId id() const noexcept { return id_; }

 private:
  std::shared_ptr<core::Runtime> runtime_;
  GraphId id_;
};

}  // namespace oriel
