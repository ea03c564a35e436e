#include "emulators/kernels/kernel_library.hpp"
#include "emulators/kernels/test_images.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <elf.h>

namespace {

using namespace oriel::emulator::test;
using oriel::emulator::choose_code;
using oriel::emulator::DeviceCode;
using oriel::emulator::read_cuda_image;
using Names = std::vector<std::string>;

// A cubin with one field of its header changed.
template <class Change>
Bytes changed_cubin(Change change) {
  Bytes bytes = make_cubin(80, {"k"}, 8);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  change(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

DeviceCode cubin_code(std::uint32_t architecture) {
  return {false, architecture, {}};
}

DeviceCode ptx_code(std::uint32_t architecture) {
  return {true, architecture, {}};
}

// What is chosen, as "cubin 80", "ptx 80" or "none".
std::string chosen(const std::vector<DeviceCode>& codes, std::uint32_t architecture) {
  const DeviceCode* code = choose_code(codes, architecture);
  if (code == nullptr) {
    return "none";
  }
  return (code->portable ? "ptx " : "cubin ") + std::to_string(code->architecture);
}

}  // namespace

TEST_CASE("A cubin has its architecture where its version of the ABI keeps it") {
  const auto abi = static_cast<unsigned char>(GENERATE(7, 8));
  const std::uint32_t architecture = GENERATE(75U, 80U, 90U, 121U);
  const Bytes image = make_cubin(architecture, {"first", "second"}, abi);
  const auto codes = read_cuda_image(image.data());
  REQUIRE(codes.size() == 1);
  CHECK_FALSE(codes[0].portable);
  CHECK(codes[0].architecture == architecture);
  CHECK(codes[0].kernels == Names{"first", "second"});
}

TEST_CASE("A cubin with a header that can't be true is refused") {
  using Header = Elf64_Ehdr;
  CHECK(read_cuda_image(changed_cubin([](Header&) {}).data()).size() == 1);
  for (const Bytes& image : {
           changed_cubin([](Header& h) { h.e_machine = EM_X86_64; }),
           changed_cubin([](Header& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }),
           changed_cubin([](Header& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }),
           changed_cubin([](Header& h) { h.e_shentsize = 1; }),
           changed_cubin([](Header& h) { h.e_shoff = ~std::uint64_t{0} - 8; }),
       }) {
    CHECK(read_cuda_image(image.data()).empty());
  }
}

TEST_CASE("A cubin without sections has no kernels") {
  const Bytes image = changed_cubin([](Elf64_Ehdr& header) { header.e_shnum = 0; });
  const auto codes = read_cuda_image(image.data());
  REQUIRE(codes.size() == 1);
  CHECK(codes[0].kernels.empty());
}

TEST_CASE("A device gets its own cubin, else the newest PTX it can run") {
  const std::vector<DeviceCode> both = {
      ptx_code(80), cubin_code(80), cubin_code(86), ptx_code(90), cubin_code(90)};
  CHECK(chosen(both, 75) == "none");
  CHECK(chosen(both, 80) == "cubin 80");
  CHECK(chosen(both, 86) == "cubin 86");
  CHECK(chosen(both, 89) == "cubin 86");
  CHECK(chosen(both, 90) == "cubin 90");
  CHECK(chosen(both, 100) == "ptx 90");
  CHECK(chosen(both, 120) == "ptx 90");

  CHECK(chosen({}, 90) == "none");
  CHECK(chosen({cubin_code(80)}, 90) == "none");
  CHECK(chosen({cubin_code(86)}, 80) == "none");
  CHECK(chosen({ptx_code(90)}, 89) == "none");
  CHECK(chosen({cubin_code(120)}, 121) == "cubin 120");
  CHECK(chosen({ptx_code(86), cubin_code(90), ptx_code(75)}, 87) == "ptx 86");
}
