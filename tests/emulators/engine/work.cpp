#include "work.hpp"

#include "machine.hpp"

#include <oriel/kernel_launch.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace oriel::emulator {
namespace {

/// One run of one piece of work. Blocks it works on are held, so that even one that is freed
/// meanwhile is still memory.
class Run {
 public:
  Run(Machine& machine, std::unique_lock<std::mutex>& lock, Context& context) noexcept
      : machine_(machine), lock_(lock), context_(context) {}

  void operator()(std::monostate) {}
  void operator()(const KernelWork& work);
  void operator()(const CopyWork& work);
  void operator()(const FillWork& work);
  void operator()(const HostWork& work);
  void operator()(const CallbackWork& work);
  void operator()(const RecordWork& work) { stamp(*work.event, work.generation); }
  void operator()(const AllocateWork& work) { machine_.memory.make_live(*work.block); }
  void operator()(const FreeWork& work);
  void operator()(const LaunchWork& work) { run_graph(*work.body); }
  void operator()(const EventWork& work) { stamp(*work.event, work.event->generation); }

 private:
  void run_graph(const Graph& graph);
  static void stamp(Event& event, std::uint64_t generation) {
    if (event.generation == generation) {
      event.at = Clock::now();
    }
  }
  [[nodiscard]] bool usable(std::uint64_t address, const char* user);
  [[nodiscard]] bool usable(const CopyEnd& end, std::size_t bytes);
  void refuse(const char* user, std::uint64_t address, const char* why);
  template <class Body>
  void unlocked(Body&& body);

