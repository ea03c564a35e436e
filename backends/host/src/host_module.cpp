#include "host_module.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace oriel::host {
namespace {

Error no_image(const KernelBundle& bundle, const KernelSignature& kernel) {
  std::string text = "bundle \"" + bundle.name + "\" has no host image of kernel \"" + kernel.name +
                     "\"; compile it for the host too";
  for (std::size_t i = 0; i < bundle.images.size(); ++i) {
    text += i == 0 ? " (it has: " : ", ";
    text += to_string(bundle.images[i].format);
  }
  text += bundle.images.empty() ? "" : ")";
  return {ErrorCode::kUnsupported, std::move(text)};
}

// The function of the i-th kernel: its place in the table is the same, unless that was made by
// hand.
oriel_host_function* find_image(const KernelBundle& bundle, std::size_t index) noexcept {
  const std::string& name = bundle.kernels[index].name;
  if (index < bundle.host.size() && bundle.host[index].name == name) {
    return bundle.host[index].function;
  }
  const auto found =
      std::find_if(bundle.host.begin(), bundle.host.end(), [&](const oriel::HostKernel& image) {
        return image.name == name;
      });
  return found != bundle.host.end() ? found->function : nullptr;
}

}  // namespace

Result<std::unique_ptr<core::DriverModule>> HostModule::load(const KernelBundle& bundle) {
  auto module = std::make_unique<HostModule>();
  module->kernels_.reserve(bundle.kernels.size());
  for (std::size_t i = 0; i < bundle.kernels.size(); ++i) {
    oriel_host_function* function = find_image(bundle, i);
    if (function == nullptr) {
      return fail(no_image(bundle, bundle.kernels[i]));
    }
    module->kernels_.emplace_back(function, bundle.kernels[i]);
  }
  return module;
}

}  // namespace oriel::host
