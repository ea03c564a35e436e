#include "attributed.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/graph.hpp>
#include <oriel/stream.hpp>

#include <utility>

namespace oriel {

Graph::Graph(std::shared_ptr<core::Runtime> runtime, GraphId id) noexcept
    : runtime_(std::move(runtime)), id_(id) {}

Graph::Graph(Graph&& other) noexcept
    : runtime_(std::move(other.runtime_)), id_(std::exchange(other.id_, {})) {}

Graph& Graph::operator=(Graph&& other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(id_, other.id_);
  return *this;
}

Graph::~Graph() {
  if (runtime_) {
    runtime_->destroy_graph(id_);
  }
}

namespace {

Result<void> replay_on(const std::shared_ptr<core::Runtime>& runtime,
                       GraphId id,
                       const Stream& stream) {
  if (!runtime) {
    return fail(ErrorCode::kInvalidState, "the graph was moved from");
  }
  if (stream.runtime() != runtime) {
    return fail(ErrorCode::kInvalidState,
                "the stream belongs to another runtime; a graph replays on its own device only");
  }
  return runtime->replay(id, stream.id());
}

}  // namespace

Result<void> Graph::replay(const Stream& stream) {
  return attributed(stream.id(), "replay", replay_on(runtime_, id_, stream));
}

Result<void> Graph::update_with(NodeId node, std::span<const Argument> arguments) {
  Result<void> updated = fail(ErrorCode::kInvalidState, "the graph was moved from");
  if (runtime_) {
    updated = runtime_->update(id_, node, arguments);
  }
  return attributed("update", std::move(updated));
}

Result<void> Graph::update_from(const Graph& recorded) {
  Result<void> updated = fail(ErrorCode::kInvalidState, "the graph was moved from");
  if (runtime_ && recorded.runtime_) {
    updated = runtime_ == recorded.runtime_
                  ? runtime_->update_from(id_, recorded.id_)
                  : fail(ErrorCode::kInvalidState, "the recorded graph belongs to another runtime");
  }
  return attributed("update_from", std::move(updated));
}

bool Graph::same_work(const Graph& other) const {
  return runtime_ && runtime_ == other.runtime_ && runtime_->same_work(id_, other.id_);
}

std::size_t Graph::node_count() const {
  return runtime_ ? runtime_->node_count(id_) : 0;
}

GraphMemory Graph::memory() const {
  return runtime_ ? runtime_->memory(id_) : GraphMemory{};
}

std::string Graph::to_dot() const {
  return runtime_ ? runtime_->to_dot(id_) : std::string();
}

}  // namespace oriel
