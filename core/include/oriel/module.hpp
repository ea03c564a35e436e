#pragma once

#include <oriel/error.hpp>
#include <oriel/kernel_bundle.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace oriel::core {
struct ModuleState;
}  // namespace oriel::core

namespace oriel {

/// One kernel of a loaded module; keeps the module.
class Kernel {
 public:
  Kernel(const Kernel&) noexcept = default;
  Kernel& operator=(const Kernel&) noexcept = default;
  ~Kernel() = default;
  [[nodiscard]] const KernelSignature& signature() const noexcept;

  [[nodiscard]] const std::shared_ptr<core::ModuleState>& module() const noexcept {
    return module_;
  }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  friend class Module;
  Kernel(std::shared_ptr<core::ModuleState> module, std::size_t index) noexcept
      : module_(std::move(module)), index_(index) {}

  std::shared_ptr<core::ModuleState> module_;
  std::size_t index_ = 0;
};

/// Kernels loaded onto a device. Dropping the last handle is legal at any time: launches and graphs
/// keep the code until they are done with it.
class Module {
 public:
  explicit Module(std::shared_ptr<core::ModuleState> state) noexcept : state_(std::move(state)) {}
  Module(const Module&) noexcept = default;
  Module& operator=(const Module&) noexcept = default;
  ~Module() = default;
  /// The kernel called `name`. Error: `invalid_argument`, naming the kernels there are.
  [[nodiscard]] Result<Kernel> kernel(std::string_view name) const;
  [[nodiscard]] const KernelBundle& bundle() const noexcept;

 private:
  std::shared_ptr<core::ModuleState> state_;
};

}  // namespace oriel
