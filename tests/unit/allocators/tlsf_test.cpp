// The TLSF's own rules, one by one. The model test next door tries them together.
#include "support/catch.hpp"

#include <oriel/alloc/tlsf.hpp>

#include <limits>
#include <vector>

namespace oriel::alloc {
namespace {

constexpr std::uint64_t kGrain = 256;
constexpr std::uint64_t kBase = std::uint64_t{1} << 32;

TEST_CASE("an empty TLSF has nothing to give", "[tlsf]") {
  Tlsf tlsf(kGrain);
  CHECK(tlsf.allocate(kGrain) == Tlsf::kNone);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("a block that fits exactly is taken without a cut", "[tlsf]") {
  Tlsf tlsf(kGrain);
  tlsf.add_range(kBase, 10 * kGrain, 3);
  const auto block = tlsf.allocate(10 * kGrain);
  REQUIRE(block != Tlsf::kNone);
  CHECK(tlsf.address(block) == kBase);
  CHECK(tlsf.size(block) == 10 * kGrain);
  CHECK(tlsf.tag(block) == 3);
  CHECK(tlsf.is_whole(block));
  CHECK(tlsf.free_blocks() == 0);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("a freed block merges with both neighbours at once", "[tlsf]") {
  Tlsf tlsf(kGrain);
  tlsf.add_range(kBase, 100 * kGrain, 0);
  const auto a = tlsf.allocate(10 * kGrain);
  const auto b = tlsf.allocate(20 * kGrain);
  const auto c = tlsf.allocate(30 * kGrain);
  tlsf.free(a);
  CHECK(tlsf.free_blocks() == 2);
  tlsf.free(c);
  CHECK(tlsf.free_blocks() == 2);
  const auto whole = tlsf.free(b);
  CHECK(tlsf.free_blocks() == 1);
  CHECK(tlsf.is_whole(whole));
  CHECK(tlsf.size(whole) == 100 * kGrain);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("two ranges never merge, even where they touch", "[tlsf]") {
  Tlsf tlsf(kGrain);
  tlsf.add_range(kBase, 4 * kGrain, 0);
  tlsf.add_range(kBase + 4 * kGrain, 4 * kGrain, 1);
  CHECK(tlsf.allocate(8 * kGrain) == Tlsf::kNone);
  const auto a = tlsf.allocate(4 * kGrain);
  const auto b = tlsf.allocate(4 * kGrain);
  tlsf.free(a);
  tlsf.free(b);
  CHECK(tlsf.free_blocks() == 2);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("a removed range is never given again, and its node serves the next", "[tlsf]") {
  Tlsf tlsf(kGrain);
  const auto range = tlsf.add_range(kBase, 4 * kGrain, 0);
  tlsf.remove_range(range);
  CHECK(tlsf.allocate(kGrain) == Tlsf::kNone);
  CHECK(tlsf.free_bytes() == 0);
  CHECK(tlsf.add_range(kBase, 4 * kGrain, 0) == range);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("a hole of the request's own class is found behind a smaller one", "[tlsf]") {
  // 64 and 65 grains are of one class: the first in the list is too small for 65.
  Tlsf tlsf(kGrain);
  tlsf.add_range(kBase, 65 * kGrain, 0);
  tlsf.add_range(kBase * 2, 64 * kGrain, 0);
  const auto block = tlsf.allocate(65 * kGrain);
  REQUIRE(block != Tlsf::kNone);
  CHECK(tlsf.address(block) == kBase);
}

TEST_CASE("sizes up to the end of the address space don't wrap", "[tlsf]") {
  const std::uint64_t grain = GENERATE(std::uint64_t{1}, std::uint64_t{256});
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / grain * grain;
  Tlsf tlsf(grain);
  tlsf.add_range(0, most, 0);
  const auto all = tlsf.allocate(most);
  REQUIRE(all != Tlsf::kNone);
  CHECK(tlsf.allocate(grain) == Tlsf::kNone);
  tlsf.free(all);
  const auto nearly = tlsf.allocate(most - grain);
  REQUIRE(nearly != Tlsf::kNone);
  CHECK(tlsf.allocate(most) == Tlsf::kNone);
  const auto rest = tlsf.allocate(grain);
  REQUIRE(rest != Tlsf::kNone);
  CHECK(tlsf.address(rest) == most - grain);
  CHECK(tlsf.validate().empty());
  tlsf.free(nearly);
  tlsf.free(rest);
  CHECK(tlsf.free_bytes() == most);
  CHECK(tlsf.validate().empty());
}

TEST_CASE("a range at the very top of the address space is handed out to its last byte", "[tlsf]") {
  Tlsf tlsf(kGrain);
  const std::uint64_t top = ~std::uint64_t{0} - 4 * kGrain + 1;
  tlsf.add_range(top, 4 * kGrain, 0);
  std::vector<Tlsf::Handle> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(tlsf.allocate(kGrain));
    REQUIRE(blocks.back() != Tlsf::kNone);
  }
  CHECK(tlsf.address(blocks.back()) + (kGrain - 1) == ~std::uint64_t{0});
  for (const auto block : blocks) {
    tlsf.free(block);
  }
  CHECK(tlsf.free_blocks() == 1);
  CHECK(tlsf.validate().empty());
}

}  // namespace
}  // namespace oriel::alloc
