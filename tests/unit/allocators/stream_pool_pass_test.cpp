// The pool in a pass: who may reuse what, and what an open window is served from.
#include "fake_provider.hpp"
#include "support/catch.hpp"

#include <vector>

namespace oriel::alloc {
namespace {

using core::Slice;
using test::drop;
using test::kKiB;
using test::kMiB;
using test::make_pool;
using test::Memory;

constexpr unsigned kOrigin = 2;
constexpr unsigned kFork = 5;
constexpr unsigned kOther = 9;
constexpr std::uint64_t kArming = 77;

constexpr std::uint64_t bit(unsigned lane) {
  return std::uint64_t{1} << lane;
}

/// A pool in its first warm-up pass.
struct Armed {
  explicit Armed(MemoryKind kind = MemoryKind::kDevice) : memory(kind) {
    pool->arm(kOrigin, kArming);
  }
  ~Armed() { CHECK(pool->validate() == ""); }

  Slice* take(std::size_t bytes, unsigned lane = kOrigin) {
    auto slice = pool->allocate(bytes, lane);
    REQUIRE(slice);
    CHECK(pool->validate() == "");
    return *slice;
  }
  void free(Slice* slice) {
    drop(*pool, slice);
    CHECK(pool->validate() == "");
  }
  Error refuse(std::size_t bytes, unsigned lane = kOrigin) {
    const core::PoolStats before = pool->stats();
    auto slice = pool->allocate(bytes, lane);
    REQUIRE_FALSE(slice);
    CHECK(pool->stats().armed == before.armed);
    CHECK(pool->stats().live_slices == before.live_slices);
    CHECK(pool->validate() == "");
    return slice.error();
  }

  Memory memory;
  std::unique_ptr<StreamPool> pool = make_pool(memory);
};

TEST_CASE("a slice of a pass carries its lane and arming", "[pass]") {
  Armed it;
  const Slice* slice = it.take(100, kFork);
  CHECK(slice->lanes == bit(kFork));
  CHECK(slice->arming == kArming);
}

TEST_CASE("what the only lane that used it frees, that lane reuses at once", "[pass]") {
  const unsigned lane = GENERATE(kOrigin, kFork);
  Armed it;
  Slice* slice = it.take(1000, lane);
  it.free(slice);
  CHECK(it.take(1000, lane) == slice);
}

TEST_CASE("what a fork freed is no other lane's before the join, and the origin's after",
          "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kFork);
  it.free(slice);
  CHECK(it.take(1000, kOrigin) != slice);
  CHECK(it.take(1000, kOther) != slice);
  it.pool->join(kFork);
  CHECK(it.pool->validate() == "");
  CHECK(it.take(1000, kOther) != slice);
  CHECK(it.take(1000, kFork) != slice);
  CHECK(it.take(1000, kOrigin) == slice);
}

TEST_CASE("what the origin freed is no fork's in this pass", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kOrigin);
  it.free(slice);
  CHECK(it.take(1000, kFork) != slice);
  it.pool->join(kOrigin);
  CHECK(it.take(1000, kFork) != slice);
}

TEST_CASE("what several lanes used waits until all but the origin are joined", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kOrigin);
  slice->lanes |= bit(kFork) | bit(kOther);
  it.free(slice);
  const bool other_first = GENERATE(false, true);
  CHECK(it.take(1000) != slice);
  it.pool->join(other_first ? kOther : kFork);
  CHECK(it.pool->validate() == "");
  CHECK(it.take(1000) != slice);
  it.pool->join(other_first ? kFork : kOther);
  CHECK(it.pool->validate() == "");
  CHECK(it.take(1000) == slice);
}

TEST_CASE("two forks' slice doesn't become the second one's when the first is joined", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kFork);
  slice->lanes |= bit(kOther);
  it.free(slice);
  it.pool->join(kFork);
  CHECK(it.take(1000, kOther) != slice);
  CHECK(it.take(1000, kOrigin) != slice);
  it.pool->join(kOther);
  CHECK(it.take(1000, kOrigin) == slice);
}

