// Commands as work that can run later: each holds a copy of what it needs.
#pragma once

#include "fake_machine.hpp"

#include <oriel/core/graph_driver.hpp>

#include <memory>
#include <span>

namespace oriel::fake {

[[nodiscard]] Work launch_work(const core::LaunchCommand& command, std::span<void* const> values);
[[nodiscard]] Work copy_work(std::shared_ptr<Machine> machine, const core::CopyCommand& command);
[[nodiscard]] Work fill_work(std::shared_ptr<Machine> machine, const core::FillCommand& command);
[[nodiscard]] Work host_work(const core::HostCommand& command);

}  // namespace oriel::fake
