#include "raw_cuda.hpp"

#include "chain.hpp"
#include "cuda_errors.hpp"

namespace oriel::bench {

Result<std::shared_ptr<const RawCuda>> RawCuda::open(std::uint32_t ordinal) {
  auto library = cuda::DriverLibrary::open();
  if (!library) {
    return fail(std::move(library.error()));
  }
  const auto raw = std::make_shared<RawCuda>(std::move(*library));
  ORIEL_TRY(raw->enter(ordinal));
  ORIEL_TRY(raw->load());
  return raw;
}

RawCuda::~RawCuda() {
  if (module_ != nullptr) {
    library_->module_unload(module_);
  }
  if (context_ != nullptr) {
    library_->ctx_set_current(nullptr);
    library_->primary_ctx_release(device_);
  }
}

Result<void> RawCuda::check(CUresult code, const char* call) const {
  if (code != CUDA_SUCCESS) {
    return fail(cuda::error_of(*library_, {code, call}));
  }
  return {};
}

Result<void> RawCuda::enter(std::uint32_t ordinal) {
  ORIEL_TRY(check(library_->device_get(&device_, static_cast<int>(ordinal)), "cuDeviceGet"));
  ORIEL_TRY(check(library_->primary_ctx_retain(&context_, device_), "cuDevicePrimaryCtxRetain"));
  return check(library_->ctx_set_current(context_), "cuCtxSetCurrent");
}

Result<void> RawCuda::load() {
  const KernelBundle& bundle = chain_bundle();
  for (const KernelImage& image : bundle.images) {
    if (image.format == ImageFormat::kFatbin) {
      ORIEL_TRY(
          check(library_->module_load_data(&module_, image.bytes.data()), "cuModuleLoadData"));
      return check(library_->module_get_function(&link_, module_, "chain_link"),
                   "cuModuleGetFunction");
    }
  }
  return fail(
      ErrorCode::kUnsupported,
      "the benchmark was built without nvcc and has no kernel for CUDA; build it where nvcc "
      "is found");
}

}  // namespace oriel::bench