TEST_CASE("a join before the free doesn't count for what is freed after it", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kOrigin);
  slice->lanes |= bit(kFork);
  it.pool->join(kFork);
  it.free(slice);
  CHECK(it.take(1000) != slice);
  it.pool->join(kFork);
  CHECK(it.take(1000) == slice);
}

TEST_CASE("a lane takes its own before a clean one", "[pass]") {
  Armed it;
  Slice* clean = it.take(1000);
  it.free(clean);
  it.pool->restart_pass();
  Slice* own = it.take(1000, kFork);
  CHECK(own == clean);
  Slice* second = it.take(1000, kOther);
  it.free(second);
  it.pool->restart_pass();
  it.free(it.take(1000, kFork));
  Slice* first = it.take(1000, kFork);
  it.free(first);
  CHECK(it.take(1000, kFork) == first);
}

TEST_CASE("what a new pass finds free is every lane's", "[pass]") {
  Armed it;
  Slice* a = it.take(1000, kFork);
  Slice* b = it.take(1000, kOrigin);
  b->lanes |= bit(kOther);
  it.free(a);
  it.free(b);
  SECTION("another warm-up pass") {
    it.pool->restart_pass();
  }
  SECTION("the recording") {
    it.pool->open();
  }
  SECTION("another window") {
    it.pool->disarm();
    it.pool->arm(kOther, kArming + 1);
  }
  CHECK(it.pool->validate() == "");
  CHECK(a->lanes == 0);
  CHECK(b->lanes == 0);
  const std::size_t calls = it.memory.calls;
  it.take(1000, kOther);
  it.take(1000, kOrigin);
  CHECK(it.memory.calls == calls);
}

TEST_CASE("a new pass resets who used the slices that are still taken", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000, kFork);
  slice->device_touched = true;
  SECTION("another warm-up pass") {
    it.pool->restart_pass();
  }
  SECTION("the recording") {
    it.pool->open();
  }
  SECTION("no pass") {
    it.pool->disarm();
  }
  CHECK(slice->lanes == 0);
  CHECK_FALSE(slice->device_touched);
}

TEST_CASE("pinned memory that a command named is not reused in its pass", "[pass]") {
  Armed it(MemoryKind::kPinned);
  Slice* named = it.take(1000);
  Slice* unnamed = it.take(1000);
  named->device_touched = true;
  it.free(named);
  it.free(unnamed);
  CHECK(it.pool->stats().armed == unnamed->reserved);
  CHECK(it.take(1000) == unnamed);
  CHECK(it.take(1000) != named);
  it.pool->restart_pass();
  CHECK(it.pool->stats().armed == named->reserved);
  CHECK(it.take(1000) == named);
}

TEST_CASE("device memory that a command named is reused by the rule of lanes", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000);
  slice->device_touched = true;
  it.free(slice);
  CHECK(it.take(1000) == slice);
}

TEST_CASE("a warm-up leaves its peak, not its sum", "[pass]") {
  Armed it;
  for (int i = 0; i < 3; ++i) {
    it.free(it.take(kMiB));
  }
  it.pool->open();
  CHECK(it.pool->stats().armed == kMiB);
  CHECK(it.pool->stats().reserved == kMiB);
}

TEST_CASE("sizes that pad alike are one size", "[pass]") {
  Armed it;
  Slice* slice = it.take(1);
  it.free(slice);
  CHECK(it.take(256) == slice);
  it.free(slice);
  CHECK(it.take(257) != slice);
}