  Machine& machine_;
  std::unique_lock<std::mutex>& lock_;
  Context& context_;
  std::vector<BlockRef> held_;
};

template <class Body>
void Run::unlocked(Body&& body) {
  lock_.unlock();
  body();
  lock_.lock();
  held_.clear();
}

void Run::refuse(const char* user, std::uint64_t address, const char* why) {
  char text[256];
  std::snprintf(text,
                sizeof text,
                "%.120s was given %#llx, which %s.",
                user,
                static_cast<unsigned long long>(address),
                why);
  fail_work(machine_, context_, Situation::kIllegalAddress, text);
}

bool Run::usable(std::uint64_t address, const char* user) {
  const BlockRef* block = machine_.memory.find(address);
  if (block == nullptr) {
    refuse(user,
           address,
           machine_.memory.was_freed(address) ? "was freed" : "the driver never allocated");
    return false;
  }
  if (!(*block)->live) {
    refuse(user, address, "is not allocated at that point");
    return false;
  }
  if ((*block)->kind == BlockKind::kDevice && (*block)->device != context_.device->ordinal) {
    refuse(user, address, "is another device's");
    return false;
  }
  held_.push_back(*block);
  return true;
}

bool Run::usable(const CopyEnd& end, std::size_t bytes) {
  const BlockRef* block = machine_.memory.find(end.address);
  if (block == nullptr && !end.device && !machine_.memory.was_freed(end.address)) {
    return true;  // pageable
  }
  if (!usable(end.address, "A copy or fill")) {
    return false;
  }
  if (!held_.back()->holds(end.address, bytes)) {
    refuse("A copy or fill", end.address, "has less memory than it needs");
    return false;
  }
  return true;
}

void Run::operator()(const KernelWork& work) {
  const Kernel& kernel = *work.kernel;
  if (kernel.unloaded) {
    fail_work(machine_,
              context_,
              Situation::kLaunchFailed,
              "Kernel " + kernel.name + " was to run after its module was unloaded.");
    return;
  }
  for (const std::size_t offset : kernel.pointers) {
    const std::uint64_t address = work.pointer(offset);
    if (address != 0 && !usable(address, kernel.name.c_str())) {
      return;
    }
  }
  oriel_host_launch launch{};
  std::memcpy(launch.grid, work.grid, sizeof work.grid);
  std::memcpy(launch.group, work.group, sizeof work.group);
  launch.group_count = std::uint64_t{work.grid[0]} * work.grid[1] * work.grid[2];
  unlocked([&] { kernel.host->run(&launch, work.arguments.data()); });
}

void Run::operator()(const CopyWork& work) {
  if (work.width == 0 || work.height == 0 || work.depth == 0) {
    return;
  }
  const bool snapshot = !work.snapshot.empty();
  if (!usable(work.to, work.span(work.to)) ||
      (!snapshot && !usable(work.from, work.span(work.from)))) {
    return;
  }
  unlocked([&] {
    auto* to = reinterpret_cast<std::byte*>(work.to.address);
    const auto* from =
        snapshot ? work.snapshot.data() : reinterpret_cast<const std::byte*>(work.from.address);
    for (std::size_t z = 0; z < work.depth; ++z) {
      for (std::size_t y = 0; y < work.height; ++y) {
        std::memmove(to + z * work.to.slice + y * work.to.pitch,
                     from + z * work.from.slice + y * work.from.pitch,
                     work.width);
      }
    }
  });
}

void Run::operator()(const FillWork& work) {
  if (work.width == 0 || work.height == 0 ||
      !usable(CopyEnd{work.address, true, 0, 0}, work.span())) {
    return;
  }
  unlocked([&] {
    for (std::size_t y = 0; y < work.height; ++y) {
      auto* row = reinterpret_cast<std::byte*>(work.address + y * work.pitch);
      if (work.element_bytes == 1) {
        std::memset(row, static_cast<int>(work.value & 0xFFU), work.width);
        continue;
      }
      for (std::size_t x = 0; x < work.width; ++x) {
        std::memcpy(row + x * work.element_bytes, &work.value, work.element_bytes);
      }
    }
  });
}

void Run::operator()(const HostWork& work) {
  ThreadState& thread = this_thread();
  thread.in_host_function = true;
  unlocked([&] { work.function(work.payload); });
  thread.in_host_function = false;
}

void Run::operator()(const CallbackWork& work) {
  ThreadState& thread = this_thread();
  thread.in_host_function = true;
  unlocked([&] { work.function(Situation::kSuccess); });
  thread.in_host_function = false;
}

void Run::operator()(const FreeWork& work) {
  if (work.block->of_graph) {
    machine_.memory.make_dead(*work.block);
  } else {
    machine_.memory.forget(work.block->address);
  }
}

void Run::run_graph(const Graph& graph) {
  for (const Node* node : graph.order) {
    if (failed(context_.error) || machine_.exiting) {
      return;
    }
    if (node->child != nullptr) {
      run_graph(*node->child);
    } else if (node->work != nullptr && node->kind != NodeKind::kWaitEvent) {
      std::visit(*this, node->work->what);
    }
  }
}

}  // namespace

std::uint64_t KernelWork::pointer(std::size_t offset) const noexcept {
  std::uint64_t address = 0;
  std::memcpy(&address, values.data() + offset, sizeof address);
  return address;
}

std::size_t CopyWork::span(const CopyEnd& end) const noexcept {
  return (depth - 1) * end.slice + (height - 1) * end.pitch + width;
}

std::size_t FillWork::span() const noexcept {
  return (height - 1) * pitch + width * element_bytes;
}

KernelWork make_kernel_work(std::shared_ptr<Kernel> kernel, void** arguments) {
  KernelWork work;
  work.values.resize(kernel->value_bytes);
  work.arguments.resize(kernel->offsets.size());
  for (std::size_t i = 0; i < kernel->offsets.size(); ++i) {
    work.arguments[i] = work.values.data() + kernel->offsets[i];
    std::memcpy(work.arguments[i], arguments[i], kernel->argument_bytes(i));
  }
  work.kernel = std::move(kernel);
  return work;
}

void run_work(Machine& machine,
              std::unique_lock<std::mutex>& lock,
              Context& context,
              const Work& work) {
  std::visit(Run(machine, lock, context), work.what);
}

}  // namespace oriel::emulator
