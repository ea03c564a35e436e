#include "text.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/module.hpp>

namespace oriel {

const KernelSignature& Kernel::signature() const noexcept {
  return module_->loaded->bundle.kernels[index_];
}

const KernelBundle& Module::bundle() const noexcept {
  return state_->loaded->bundle;
}

Result<Kernel> Module::kernel(std::string_view name) const {
  const auto& kernels = bundle().kernels;
  std::string known;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].name == name) {
      return Kernel(state_, i);
    }
    known += (i == 0 ? "" : ", ") + kernels[i].name;
  }
  return fail(ErrorCode::kInvalidArgument,
              "there is no kernel " + core::in_quotes(name) + " in module " +
                  core::in_quotes(bundle().name) + ", which has: " + known);
}

}  // namespace oriel