TEST_CASE("an open window is served what was armed and no more", "[pass]") {
  Armed it;
  Slice* a = it.take(2 * kMiB);
  Slice* b = it.take(100 * kKiB);
  it.free(a);
  it.free(b);
  it.pool->open();
  const std::uint64_t calls = it.memory.calls;
  CHECK(it.take(2 * kMiB) == a);
  const Error error = it.refuse(2 * kMiB);
  CHECK(error.code == ErrorCode::kWouldAllocate);
  CHECK(error.message.find(
            "asked for 2.0 MiB inside the capture window, which has 100.0 KiB armed") == 0);
  CHECK(error.message.find("warm-up") != std::string::npos);
  CHECK(it.refuse(64).code == ErrorCode::kWouldAllocate);
  CHECK(it.take(100 * kKiB) == b);
  CHECK(it.memory.calls == calls);
}

TEST_CASE("an open window may always have one more empty slice", "[pass]") {
  Armed it;
  it.pool->open();
  Slice* empty = it.take(0);
  CHECK(empty->arming == kArming);
  it.free(empty);
  it.pool->retain(*empty);
  CHECK(it.pool->stats().live_slices == 1);
  CHECK(it.memory.calls == 0);
}

TEST_CASE("what the last pass still holds has a spare when the window opens", "[pass]") {
  Armed it;
  Slice* held = it.take(kMiB);
  it.pool->open();
  CHECK(it.pool->stats().armed == kMiB);
  Slice* spare = it.take(kMiB);
  CHECK(spare != held);
  CHECK(it.refuse(kMiB).code == ErrorCode::kWouldAllocate);
}

TEST_CASE("what an earlier pass holds has no spare", "[pass]") {
  Armed it;
  it.take(kMiB);
  it.pool->restart_pass();
  it.take(2 * kMiB);
  it.pool->open();
  CHECK(it.pool->stats().armed == 2 * kMiB);
}

TEST_CASE("what nobody used in the last pass is a spare already", "[pass]") {
  Armed it;
  Slice* held = it.take(kMiB);
  Slice* unused = it.take(kMiB);
  it.free(held);
  it.free(unused);
  it.pool->restart_pass();
  it.take(kMiB);
  it.pool->open();
  CHECK(it.pool->stats().reserved == 2 * kMiB);
  CHECK(it.pool->stats().armed == kMiB);
}

TEST_CASE("recording the same step again and again does not grow the pool", "[pass]") {
  Memory memory;
  auto pool = make_pool(memory);
  Slice* output = nullptr;
  std::size_t reserved = 0;
  for (std::uint64_t round = 1; round <= 10; ++round) {
    for (const bool record : {false, true}) {
      record ? pool->open() : pool->arm(0, round);
      Slice* fresh = pool->allocate(kMiB, 0).value();
      if (output != nullptr) {
        drop(*pool, output);
      }
      output = fresh;
    }
    pool->disarm();
    reserved = round == 2 ? pool->stats().reserved : reserved;
    CHECK(pool->validate() == "");
  }
  CHECK(pool->stats().reserved == reserved);
}

TEST_CASE("a spare that the provider has no memory for is done without", "[pass]") {
  Armed it;
  it.take(kMiB);
  it.memory.fail_from = it.memory.calls + 1;
  it.pool->open();
  CHECK(it.pool->validate() == "");
  CHECK(it.pool->stats().armed == 0);
  CHECK(it.refuse(kMiB).code == ErrorCode::kWouldAllocate);
}

TEST_CASE("a graph takes back exactly the slice that the pass freed", "[pass]") {
  const int where = GENERATE(0, 1, 2, 3);
  Armed it(where == 3 ? MemoryKind::kPinned : MemoryKind::kDevice);
  Slice* slice = it.take(1000, where == 1 ? kFork : kOrigin);
  slice->lanes |= where == 2 ? bit(kFork) : 0;
  slice->device_touched = where == 3;
  const std::uint32_t generation = slice->generation;
  it.free(slice);
  it.pool->retain(*slice);
  CHECK(it.pool->validate() == "");
  CHECK(slice->references == 1);
  CHECK(slice->generation == generation);
  CHECK(it.pool->stats().in_use == slice->reserved);
  CHECK(it.pool->stats().live_slices == 1);
  CHECK(it.take(1000) != slice);
  it.pool->join(kFork);
  it.pool->disarm();
  CHECK(it.pool->stats().in_use == 2 * slice->reserved);
  it.free(slice);
}

