#include "machine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <utility>

namespace oriel::emulator {
namespace {

/// Workers may still run the program's code, so their end is awaited, but not for ever.
constexpr std::chrono::seconds kExitPatience{5};

void report(Machine& machine) {
  machine.memory.check_quarantine();
  std::fprintf(stderr,
               "Emulated driver at exit: %zu streams, %zu events, %zu modules, %zu graphs, "
               "%zu executables, %zu device blocks, %zu pinned blocks.\n",
               machine.streams.size(),
               machine.events.size(),
               machine.modules.size(),
               machine.graphs.size(),
               machine.executables.size(),
               machine.memory.count(BlockKind::kDevice),
               machine.memory.count(BlockKind::kPinned));
  for (std::size_t i = 0; machine.violations.at(i) != nullptr; ++i) {
    std::fprintf(stderr, "  %s\n", machine.violations.at(i));
  }
}

void wake_workers(const Machine& machine) {
  for (const auto& [handle, stream] : machine.streams) {
    stream->wake.notify_all();
  }
  for (const auto& [handle, context] : machine.contexts) {
    context->legacy->wake.notify_all();
    if (context->whole != nullptr) {
      context->whole->wake.notify_all();
    }
    for (const auto& [thread, stream] : context->per_thread) {
      stream->wake.notify_all();
    }
  }
}

void end_process() {
  Machine& machine = Machine::instance();
  std::unique_lock lock(machine.mutex);
  if (machine.options.report) {
    report(machine);
  }
  machine.exiting = true;
  wake_workers(machine);
  machine.progress.notify_all();
  const Clock::time_point limit = Clock::now() + kExitPatience;
  while (machine.workers != 0 && Clock::now() < limit) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
}

}  // namespace

Machine& Machine::instance() {
  static Machine* machine = new Machine;  // for ever: see the type
  return *machine;
}

Machine::Machine() {
  options.read_environment();
  follow_options("lose_device_after");
  follow_options("fail");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].ordinal = static_cast<int>(i);
  }
  std::atexit(end_process);
}

void Machine::follow_options(std::string_view name) {
  if (name == "lose_device_after") {
    lose_in = options.lose_device_after != 0 ? options.lose_device_after + 1 : 0;
    lost = false;
  } else if (name == "sticky") {
    for (const auto& [handle, context] : contexts) {
      context->error = Situation::kSuccess;  // so a test can go on
    }
  } else if (name == "fail" && !options.fail.empty()) {
    const std::size_t code = options.fail.rfind(':');
    const std::size_t k = options.fail.rfind(':', code - 1);
    faults.arm(std::string_view(options.fail).substr(0, k),
               std::stoull(options.fail.substr(k + 1)),
               static_cast<std::int32_t>(std::stol(options.fail.substr(code + 1))),
               false);
  }
}

ThreadState& this_thread() noexcept {
  static std::atomic<std::uint64_t> numbers{0};
  thread_local ThreadState state{++numbers, CaptureMode::kGlobal, false, {}};
  return state;
}

void fail_work(Machine& machine, Context& context, Situation error, std::string text) {
  machine.violations.add(std::move(text));
  if (!failed(context.error)) {
    context.error = error;
  }
}

BlockRef reserve_now(
    Machine& machine, BlockKind kind, std::size_t bytes, Device& device, Situation& situation) {
  const bool pinned = kind == BlockKind::kPinned;
  std::size_t& used = pinned ? machine.pinned_bytes : device.used_bytes;
  const std::uint64_t limit = pinned ? machine.options.pinned_bytes : machine.options.memory_bytes;
  situation = Situation::kOutOfMemory;
  if (used > limit || bytes > limit - used) {
    return nullptr;
  }
  BlockRef block = machine.memory.reserve(kind, bytes, device.ordinal);
  if (block == nullptr) {
    return nullptr;
  }
  used += bytes;
  block->allocated = true;
  situation = Situation::kSuccess;
  return block;
}

BlockRef allocate_now(
    Machine& machine, BlockKind kind, std::size_t bytes, Device& device, Situation& situation) {
  BlockRef block = reserve_now(machine, kind, bytes, device, situation);
  if (block != nullptr) {
    machine.memory.make_live(*block);
  }
  return block;
}

BlockRef reserve_for_graph(Machine& machine, std::size_t bytes, const Device& device) {
  collect_memory(machine);
  BlockRef block = machine.memory.reserve(BlockKind::kDevice, bytes, device.ordinal);
  if (block != nullptr) {
    block->of_graph = true;
  }
  return block;
}

void release_bytes(Machine& machine, Block& block) {
  block.allocated = false;
  Device& device = machine.devices[static_cast<std::size_t>(block.device)];
  if (block.of_graph) {
    device.graph_used.remove(block.bytes);  // but the graph keeps what backs it
  } else if (block.kind == BlockKind::kDevice) {
    device.used_bytes -= block.bytes;
  } else if (block.kind == BlockKind::kPinned) {
    machine.pinned_bytes -= block.bytes;
  }
}

}  // namespace oriel::emulator
