#include "bench.hpp"

#include <oriel/core/drop_queue.hpp>

// What is dropped while a stream may still use it, on a driver that runs nothing until somebody
// waits: a fence passes only when the test lets it.

using namespace oriel;
using namespace oriel::fake;

namespace {

struct Counter final : core::SliceHome {
  int reclaimed = 0;
  void reclaim(core::Slice& /*slice*/) noexcept override { ++reclaimed; }
};

struct Queue {
  std::shared_ptr<Script> script = std::make_shared<Script>(RecordingMode::kBuilds);
  std::unique_ptr<core::GraphDriver> driver = make_driver(script);
  std::unique_ptr<core::DriverStream> stream = must(driver->create_stream());
  Counter home;
  core::Slice slice;
  core::DropQueue drops;
  core::DropQueue::Grave grave;

  Queue() { slice.home = &home; }
};

}  // namespace

TEST_CASE("what is dropped stays until the stream is past it") {
  Queue queue;
  queue.drops.add(core::SliceRef(queue.slice));
  queue.drops.add(std::make_shared<int>(1));
  CHECK(queue.drops.size() == 2);
  queue.drops.poll(*queue.driver, queue.grave);
  CHECK(queue.drops.size() == 2);  // no fence behind it yet
  must(queue.drops.seal(*queue.driver, *queue.stream));
  CHECK(queue.home.reclaimed == 0);
  must(queue.driver->synchronize(*queue.stream));
  queue.drops.poll(*queue.driver, queue.grave);
  CHECK(queue.drops.size() == 0);
  CHECK(queue.home.reclaimed == 1);
  CHECK(queue.grave.size() == 1);  // a driver object is not destroyed here, only handed on
}

TEST_CASE("a fence that can't be had leaves things staged") {
  Queue queue;
  queue.drops.add(core::SliceRef(queue.slice));
  queue.script->fail(Call::kRecord);
  CHECK_FALSE(queue.drops.seal(*queue.driver, *queue.stream));
  CHECK(queue.drops.size() == 1);
  CHECK(queue.home.reclaimed == 0);
  must(queue.drops.seal(*queue.driver, *queue.stream));
  must(queue.driver->synchronize(*queue.stream));
  queue.drops.poll(*queue.driver, queue.grave);
  CHECK(queue.home.reclaimed == 1);
}

TEST_CASE("fences are used again, and an empty queue asks for none") {
  Queue queue;
  must(queue.drops.seal(*queue.driver, *queue.stream));
  CHECK(queue.script->calls(Call::kRecord) == 0);
  for (int round = 0; round < 10; ++round) {
    queue.drops.add(core::SliceRef(queue.slice));
    must(queue.drops.seal(*queue.driver, *queue.stream));
    must(queue.driver->synchronize(*queue.stream));
    queue.drops.poll(*queue.driver, queue.grave);
  }
  CHECK(queue.home.reclaimed == 10);
  CHECK(queue.script->calls(Call::kCreateEvent) == 1);
  queue.drops.forget_fences();
}

TEST_CASE("many items, or many bytes, want a fence of their own") {
  Queue queue;
  for (std::size_t i = 0; i + 1 < core::DropQueue::kBatch; ++i) {
    queue.drops.add(std::make_shared<int>(0));
  }
  CHECK_FALSE(queue.drops.wants_fence());
  queue.drops.add(std::make_shared<int>(0));
  CHECK(queue.drops.wants_fence());
  queue.drops.drain(queue.grave);
  CHECK_FALSE(queue.drops.wants_fence());
  queue.slice.reserved = core::DropQueue::kBatchBytes;
  queue.drops.add(core::SliceRef(queue.slice));
  CHECK(queue.drops.wants_fence());
  queue.drops.drain(queue.grave);
  CHECK(queue.drops.size() == 0);
  CHECK(queue.home.reclaimed == 1);
}