TEST_CASE("capture memory stays capture memory when it is freed after the window", "[pass]") {
  Armed it;
  Slice* slice = it.take(1000);
  it.pool->disarm();
  CHECK(it.pool->stats().armed == 0);
  it.free(slice);
  it.pool->arm(kFork, kArming + 1);
  CHECK(it.pool->stats().armed == slice->reserved);
  CHECK(it.take(1000, kOther) == slice);
  CHECK(slice->arming == kArming + 1);
}

TEST_CASE("older capture memory that this pass freed but did not use is every lane's", "[pass]") {
  Armed it;
  Slice* older = it.take(1000);
  it.pool->disarm();
  it.pool->arm(kOrigin, kArming + 1);
  it.free(older);
  CHECK(it.take(1000, kFork) == older);
}

TEST_CASE("older capture memory that one lane used goes to that lane's list", "[pass]") {
  Armed it;
  Slice* older = it.take(1000, kOrigin);
  it.pool->disarm();
  it.pool->arm(kOrigin, kArming + 1);
  older->lanes = bit(kFork);
  it.free(older);
  CHECK(it.take(1000, kOrigin) != older);
  CHECK(it.take(1000, kFork) == older);
}

TEST_CASE("general memory freed in a pass goes back to where it came from", "[pass]") {
  Memory memory;
  auto pool = make_pool(memory);
  Slice* general = pool->allocate(512 * kKiB, 0).value();
  pool->arm(0, 1);
  drop(*pool, general);
  CHECK(pool->stats().armed == 0);
  CHECK(pool->validate() == "");
  CHECK(pool->allocate(300 * kKiB, 0));
  CHECK(memory.calls == 1);
}

TEST_CASE("a warm-up keeps what it has not used while there is memory for more", "[pass]") {
  Armed it;
  it.free(it.take(kMiB));
  it.pool->restart_pass();
  it.take(2 * kMiB);
  CHECK(it.pool->stats().armed == kMiB);
}

TEST_CASE("a warm-up that lacks memory gives up what it has not used", "[pass]") {
  Armed it;
  it.memory.capacity = 4 * kMiB;
  it.free(it.take(3 * kMiB));
  it.pool->restart_pass();
  Slice* other = it.take(4 * kMiB);
  it.free(other);
  CHECK(it.refuse(3 * kMiB).code == ErrorCode::kOutOfMemory);
  CHECK(it.take(4 * kMiB) == other);
}

TEST_CASE("nothing is trimmed while a window is prepared or open", "[pass]") {
  Armed it;
  it.free(it.take(kMiB));
  CHECK(it.pool->trim() == 0);
  it.pool->open();
  CHECK(it.pool->trim() == 0);
  it.pool->disarm();
  CHECK(it.pool->trim() == kMiB);
  CHECK(it.pool->stats().reserved == 0);
}

TEST_CASE("steps out of turn change nothing", "[pass]") {
  Memory memory;
  auto pool = make_pool(memory);
  pool->open();
  pool->restart_pass();
  pool->join(3);
  pool->disarm();
  CHECK(pool->allocate(100, 0));
  CHECK(pool->validate() == "");
}

TEST_CASE("every lane can have a list of the same size at once", "[pass]") {
  Armed it;
  std::vector<Slice*> slices;
  for (unsigned lane = 0; lane < 64; ++lane) {
    slices.push_back(it.take(1000, lane));
    it.take(1000, lane);
  }
  for (Slice* slice : slices) {
    it.free(slice);
  }
  for (unsigned lane = 0; lane < 64; ++lane) {
    CHECK(it.take(1000, lane) == slices[lane]);
  }
}

}  // namespace
}  // namespace oriel::alloc
