#include "emulators/kernels/kernel_library.hpp"
#include "support/catch.hpp"

#include <random>
#include <string>
#include <vector>

namespace {

using oriel::emulator::read_cuda_image;
using Names = std::vector<std::string>;

const std::string kStart = ".version 7.0\n.target sm_80\n.address_size 64\n";

}  // namespace

TEST_CASE("PTX has the entries and the target that it names") {
  const std::string text = R"(
// A comment with .entry not_this
/* Another, with
   .version 1.0 and .entry nor_this */
.version 8.3 .target sm_90a, debug
.address_size 64
.visible .entry first(.param .u64 first_param_0)
{ ret; }
.func (.param .b32 r) helper() { ret; }
.weak .entry _Z6second$f() { ret; }
.entry
  third () { ret; }
.section .debug_str { .b8 "with .entry in quotes" }
)";
  const auto codes = read_cuda_image(text.c_str());
  REQUIRE(codes.size() == 1);
  CHECK(codes[0].portable);
  CHECK(codes[0].architecture == 90);
  CHECK(codes[0].kernels == Names{"first", "_Z6second$f", "third"});
}

TEST_CASE("PTX without entries is PTX still") {
  const auto codes = read_cuda_image(kStart.c_str());
  REQUIRE(codes.size() == 1);
  CHECK(codes[0].architecture == 80);
  CHECK(codes[0].kernels.empty());
}

TEST_CASE("PTX cut off anywhere is read to its end or refused, and never past it") {
  const std::string text = kStart + "/* note */ .entry one() { } // end\n.entry two() { \"text\" }";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::vector<char> part(text.c_str(), text.c_str() + size);
    std::vector<char> image(part);
    image.push_back('\0');
    for (const auto& code : read_cuda_image(image.data())) {
      CHECK(code.kernels.size() <= 2);
    }
  }
}

TEST_CASE("What is no image has no code") {
  const std::string text = GENERATE("",
                                    " \n",
                                    "P",
                                    "\x50\xED\x55",
                                    "\xB1\x43",
                                    "\x7F",
                                    "\x7F"
                                    "ELF",
                                    "\x7F"
                                    "ELF\x01\x01\x01 32 bits",
                                    "no PTX at all",
                                    ".target sm_80",
                                    ".target sm_80 .version 7.0 .entry k",
                                    ".version 7.0 .entry k() {}",
                                    ".version 7.0 .target compute_80",
                                    ".version 7.0 .target sm_ .entry k() {}",
                                    ".version 7.0 .target sm_80 .entry",
                                    "/* .version 7.0 .target sm_80",
                                    "\"");
  CAPTURE(text);
  const std::vector<char> image(text.c_str(), text.c_str() + text.size() + 1);  // no byte more
  CHECK(read_cuda_image(image.data()).empty());
  CHECK(read_cuda_image(nullptr).empty());
}

TEST_CASE("Random bytes that a zero ends have no code") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned char> image(random() % 64 + 1);
    for (unsigned char& byte : image) {
      byte = static_cast<unsigned char>(random() % 255 + 1);
    }
    image.back() = 0;
    CHECK(read_cuda_image(image.data()).empty());
  }
}

TEST_CASE("Random words of PTX are read to their end") {
  const std::vector<std::string> words = {
      ".entry", ".target", "sm_80", ".version", "k", "(", "\"", "//", "/*", "*/", "\n", "{", "}"};
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text = kStart;
    for (int i = 0; i < 12; ++i) {
      text += words[random() % words.size()] + " ";
    }
    const std::vector<char> image(text.c_str(), text.c_str() + text.size() + 1);
    CHECK(read_cuda_image(image.data()).size() <= 1);
  }
}
