#pragma once

#include "argument_layout.hpp"

#include <oriel/core/graph_driver.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace oriel::host {

/// A kernel's host image and how it is called. Needs nothing of the bundle.
class LoadedKernel final : public core::DriverKernel {
 public:
  LoadedKernel(oriel_host_function* image, const KernelSignature& signature)
      : function_(image), layout_(signature) {}

  [[nodiscard]] std::size_t scratch_bytes() const noexcept override { return 0; }

  [[nodiscard]] oriel_host_function* function() const noexcept { return function_; }
  [[nodiscard]] const ArgumentLayout& layout() const noexcept { return layout_; }

 private:
  oriel_host_function* function_;
  ArgumentLayout layout_;
};

/// The kernels of one bundle, in its order. The code is the program's own, so nothing is loaded.
class HostModule final : public core::DriverModule {
 public:
  /// `unsupported` if the bundle has no host image of some kernel, naming what it has.
  [[nodiscard]] static Result<std::unique_ptr<core::DriverModule>> load(const KernelBundle& bundle);

  [[nodiscard]] core::DriverKernel* kernel(std::size_t index) noexcept override {
    return &kernels_[index];
  }

 private:
  std::vector<LoadedKernel> kernels_;
};

}  // namespace oriel::host
