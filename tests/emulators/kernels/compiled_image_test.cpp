// Images as nvcc makes them; nothing is to be tested where there is none.
#ifdef ORIEL_COMPILED_IMAGES

#include "emulators/kernels/kernel_library.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using oriel::emulator::choose_code;
using oriel::emulator::DeviceCode;
using oriel::emulator::read_cuda_image;
using Names = std::vector<std::string>;

std::vector<DeviceCode> read_compiled(const std::string& name) {
  std::ifstream file(std::filesystem::path(ORIEL_COMPILED_IMAGES) / name, std::ios::binary);
  REQUIRE(file);
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  return read_cuda_image(image.c_str());
}

// In the order of their names: a cubin has them in another than the source.
Names kernels_of(const DeviceCode& code) {
  Names names = code.kernels;
  std::sort(names.begin(), names.end());
  return names;
}

void check_code(const DeviceCode& code, bool portable, std::uint32_t architecture) {
  CHECK(code.portable == portable);
  CHECK(code.architecture == architecture);
  CHECK(kernels_of(code) == Names{"first", "second"});
}

}  // namespace

TEST_CASE("PTX that nvcc made is read") {
  const auto codes = read_compiled("80.ptx");
  REQUIRE(codes.size() == 1);
  check_code(codes[0], true, 80);
}

TEST_CASE("Cubins that nvcc made are read") {
  const std::uint32_t architecture = GENERATE(80U, 90U);
  const auto codes = read_compiled(std::to_string(architecture) + ".cubin");
  REQUIRE(codes.size() == 1);
  check_code(codes[0], false, architecture);
}

TEST_CASE("A fatbin that nvcc made is read") {
  const auto codes = read_compiled("both.fatbin");
  REQUIRE(codes.size() == 2);
  const DeviceCode* ptx = choose_code(codes, 89);
  const DeviceCode* cubin = choose_code(codes, 90);
  REQUIRE(ptx != nullptr);
  REQUIRE(cubin != nullptr);
  check_code(*ptx, true, 80);
  check_code(*cubin, false, 90);
}

TEST_CASE("A fatbin that nvcc compressed shows its architectures") {
  const auto codes = read_compiled("packed.fatbin");
  REQUIRE(codes.size() == 2);
  const DeviceCode* ptx = choose_code(codes, 89);
  REQUIRE(ptx != nullptr);
  CHECK(ptx->architecture == 80);
  CHECK(ptx->kernels.empty());
  CHECK(choose_code(codes, 90)->architecture == 90);
}

#endif
