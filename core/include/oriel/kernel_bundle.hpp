#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
/// One launch of a kernel's host image, as `oriel/kernel.h` lays it out.
struct oriel_host_launch;
/// A kernel's host image: runs the groups that `launch` names. `arguments[i]` points to the i-th
/// argument's value: for a buffer a 64-bit address, for a scalar its bytes.
typedef void oriel_host_function(const struct oriel_host_launch* launch, void* const* arguments);
}

namespace oriel {

enum class ParameterKind : std::uint8_t { kBuffer, kScalar };

/// Element of a buffer or type of a scalar; `kBytes` is a structure of the caller's.
enum class ElementType : std::uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
  kBytes,
};

/// One parameter of a kernel.
struct KernelParameter {
  std::string name;
  ParameterKind kind = ParameterKind::kScalar;
  ElementType type = ElementType::kBytes;
  bool writable = false;    ///< Buffers only: the kernel may write it.
  std::uint32_t bytes = 0;  ///< Size of the scalar, or of one element of the buffer.
};

/// What a kernel is called and takes.
struct KernelSignature {
  std::string name;
  std::vector<KernelParameter> parameters;
  bool uses_double = false;  ///< Needs Capabilities::double_precision.
  static constexpr std::size_t kMostParameters = 32;
};

enum class ImageFormat : std::uint8_t { kHost, kPtx, kCubin, kFatbin, kCodeObject, kSpirv };

/// The format's name as users see it, for example "PTX".
[[nodiscard]] std::string_view to_string(ImageFormat format) noexcept;

/// Code for one kind of device. The bytes belong to whoever made the bundle and outlive every
/// module loaded from it.
struct KernelImage {
  ImageFormat format = ImageFormat::kSpirv;
  std::string architecture;  ///< "sm_90", "gfx90a", or "" where the format is portable.
  std::span<const std::byte> bytes;
};

/// A kernel's host image, by the name in its signature.
struct HostKernel {
  std::string name;
  oriel_host_function* function = nullptr;
};

/// The kernels of one set of sources, compiled for every backend whose compiler was found: one
/// image a format and a signature a kernel. `oriel_add_kernels` makes it.
struct KernelBundle {
  std::string name;
  std::vector<KernelSignature> kernels;
  std::vector<HostKernel> host;     ///< The image of format kHost; in the order of `kernels`.
  std::vector<KernelImage> images;  ///< All other formats.
};

}  // namespace oriel
