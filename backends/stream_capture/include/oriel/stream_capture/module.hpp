#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/stream_capture/owned.hpp>

#include <string>
#include <utility>
#include <vector>

namespace oriel::stream_capture {

template <class Api>
class CaptureKernel final : public core::DriverKernel {
 public:
  CaptureKernel(typename Api::Function function, std::size_t scratch_bytes) noexcept
      : function_(function), scratch_bytes_(scratch_bytes) {}

  [[nodiscard]] typename Api::Function function() const noexcept { return function_; }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept override { return scratch_bytes_; }

 private:
  typename Api::Function function_;
  std::size_t scratch_bytes_;
};

/// A bundle's images on the device, every kernel of it loaded for good: no launch loads anything.
template <class Api>
class CaptureModule final : public core::DriverModule {
 public:
  /// Errors: `unsupported` where no image serves the device or a kernel is in none of them.
  [[nodiscard]] static Result<std::unique_ptr<core::DriverModule>> load(
      const std::shared_ptr<const Api>& api, const KernelBundle& bundle) {
    auto module = std::make_unique<CaptureModule>();
    ORIEL_TRY(module->load_images(api, bundle));
    module->kernels_.reserve(bundle.kernels.size());
    for (const KernelSignature& signature : bundle.kernels) {
      ORIEL_TRY(module->add_kernel(*api, bundle, signature));
    }
    return module;
  }

  [[nodiscard]] core::DriverKernel* kernel(std::size_t index) noexcept override {
    return &kernels_[index];
  }

 private:
  Result<void> load_images(const std::shared_ptr<const Api>& api, const KernelBundle& bundle) {
    std::string others;
    bool has_image = false;
    for (const KernelImage& image : bundle.images) {
      if (!Api::runs(image.format)) {
        others += (others.empty() ? "" : ", ") + std::string(to_string(image.format));
        continue;
      }
      has_image = true;
      typename Api::Module handle = nullptr;
      Outcome outcome = unrestricted(*api, [&] { return api->module_load(&handle, image); });
      if (api->is_other_architecture(outcome)) {
        other_architecture_ = outcome;
        continue;
      }
      if (outcome.ok() && handle == nullptr) {
        outcome.code = Outcome::kMadeNothing;
      }
      if (!outcome.ok()) {
        return fail(api->error(outcome));
      }
      modules_.emplace_back(api, handle);
    }
    if (!has_image) {
      return fail(ErrorCode::kUnsupported,
                  "bundle \"" + bundle.name + "\" has no image for the " + api->info().backend +
                      " backend; compile it where that vendor's compiler is found" +
                      (others.empty() ? "" : " (it has: " + others + ")"));
    }
    return {};
  }

  Result<void> add_kernel(const Api& api,
                          const KernelBundle& bundle,
                          const KernelSignature& signature) {
    typename Api::Function function = nullptr;
    std::size_t scratch_bytes = 0;
    Outcome outcome{Outcome::kNotFound, ""};
    for (const OwnedModule<Api>& module : modules_) {
      outcome = unrestricted(api, [&] {
        const Outcome found = api.module_function(&function, module.get(), signature.name.c_str());
        return found.ok() ? api.function_load(function, &scratch_bytes) : found;
      });
      if (outcome.code != Outcome::kNotFound) {
        break;
      }
    }
    if (outcome.code == Outcome::kNotFound) {
      return fail(lacks(api, bundle, signature));
    }
    if (outcome.ok() && function == nullptr) {
      outcome.code = Outcome::kMadeNothing;
    }
    ORIEL_TRY(judge(api, outcome));
    kernels_.emplace_back(function, scratch_bytes);
    return {};
  }

  [[nodiscard]] Error lacks(const Api& api,
                            const KernelBundle& bundle,
                            const KernelSignature& signature) const {
    const std::string what =
        "bundle \"" + bundle.name + "\" has no image of kernel \"" + signature.name + "\"";
    if (other_architecture_.ok()) {
      return {ErrorCode::kUnsupported, what + " that " + api.info().name + " can run"};
    }
    Error error = api.error(other_architecture_);
    error.message =
        what + " for the architecture of " + api.info().name + "; compile it for that too";
    return error;
  }

  std::vector<OwnedModule<Api>> modules_;
  std::vector<CaptureKernel<Api>> kernels_;
  Outcome other_architecture_;  ///< Of an image that was for another; else success.
};

}  // namespace oriel::stream_capture
