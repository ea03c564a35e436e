// Pages and how they are carved, without slices.
#include "fake_provider.hpp"
#include "support/catch.hpp"

#include <oriel/alloc/general_pool.hpp>

#include <limits>

namespace oriel::alloc {
namespace {

using test::FakeProvider;
using test::kKiB;
using test::kMiB;
using test::Memory;

struct Fixture {
  Memory memory;
  FakeProvider provider{memory};
  GeneralPool pool{provider, kMiB};

  Piece take(std::size_t bytes) {
    auto piece = pool.take(bytes);
    if (!piece) {
      REQUIRE(pool.grow(bytes));
      piece = pool.take(bytes);
    }
    REQUIRE(piece);
    CHECK(pool.validate() == "");
    return *piece;
  }
};

TEST_CASE("small requests share a page", "[general_pool]") {
  Fixture it;
  it.take(4 * kKiB);
  it.take(512 * kKiB);
  CHECK(it.memory.calls == 1);
  CHECK(it.pool.held() == kMiB);
  CHECK(it.pool.used() == 516 * kKiB);
}

TEST_CASE("a request of more than half a page gets a page of exactly its rounded size",
          "[general_pool]") {
  Fixture it;
  it.take(512 * kKiB + 256);
  CHECK(it.pool.held() == 516 * kKiB);
  it.take(5 * kMiB);
  CHECK(it.pool.held() == 516 * kKiB + 5 * kMiB);
}

TEST_CASE("what is freed is merged, so that another size may use it", "[general_pool]") {
  Fixture it;
  const Piece a = it.take(256 * kKiB);
  const Piece b = it.take(256 * kKiB);
  const Piece c = it.take(512 * kKiB);
  it.pool.give(a.block);
  it.pool.give(b.block);
  const Piece d = it.take(512 * kKiB);
  CHECK(d.address == a.address);
  it.pool.give(c.block);
  it.pool.give(d.block);
  CHECK(it.memory.calls == 1);
  CHECK(it.pool.validate() == "");
}

TEST_CASE("only wholly free pages go back to the provider", "[general_pool]") {
  Fixture it;
  const Piece small = it.take(256);
  const Piece large = it.take(2 * kMiB);
  CHECK(it.pool.release_free_pages() == 0);
  it.pool.give(large.block);
  CHECK(it.pool.release_free_pages() == 2 * kMiB);
  CHECK(it.pool.held() == kMiB);
  it.pool.give(small.block);
  CHECK(it.pool.release_free_pages() == kMiB);
  CHECK(it.memory.bytes == 0);
  CHECK(it.memory.wrong_releases == 0);
  CHECK(it.pool.validate() == "");
}

TEST_CASE("a page that the limit or the device has no room for is replaced by a smaller one",
          "[general_pool]") {
  Fixture it;
  SECTION("limit") {
    it.pool.set_limit(64 * kKiB);
  }
  SECTION("device") {
    it.memory.capacity = 64 * kKiB;
  }
  it.take(5 * kKiB);
  CHECK(it.pool.held() == 8 * kKiB);
}

TEST_CASE("a limit that is hit is named, and the provider is not asked", "[general_pool]") {
  Fixture it;
  it.pool.set_limit(64 * kKiB);
  const auto grown = it.pool.grow(65 * kKiB);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(grown.error().message.find("a limit of 64.0 KiB") != std::string::npos);
  CHECK(it.memory.calls == 0);
}

TEST_CASE("a limit of 0 is none, and one below what is held takes nothing away", "[general_pool]") {
  Fixture it;
  it.take(2 * kMiB);
  it.pool.set_limit(1);
  CHECK(it.pool.held() == 2 * kMiB);
  CHECK_FALSE(it.pool.grow(256));
  it.pool.set_limit(0);
  CHECK(it.pool.grow(256));
}

TEST_CASE("the provider's refusal keeps its native code and says what the pool holds",
          "[general_pool]") {
  Fixture it;
  it.take(2 * kMiB);
  it.memory.fail_from = 2;
  const auto grown = it.pool.grow(2 * kMiB);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(grown.error().native.value == 2);
  CHECK(grown.error().message.find("the pool holds 2.0 MiB") != std::string::npos);
  CHECK(it.pool.validate() == "");
}

TEST_CASE("a block that is too short is given back and never used", "[general_pool]") {
  Fixture it;
  it.memory.short_by = 1;
  const auto grown = it.pool.grow(256);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kDriverError);
  CHECK(it.memory.bytes == 0);
  CHECK(it.pool.held() == 0);
}

TEST_CASE("a size that can't be rounded to a page is refused", "[general_pool]") {
  Fixture it;
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  const auto grown = it.pool.grow(most - 255);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(it.memory.calls == 0);
}

TEST_CASE("more than can be counted is refused without a word of limits that there are not",
          "[general_pool]") {
  Fixture it;
  it.take(2 * kMiB);
  const auto grown = it.pool.grow(std::numeric_limits<std::size_t>::max() - kMiB);
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(grown.error().message.find("already holds 2.0 MiB") != std::string::npos);
  CHECK(grown.error().message.find("limit") == std::string::npos);
  CHECK(it.memory.calls == 1);
}

TEST_CASE("a page larger than can be counted leaves requests with pages of their own",
          "[general_pool]") {
  Memory memory;
  FakeProvider provider(memory);
  GeneralPool pool(provider, std::numeric_limits<std::size_t>::max());
  REQUIRE(pool.grow(256));
  CHECK(pool.held() == memory.granularity);
}

TEST_CASE("a provider whose blocks are no multiple of the alignment loses the tail only",
          "[general_pool]") {
  Memory memory;
  memory.granularity = 1000;
  FakeProvider provider(memory);
  GeneralPool pool(provider, 2000);
  memory.next_address = 1 << 20;
  REQUIRE(pool.grow(1024));
  const auto piece = pool.take(1024);
  REQUIRE(piece);
  CHECK(pool.validate() == "");
}

}  // namespace
}  // namespace oriel::alloc
