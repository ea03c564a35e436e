#pragma once

#include "host_module.hpp"
#include "ref.hpp"
#include "schedule.hpp"

#include <oriel/core/graph_driver.hpp>

#include <span>

namespace oriel::host {

/// A graph: the schedule that the next replay shall run. Earlier replays hold the one they got.
class HostExecutable final : public core::DriverExecutable {
 public:
  /// The recording outlives the executable. Throws std::bad_alloc.
  explicit HostExecutable(const core::Recording& recording)
      : recording_(&recording), schedule_(Schedule::make(recording)) {}

  [[nodiscard]] const Ref<Schedule>& schedule() const noexcept { return schedule_; }

  /// Changes the schedule where nobody else holds it, else a copy of it. Throws std::bad_alloc,
  /// with nothing changed.
  void update(NodeId node, std::span<void* const> values) {
    if (!schedule_->sole()) {
      schedule_ = Schedule::make(*recording_, schedule_.get());
    }
    const core::LaunchCommand launch = recording_->node(node).launch;
    schedule_->set_values(node, *static_cast<const LoadedKernel*>(launch.kernel), values);
  }

 private:
  const core::Recording* recording_;
  Ref<Schedule> schedule_;
};

}  // namespace oriel::host
