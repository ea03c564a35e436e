#include "emulators/kernels/kernel_library.hpp"
#include "emulators/kernels/test_images.hpp"
#include "support/catch.hpp"

#include <random>
#include <string>
#include <vector>

namespace {

using namespace oriel::emulator::test;
using oriel::emulator::read_cuda_image;
using Names = std::vector<std::string>;

const std::string kPtx = ".version 9.0\n.target sm_80\n.entry ptx_kernel() {}\n";

Bytes sample() {
  return make_fatbin({{2, 80, make_cubin(80, {"a", "b"}, 8), false},
                      {1, 80, bytes_of(kPtx), false},
                      {2, 90, make_cubin(90, {"c"}, 7), false}});
}

// The structure that programs made by nvcc pass.
struct Wrapper {
  std::uint32_t magic = 0x466243B1;
  std::uint32_t version = 1;
  const void* fatbin = nullptr;
  void* unused = nullptr;
};

}  // namespace

TEST_CASE("A fatbin has the code of all its entries, in order") {
  const auto codes = read_cuda_image(sample().data());
  REQUIRE(codes.size() == 3);
  CHECK_FALSE(codes[0].portable);
  CHECK(codes[0].architecture == 80);
  CHECK(codes[0].kernels == Names{"a", "b"});
  CHECK(codes[1].portable);
  CHECK(codes[1].architecture == 80);
  CHECK(codes[1].kernels == Names{"ptx_kernel"});
  CHECK(codes[2].architecture == 90);
  CHECK(codes[2].kernels == Names{"c"});
}

TEST_CASE("A fatbin is found through the structure around it") {
  const Bytes fatbin = sample();
  Wrapper wrapper;
  CHECK(read_cuda_image(&wrapper).empty());
  wrapper.fatbin = fatbin.data();
  CHECK(read_cuda_image(&wrapper).size() == 3);
  wrapper.fatbin = kPtx.c_str();
  CHECK(read_cuda_image(&wrapper).empty());
}

TEST_CASE("A compressed entry is code for its architecture whose kernels aren't known") {
  const Bytes image = make_fatbin({{1, 80, bytes_of("packed"), true}, {2, 90, Bytes(9), true}});
  const auto codes = read_cuda_image(image.data());
  REQUIRE(codes.size() == 2);
  CHECK(codes[0].portable);
  CHECK(codes[0].architecture == 80);
  CHECK(codes[0].kernels.empty());
  CHECK_FALSE(codes[1].portable);
  CHECK(codes[1].architecture == 90);
}

TEST_CASE("Entries of other kinds are passed over, and a fatbin may be empty") {
  const Bytes image = make_fatbin({{8, 80, Bytes(24), false}, {1, 80, bytes_of(kPtx), false}});
  CHECK(read_cuda_image(image.data()).size() == 1);
  CHECK(read_cuda_image(make_fatbin({}).data()).empty());
}

TEST_CASE("A fatbin with a broken entry is refused as a whole") {
  const Bytes cubin = make_cubin(80, {"a"}, 8);
  const Bytes half(cubin.begin(), cubin.begin() + static_cast<std::ptrdiff_t>(cubin.size() / 2));
  for (const Bytes& content : {half, Bytes(3), Bytes(), bytes_of(kPtx)}) {
    const Bytes image = make_fatbin({{1, 80, bytes_of(kPtx), false}, {2, 80, content, false}});
    CHECK(read_cuda_image(image.data()).empty());
  }
}

TEST_CASE("A fatbin whose header promises more or less than its entries is refused") {
  const auto [at, value] = GENERATE(std::pair(4, 2),   // version
                                    std::pair(6, 8),   // header's size
                                    std::pair(8, 40),  // size of all entries
                                    std::pair(15, 1),
                                    std::pair(16 + 4, 1),    // an entry's header's size
                                    std::pair(16 + 15, 1));  // an entry's size
  CAPTURE(at);
  Bytes image = sample();
  image[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
  CHECK(read_cuda_image(image.data()).empty());
}

TEST_CASE("Bytes of a fatbin changed at random are read within its bounds") {
  std::mt19937 random(3);
  const Bytes original = sample();
  for (int round = 0; round < 5000; ++round) {
    Bytes image = original;
    for (int i = 0; i < 3; ++i) {
      image[16 + random() % (image.size() - 16)] = static_cast<std::byte>(random() % 256);
    }
    CHECK(read_cuda_image(image.data()).size() <= 3);
  }
}
