#pragma once

#include "cuda_driver_library.hpp"

#include <oriel/error.hpp>

#include <cstdint>
#include <memory>

namespace oriel::bench {

/// One CUDA device by the bare driver API, with chain_link loaded: what Oriel is measured against.
///
/// Invariant: the device's primary context is retained, and is the current one of the thread that
/// opened it, so that calls of the driver need no more preparation.
class RawCuda {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const RawCuda>> open(std::uint32_t ordinal);
  explicit RawCuda(std::shared_ptr<const cuda::DriverLibrary> library)
      : library_(std::move(library)) {}
  RawCuda(const RawCuda&) = delete;
  RawCuda& operator=(const RawCuda&) = delete;
  ~RawCuda();

  [[nodiscard]] const cuda::DriverLibrary& driver() const noexcept { return *library_; }
  [[nodiscard]] CUfunction link() const noexcept { return link_; }
  /// The error of a call that did not succeed.
  [[nodiscard]] Result<void> check(CUresult code, const char* call) const;

 private:
  Result<void> enter(std::uint32_t ordinal);
  Result<void> load();

  std::shared_ptr<const cuda::DriverLibrary> library_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction link_ = nullptr;
};

}  // namespace oriel::bench
