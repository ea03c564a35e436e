#include "schedule.hpp"

#include "host_module.hpp"
#include "launch_header.hpp"
#include "memory_commands.hpp"

#include <new>

namespace oriel::host {
namespace {

template <class Command>
const Command& command(void* const* arguments) noexcept {
  return *reinterpret_cast<const Command*>(arguments);
}

void copy_step(const oriel_host_launch*, void* const* arguments) {
  run_copy(command<core::CopyCommand>(arguments));
}
void fill_step(const oriel_host_launch*, void* const* arguments) {
  run_fill(command<core::FillCommand>(arguments));
}
void host_step(const oriel_host_launch*, void* const* arguments) {
  const auto& host = command<core::HostCommand>(arguments);
  host.function(host.payload);
}

template <class Command>
void* const* keep(const Command& command, std::byte* memory) noexcept {
  static_assert(alignof(Command) <= ArgumentLayout::kAlignment);
  return reinterpret_cast<void* const*>(new (memory) Command(command));
}

const LoadedKernel& kernel_of(const core::Node& node) noexcept {
  return *static_cast<const LoadedKernel*>(node.launch.kernel);
}

}  // namespace

std::size_t Schedule::bytes_of(const core::Node& node) noexcept {
  switch (node.kind) {
    case core::NodeKind::kLaunch:
      return kernel_of(node).layout().bytes();
    case core::NodeKind::kCopy:
      return sizeof(core::CopyCommand);
    case core::NodeKind::kFill:
      return sizeof(core::FillCommand);
    case core::NodeKind::kHost:
      break;
  }
  return sizeof(core::HostCommand);
}

Schedule::Step Schedule::make_step(const core::Node& node,
                                   std::span<void* const> values,
                                   std::byte* memory) noexcept {
  switch (node.kind) {
    case core::NodeKind::kLaunch: {
      const LoadedKernel& kernel = kernel_of(node);
      return {kernel.function(), kernel.layout().write(memory, values), header(node.launch)};
    }
    case core::NodeKind::kCopy:
      return {&copy_step, keep(node.copy, memory), {}};
    case core::NodeKind::kFill:
      return {&fill_step, keep(node.fill, memory), {}};
    case core::NodeKind::kHost:
      break;
  }
  return {&host_step, keep(node.host, memory), {}};
}

Ref<Schedule> Schedule::make(const core::Recording& recording, const Schedule* values_from) {
  const core::Recording::Size size = recording.size();
  Ref<Schedule> schedule(new Schedule);
  schedule->arena_ = Arena(size.value_bytes + size.values * sizeof(void*) + size.nodes * 64);
  schedule->steps_.reserve(size.nodes);
  for (NodeId id = 0; id < static_cast<NodeId>(size.nodes); ++id) {
    const core::Node node = recording.node(id);
    std::span<void* const> values = node.launch.values;
    if (values_from != nullptr && node.kind == core::NodeKind::kLaunch) {
      values = {values_from->steps_[id].arguments, kernel_of(node).layout().count()};
    }
    std::byte* memory = schedule->arena_.take(bytes_of(node));
    schedule->steps_.push_back(make_step(node, values, memory));
  }
  return schedule;
}

void Schedule::run() const noexcept {
  for (const Step& step : steps_) {
    step.function(&step.launch, step.arguments);
  }
}

void Schedule::set_values(NodeId node,
                          const LoadedKernel& kernel,
                          std::span<void* const> values) noexcept {
  // The pointers stand first in the piece that holds the values.
  auto* memory = reinterpret_cast<std::byte*>(const_cast<void**>(steps_[node].arguments));
  kernel.layout().write(memory, values);
}

}  // namespace oriel::host
