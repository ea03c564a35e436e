#pragma once

#include <oriel/error.hpp>

#include <memory>
#include <utility>

namespace oriel::core {
struct EventState;
}  // namespace oriel::core

namespace oriel {

/// A point in a stream that others can wait for. Recorded in a window it is an edge of the graph,
/// which no replay signals: querying, waiting for or timing it outside is `invalid_state` until it
/// is recorded anew. Dropping an event never disturbs what waits for it.
class Event {
 public:
  explicit Event(std::shared_ptr<core::EventState> state) noexcept : state_(std::move(state)) {}
  Event(const Event&) noexcept = default;
  Event& operator=(const Event&) noexcept = default;
  ~Event() = default;

  /// Whether what it marked is done. Errors: `invalid_state` (never recorded, or in a window),
  /// `not_permitted` from the thread of an open window.
  [[nodiscard]] Result<bool> query() const;
  /// Waits for what it marked. Errors: as query.
  [[nodiscard]] Result<void> synchronize() const;

  [[nodiscard]] const std::shared_ptr<core::EventState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<core::EventState> state_;
};

/// Seconds from one event to another, both done. Errors: `unsupported` (event_timing), and as
/// query.
[[nodiscard]] Result<double> elapsed(const Event& from, const Event& to);

}  // namespace oriel
