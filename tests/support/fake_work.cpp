#include "fake_work.hpp"

#include "fake_objects.hpp"

#include <cstring>
#include <utility>

namespace oriel::fake {
namespace {

std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

Work launch_work(const core::LaunchCommand& command, std::span<void* const> values) {
  const auto& kernel = static_cast<const FakeKernel&>(*command.kernel);
  std::vector<std::vector<std::byte>> bytes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* value = static_cast<const std::byte*>(values[i]);
    bytes.emplace_back(value, value + kernel.sizes[i]);
  }
  const Dim3 grid = command.grid;
  const Dim3 group = command.group;
  return [function = kernel.function, bytes = std::move(bytes), grid, group]() mutable {
    std::vector<void*> pointers;
    for (auto& value : bytes) {
      pointers.push_back(value.data());
    }
    oriel_host_launch launch{};
    launch.grid[0] = grid.x;
    launch.grid[1] = grid.y;
    launch.grid[2] = grid.z;
    launch.group[0] = group.x;
    launch.group[1] = group.y;
    launch.group[2] = group.z;
    launch.group_count = std::uint64_t{grid.x} * grid.y * grid.z;
    function(&launch, pointers.data());
  };
}

Work copy_work(std::shared_ptr<Machine> machine, const core::CopyCommand& command) {
  return [machine = std::move(machine), command] {
    if (machine->check(command.source, command.bytes, "copy") &&
        machine->check(command.destination, command.bytes, "copy")) {
      std::memmove(at(command.destination), at(command.source), command.bytes);
    }
  };
}

Work fill_work(std::shared_ptr<Machine> machine, const core::FillCommand& command) {
  return [machine = std::move(machine), command] {
    if (machine->check(command.destination, command.bytes, "fill")) {
      for (std::size_t i = 0; i < command.bytes; i += command.pattern_bytes) {
        std::memcpy(at(command.destination) + i, command.pattern, command.pattern_bytes);
      }
    }
  };
}

Work host_work(const core::HostCommand& command) {
  return [command] { command.function(command.payload); };
}

}  // namespace oriel::fake
