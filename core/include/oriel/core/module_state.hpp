#pragma once

#include <oriel/core/graph_driver.hpp>

#include <cstdint>
#include <memory>

namespace oriel::core {

class Runtime;

/// A module on the device, kept by handles, by graphs and by what is in flight. Destroyed under the
/// runtime's lock, when no window of the device records.
struct LoadedModule {
  KernelBundle bundle;
  std::unique_ptr<DriverModule> driver;
  std::uint64_t streams = 0;  ///< Device streams that launched from it.
  std::uint64_t stamp = 0;    ///< The last window that listed it.
};

/// What callers' handles share. Letting go of the last one hands the module to the drop queues.
struct ModuleState {
  std::shared_ptr<Runtime> runtime;
  std::shared_ptr<LoadedModule> loaded;

  ModuleState() = default;
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;
  ~ModuleState();
};

}  // namespace oriel::core
