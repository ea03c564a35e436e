// What bundles carry for devices: compiled where there is a compiler, or a caller's own.
#include "cubin_kernels.hpp"
#include "emulators/kernels/kernel_library.hpp"
#include "fatbin_kernels.hpp"
#include "host_only_kernels.hpp"
#include "other_kernels.hpp"
#include "ptx_kernels.hpp"
#include "support/catch.hpp"
#include "test_kernels.hpp"

#include <oriel/kernel_bundle.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using oriel::ImageFormat;
using oriel::KernelBundle;
using oriel::KernelImage;
using oriel::emulator::DeviceCode;
using oriel::emulator::read_cuda_image;
using Names = std::vector<std::string>;

std::string text_of(const KernelImage& image) {
  return {reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size()};
}

std::string vendor_image() {
  std::ifstream file(ORIEL_VENDOR_IMAGE, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_own_image(const KernelBundle& bundle, ImageFormat format, const std::string& bytes) {
  REQUIRE(bundle.images.size() == 1);
  CHECK(bundle.images[0].format == format);
  CHECK(bundle.images[0].architecture.empty());
  CHECK(text_of(bundle.images[0]) == bytes);
  CHECK(bundle.host.size() == 1);
}

}  // namespace

TEST_CASE("A caller's own image is embedded byte for byte, and nothing is compiled beside it") {
  check_own_image(cubin_kernels::bundle(), ImageFormat::kCubin, vendor_image());
  check_own_image(fatbin_kernels::bundle(), ImageFormat::kFatbin, vendor_image());
}

TEST_CASE("A caller's own PTX is embedded with a zero at its end") {
  check_own_image(ptx_kernels::bundle(), ImageFormat::kPtx, vendor_image() + '\0');
  const auto codes = read_cuda_image(ptx_kernels::bundle().images[0].bytes.data());
  REQUIRE(codes.size() == 1);
  CHECK(codes[0].kernels == Names{"vendor"});
}

TEST_CASE("A bundle that is for the host only has no other image") {
  CHECK(host_only_kernels::bundle().images.empty());
  CHECK(host_only_kernels::bundle().host.size() == 1);
}

#ifndef ORIEL_EXPECT_FATBIN

TEST_CASE("Without nvcc a bundle has no CUDA image") {
  CHECK(test_kernels::bundle().images.empty());
  CHECK(other_kernels::bundle().images.empty());
}

#else

namespace {

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

// The image's code is a cubin for every architecture and PTX for the lowest, each with the kernels.
void check_image(const KernelImage& image, const Names& kernels) {
  CHECK(image.format == ImageFormat::kFatbin);
  CHECK(image.architecture.empty());
  std::vector<std::uint32_t> architectures = {ORIEL_EXPECT_ARCHITECTURES};
  std::sort(architectures.begin(), architectures.end());
  std::vector<std::uint32_t> cubins;
  std::vector<std::uint32_t> ptx;
  for (const DeviceCode& code : read_cuda_image(image.bytes.data())) {
    (code.portable ? ptx : cubins).push_back(code.architecture);
    CHECK(sorted(code.kernels) == sorted(kernels));
  }
  std::sort(cubins.begin(), cubins.end());
  CHECK(cubins == architectures);
  CHECK(ptx == std::vector<std::uint32_t>{architectures.front()});
}

}  // namespace

TEST_CASE("With nvcc a bundle has a CUDA image of each source, with its kernels") {
  const auto& images = test_kernels::bundle().images;
  REQUIRE(images.size() == 2);
  check_image(images[0], {"axpy", "nothing", "matrix", "integers", "invert_bytes"});
  check_image(images[1], {"ids", "sixteen", "square_roots"});
  REQUIRE(other_kernels::bundle().images.size() == 1);
  check_image(other_kernels::bundle().images[0], {"axpy", "nothing_else"});
}

#endif
