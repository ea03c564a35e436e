// The pool outside windows: slices, counters, limits and the way out of a lack of memory.
#include "fake_provider.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <limits>
#include <vector>

namespace oriel::alloc {
namespace {

using core::Slice;
using test::drop;
using test::kKiB;
using test::kMiB;
using test::make_pool;
using test::Memory;

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

/// A pool that is checked when the test is over.
struct Fixture {
  explicit Fixture(MemoryKind kind = MemoryKind::kDevice) : memory(kind) {}
  ~Fixture() {
    CHECK(pool->validate() == "");
    pool.reset();
    CHECK(memory.bytes == 0);
    CHECK(memory.wrong_releases == 0);
  }
  Slice* take(std::size_t bytes, unsigned lane = 0) {
    auto slice = pool->allocate(bytes, lane);
    REQUIRE(slice);
    CHECK(pool->validate() == "");
    return *slice;
  }
  Error refuse(std::size_t bytes) {
    const core::PoolStats before = pool->stats();
    auto slice = pool->allocate(bytes, 0);
    REQUIRE_FALSE(slice);
    CHECK(pool->stats().in_use == before.in_use);
    CHECK(pool->stats().live_slices == before.live_slices);
    CHECK(pool->validate() == "");
    return slice.error();
  }

  Memory memory;
  std::unique_ptr<StreamPool> pool = make_pool(memory);
};

TEST_CASE("a slice says what was asked for and what it takes", "[stream_pool]") {
  Fixture it;
  Slice* slice = it.take(1);
  CHECK(slice->bytes == 1);
  CHECK(slice->reserved == 256);
  CHECK(slice->address % 256 == 0);
  CHECK(slice->address != 0);
  CHECK(slice->host == nullptr);
  CHECK(slice->references == 1);
  CHECK(slice->arming == 0);
  CHECK(slice->lanes == 0);
  drop(*it.pool, slice);
}

TEST_CASE("a hand-out resets what the last holder left, save for its home", "[stream_pool]") {
  Fixture it;
  Slice* slice = it.take(100);
  const std::uint32_t generation = slice->generation;
  slice->streams = 5;
  slice->stamp = 6;
  slice->written = 7;
  slice->device_touched = true;
  slice->claim = std::make_shared<const Error>(ErrorCode::kDriverError, "owed");
  const std::weak_ptr<const Error> claim = slice->claim;
  drop(*it.pool, slice);
  CHECK(claim.expired());
  Slice* again = it.take(100);
  REQUIRE(again == slice);
  CHECK(again->generation != generation);
  CHECK(again->streams == 0);
  CHECK(again->stamp == 0);
  CHECK(again->written == 0);
  CHECK_FALSE(again->device_touched);
  drop(*it.pool, again);
}

TEST_CASE("pinned slices are memory that the host can write", "[stream_pool]") {
  Fixture it(MemoryKind::kPinned);
  Slice* a = it.take(1000);
  Slice* b = it.take(1000);
  REQUIRE(a->host != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(a->host) % 64 == 0);
  CHECK(a->kind == MemoryKind::kPinned);
  std::memset(a->host, 1, a->reserved);
  std::memset(b->host, 2, b->reserved);
  CHECK(a->host[999] == std::byte{1});
  drop(*it.pool, a);
  drop(*it.pool, b);
}

TEST_CASE("size 0 gives an empty slice that counts as live and never reaches the provider",
          "[stream_pool]") {
  Fixture it;
  Slice* a = it.take(0);
  Slice* b = it.take(0);
  CHECK(a != b);
  CHECK(a->address == 0);
  CHECK(a->bytes == 0);
  CHECK(a->reserved == 0);
  CHECK(it.memory.calls == 0);
  CHECK(it.pool->stats().live_slices == 2);
  CHECK(it.pool->stats().in_use == 0);
  drop(*it.pool, a);
  drop(*it.pool, b);
  CHECK(it.pool->stats().live_slices == 0);
}

TEST_CASE("an entry that held memory is empty when it comes back for size 0", "[stream_pool]") {
  Fixture it;
  drop(*it.pool, it.take(512));
  Slice* empty = it.take(0);
  CHECK(empty->address == 0);
  CHECK(empty->reserved == 0);
  drop(*it.pool, empty);
}

TEST_CASE("sizes near the end of the numbers are out of memory, naming the size", "[stream_pool]") {
  Fixture it;
  for (const std::size_t bytes : {kMost, kMost - 1, kMost - 254}) {
    const Error error = it.refuse(bytes);
    CHECK(error.code == ErrorCode::kOutOfMemory);
    CHECK(error.message.find(std::to_string(bytes)) != std::string::npos);
  }
  const Error error = it.refuse(kMost - 255);
  CHECK(error.code == ErrorCode::kOutOfMemory);
  CHECK(error.message.find("15.9 EiB") != std::string::npos);
  CHECK(it.memory.calls == 0);
}

TEST_CASE("a request that no provider can meet changes nothing", "[stream_pool]") {
  Fixture it;
  it.memory.capacity = 64 * kMiB;
  CHECK(it.refuse(kMost / 2).code == ErrorCode::kOutOfMemory);
  CHECK(it.pool->stats().reserved == 0);
  drop(*it.pool, it.take(kMiB));
}

TEST_CASE("a hit limit is out of memory and named", "[stream_pool]") {
  Fixture it;
  it.pool->set_limit(2 * kMiB);
  Slice* slice = it.take(2 * kMiB);
  const Error error = it.refuse(256);
  CHECK(error.code == ErrorCode::kOutOfMemory);
  CHECK(error.message.find("a limit of 2.0 MiB") != std::string::npos);
  it.pool->set_limit(0);
  Slice* small = it.take(256);
  drop(*it.pool, small);
  drop(*it.pool, slice);
}

TEST_CASE("the counters are those of what is handed out, padded", "[stream_pool]") {
  Fixture it;
  Slice* a = it.take(1);
  Slice* b = it.take(300);
  core::PoolStats stats = it.pool->stats();
  CHECK(stats.in_use == 256 + 512);
  CHECK(stats.peak_in_use == 768);
  CHECK(stats.live_slices == 2);
  CHECK(stats.reserved == kMiB);
  CHECK(stats.provider_allocations == 1);
  drop(*it.pool, a);
  stats = it.pool->stats();
  CHECK(stats.in_use == 512);
  CHECK(stats.peak_in_use == 768);
  drop(*it.pool, b);
  CHECK(it.pool->trim() == kMiB);
  stats = it.pool->stats();
  CHECK(stats.reserved == 0);
  CHECK(stats.provider_releases == 1);
}

TEST_CASE("a freed slice's memory serves another size", "[stream_pool]") {
  Fixture it;
  Slice* a = it.take(256 * kKiB);
  Slice* b = it.take(256 * kKiB);
  Slice* rest = it.take(512 * kKiB);
  drop(*it.pool, a);
  drop(*it.pool, b);
  Slice* c = it.take(400 * kKiB);
  CHECK(it.memory.calls == 1);
  drop(*it.pool, c);
  drop(*it.pool, rest);
}

TEST_CASE("a steady mix of sizes stops calling the provider", "[stream_pool]") {
  Fixture it;
  for (int round = 0; round < 100; ++round) {
    std::vector<Slice*> slices;
    for (std::size_t i = 1; i <= 20; ++i) {
      slices.push_back(it.take(i * 10000));
    }
    for (Slice* slice : slices) {
      drop(*it.pool, slice);
    }
    if (round == 0) {
      it.memory.fail_from = it.memory.calls + 1;
    }
  }
}

TEST_CASE("idle capture memory flows back before the pool grows", "[stream_pool]") {
  Fixture it;
  it.pool->arm(0, 1);
  Slice* captured = it.take(kMiB);
  it.pool->open();
  it.pool->disarm();
  drop(*it.pool, captured);
  it.memory.fail_from = it.memory.calls + 1;
  Slice* a = it.take(512 * kKiB);
  Slice* b = it.take(512 * kKiB);
  drop(*it.pool, a);
  drop(*it.pool, b);
}

TEST_CASE("when memory is short, free pages go back and the call is tried again", "[stream_pool]") {
  Fixture it;
  it.memory.capacity = 4 * kMiB;
  Slice* a = it.take(2 * kMiB);
  Slice* b = it.take(2 * kMiB);
  drop(*it.pool, a);
  drop(*it.pool, b);
  Slice* c = it.take(3 * kMiB);
  CHECK(it.memory.releases == 2);
  drop(*it.pool, c);
}

TEST_CASE("a limit that is hit is tried again without the free pages", "[stream_pool]") {
  Fixture it;
  it.pool->set_limit(4 * kMiB);
  Slice* a = it.take(2 * kMiB);
  drop(*it.pool, a);
  Slice* b = it.take(4 * kMiB);
  CHECK(it.pool->stats().reserved == 4 * kMiB);
  drop(*it.pool, b);
}

TEST_CASE("a lost device is reported as it is, without a second try", "[stream_pool]") {
  Fixture it;
  Slice* a = it.take(2 * kMiB);
  drop(*it.pool, a);
  it.memory.fail_from = 2;
  it.memory.failure = ErrorCode::kDeviceLost;
  CHECK(it.refuse(3 * kMiB).code == ErrorCode::kDeviceLost);
  CHECK(it.memory.calls == 2);
  CHECK(it.memory.releases == 0);
}

TEST_CASE("a lane that can't be is an invalid argument", "[stream_pool]") {
  Fixture it;
  const auto slice = it.pool->allocate(1, 64);
  REQUIRE_FALSE(slice);
  CHECK(slice.error().code == ErrorCode::kInvalidArgument);
}

// Fails each provider call of a scenario in turn, until one run meets no failure.
TEST_CASE("whichever provider call fails, nothing is lost and the pool goes on", "[stream_pool]") {
  for (std::uint64_t k = 1;; ++k) {
    Memory memory;
    memory.fail_at = k;
    auto pool = make_pool(memory);
    std::vector<Slice*> slices;
    const auto step = [&](unsigned lane) {
      for (const std::size_t bytes : {kMiB, 3 * kMiB, 10 * kKiB, 700 * kKiB}) {
        if (auto slice = pool->allocate(bytes, lane)) {
          slices.push_back(*slice);
        }
        REQUIRE(pool->validate() == "");
      }
    };
    step(0);
    pool->arm(0, 1);
    step(0);
    step(1);
    pool->open();
    REQUIRE(pool->validate() == "");
    pool->disarm();
    for (Slice* slice : slices) {
      drop(*pool, slice);
    }
    pool->trim();
    REQUIRE(pool->validate() == "");
    CHECK(pool->stats().in_use == 0);
    CHECK(pool->stats().reserved == 0);
    CHECK(memory.bytes == 0);
    if (memory.calls < k) {
      CHECK(k > 4);
      return;
    }
  }
}

}  // namespace
}  // namespace oriel::alloc
