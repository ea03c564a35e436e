#include <oriel/kernel_bundle.hpp>

namespace oriel {

std::string_view to_string(ImageFormat format) noexcept {
  switch (format) {
    case ImageFormat::kHost:
      return "host";
    case ImageFormat::kPtx:
      return "PTX";
    case ImageFormat::kCubin:
      return "cubin";
    case ImageFormat::kFatbin:
      return "fatbin";
    case ImageFormat::kCodeObject:
      return "code object";
    case ImageFormat::kSpirv:
      return "SPIR-V";
  }
  return "unknown";
}

}  // namespace oriel
