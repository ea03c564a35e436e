// Sizes at the edges: what a pool rounds, and what its messages show.
#include "support/catch.hpp"

#include <oriel/alloc/padding.hpp>

#include <limits>

namespace oriel::alloc {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

TEST_CASE("a size is padded to the next multiple, and a multiple stays as it is", "[padding]") {
  CHECK(round_up(0, 256) == 0U);
  CHECK(round_up(1, 256) == 256U);
  CHECK(round_up(256, 256) == 256U);
  CHECK(round_up(257, 256) == 512U);
  CHECK(round_up(7, 3) == 9U);
}

TEST_CASE("a size whose padding has no 64-bit number is refused rather than wrapped", "[padding]") {
  CHECK(round_up(kMost - 255, 256) == kMost - 255);
  CHECK_FALSE(round_up(kMost - 254, 256).has_value());
  CHECK_FALSE(round_up(kMost, 64).has_value());
  CHECK(round_up(kMost, 1) == kMost);
}

TEST_CASE("a readable size keeps one digit and never rounds up to the next unit", "[padding]") {
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1024) == "1.0 KiB");
  CHECK(readable_bytes(1280 * 1024) == "1.2 MiB");
  CHECK(readable_bytes((std::size_t{1} << 30) - 1) == "1023.9 MiB");
  CHECK(readable_bytes(kMost) == "15.9 EiB");
}

}  // namespace
}  // namespace oriel::alloc
