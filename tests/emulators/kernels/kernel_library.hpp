#pragma once

#include <oriel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::emulator {

/// Code for one kind of device within a module's image.
struct DeviceCode {
  bool portable = false;             ///< PTX, which any newer device can run.
  std::uint32_t architecture = 0;    ///< 80 of "sm_80".
  std::vector<std::string> kernels;  ///< Entry points, in the order they stand there.
};

/// Reads a vendor's module image and says what is in it: PTX text, a cubin, or a fatbin of both.
/// Sizes are found in the image, as the vendor's loader does. Empty for what is none of these, or
/// is broken.
[[nodiscard]] std::vector<DeviceCode> read_cuda_image(const void* image);

/// The code a device of `architecture` (90 for compute capability 9.0) would be given: its own
/// cubin (the same major version, no newer minor), else the newest PTX that is not newer than it.
/// Null if there is none.
[[nodiscard]] const DeviceCode* choose_code(const std::vector<DeviceCode>& codes,
                                            std::uint32_t architecture);

/// Host images of kernels, one shared object a bundle, in the folder "kernels" beside the emulated
/// driver. Each stands in for a module that has exactly the same kernels.
class KernelLibraries {
 public:
  /// The libraries beside the shared object that `anchor`, an address in it, belongs to.
  static KernelLibraries& beside(const void* anchor);

  /// The host images of the bundle whose kernels have exactly these names, in any order; null if no
  /// bundle does. Lives as long as the process.
  [[nodiscard]] const std::vector<const oriel_host_kernel*>* find(
      const std::vector<std::string>& kernels) const;

 private:
  std::vector<std::vector<const oriel_host_kernel*>> bundles_;
};

}  // namespace oriel::emulator

/// What each kernel library exports: its kernels, ended by a null pointer.
extern "C" const oriel_host_kernel* const* oriel_emulated_kernels();
