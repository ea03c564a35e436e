#pragma once

#include "event_state.hpp"
#include "executor.hpp"

#include <oriel/core/graph_driver.hpp>

#include <memory>
#include <utility>

namespace oriel::host {

class HostEvent final : public core::DriverEvent {
 public:
  explicit HostEvent(std::shared_ptr<Executor> executor)
      : executor_(std::move(executor)), state_(new EventState) {}

  [[nodiscard]] EventState& state() noexcept { return *state_; }

 private:
  std::shared_ptr<Executor> executor_;  // outlives the streams that the state refers to
  Ref<EventState> state_;
};

}  // namespace oriel::host
