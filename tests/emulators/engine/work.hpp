#pragma once

#include "event.hpp"
#include "memory.hpp"
#include "module.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

namespace oriel::emulator {

struct Executable;
struct Graph;
struct Machine;

/// A launch. The arguments' values were copied when it was asked for.
struct KernelWork {
  std::shared_ptr<Kernel> kernel;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t group[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::byte> values;
  std::vector<void*> arguments;  ///< Into `values`.

  [[nodiscard]] std::uint64_t pointer(std::size_t offset) const noexcept;
};

/// One end of a copy: rows of bytes. Host memory that the driver doesn't know is taken on trust.
struct CopyEnd {
  std::uint64_t address = 0;
  bool device = false;  ///< Must be memory that the driver gave out.
  std::size_t pitch = 0;
  std::size_t slice = 0;
};

/// Rows from one place to another. Only addresses are kept; memory is read and written when it
/// runs, but for a `snapshot`, which stands in for host memory that the program may use again.
struct CopyWork {
  CopyEnd to;
  CopyEnd from;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;
  std::vector<std::byte> snapshot;

  [[nodiscard]] std::size_t span(const CopyEnd& end) const noexcept;
};

struct FillWork {
  std::uint64_t address = 0;
  std::size_t pitch = 0;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;
  std::size_t width = 0;  ///< In elements.
  std::size_t height = 1;

  [[nodiscard]] std::size_t span() const noexcept;
};

/// A function of the program's, which may not call the driver.
struct HostWork {
  void (*function)(void*) = nullptr;
  void* payload = nullptr;
};

/// The same in another shape: a stream's callback.
struct CallbackWork {
  std::function<void(Situation)> function;
};

/// Sets an event's time, unless it was recorded again.
struct RecordWork {
  std::shared_ptr<Event> event;
  std::uint64_t generation = 0;
};

struct AllocateWork {
  BlockRef block;
};
struct FreeWork {
  BlockRef block;
};

/// All nodes of a graph.
struct LaunchWork {
  std::shared_ptr<Executable> executable;  ///< Held until it ran, also when it was destroyed.
  std::shared_ptr<const Graph> body;       ///< As it was when the launch was asked for.
};

/// In a graph only: an event outside of it is recorded, or waited for before the graph starts.
struct EventWork {
  std::shared_ptr<Event> event;
};

struct Work {
  std::variant<std::monostate,
               KernelWork,
               CopyWork,
               FillWork,
               HostWork,
               CallbackWork,
               RecordWork,
               AllocateWork,
               FreeWork,
               LaunchWork,
               EventWork>
      what;
};
using WorkRef = std::shared_ptr<const Work>;

template <class T>
[[nodiscard]] WorkRef make_work(T&& what) {
  return std::make_shared<const Work>(Work{std::forward<T>(what)});
}

/// A launch of a kernel that has a host image.
[[nodiscard]] KernelWork make_kernel_work(std::shared_ptr<Kernel> kernel, void** arguments);

/// Runs it, on a worker's thread. The lock is held on entry and return and let go while the
/// program's code or memory is worked on. What breaks a rule is noted, sets the context's error and
/// isn't run.
void run_work(Machine& machine,
              std::unique_lock<std::mutex>& lock,
              Context& context,
              const Work& work);

}  // namespace oriel::emulator
