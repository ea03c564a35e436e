// Many threads at once; made to be run under ThreadSanitizer.
#include "fixture.hpp"

#include <mutex>

namespace oriel::host {
namespace {

constexpr std::uint32_t kThreads = 4;
constexpr std::uint32_t kRounds = 200;

}  // namespace

TEST_CASE("Threads with a stream each work, replay and wait without disturbing one another") {
  const Device device(GENERATE(0U, 1U, 2U));
  std::atomic<std::uint32_t> right = 0;
  const auto body = [&] {
    const auto stream = device.stream();
    Words words(32);
    Recorder recorder(device);
    recorder.step(words, 1);
    recorder.step(words, 2);
    const auto graph = recorder.instantiate(*stream);
    Words digits;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      ok(device.driver->replay(*graph, *stream));
      device.step(*stream, words, round);
      digits.insert(digits.end(), {1, 2, round});
      if (round % 3 == 0) {
        ok(device.driver->synchronize(*stream));
      } else if (round % 3 == 1) {
        (void)taken(device.driver->query(*stream));
      }
    }
    ok(device.driver->synchronize(*stream));
    right += words == Words(32, chain(digits)) ? 1 : 0;
  };
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back(body);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(right == kThreads);
}

TEST_CASE("Streams that wait for one another's events in turn keep one order, whoever runs them") {
  const Device device(GENERATE(0U, 1U, 2U));
  std::mutex lock;  // as the runtime's: calls that enqueue are made one at a time
  Words words(8);
  Words digits;
  std::vector<std::unique_ptr<core::DriverStream>> streams;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    streams.push_back(device.stream());
  }
  const auto last = device.event();
  const auto body = [&](std::uint32_t thread) {
    core::DriverStream& stream = *streams[thread];
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      {
        const std::lock_guard locked(lock);
        ok(device.driver->wait(stream, *last));
        device.step(stream, words, digits.emplace_back(kRounds * thread + round));
        ok(device.driver->record(*last, stream));
      }
      if (round % 5 == thread) {
        ok(device.driver->synchronize(stream));
      } else if (round % 7 == thread) {
        ok(device.driver->synchronize(*last));
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back(body, t);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ok(device.driver->synchronize(*last));
  CHECK(words == Words(8, chain(digits)));
}

TEST_CASE("Updates race with replays that run, and each replay sees one state") {
  const Device device(GENERATE(0U, 2U));
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(8);
  Words digits;
  const NodeId node = recorder.step(words, 0);
  recorder.step(words, 7, {node});
  const auto graph = recorder.instantiate(*stream);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    std::uint64_t to = address(words.data());
    std::uint32_t digit = i;
    const std::array<void*, 2> values{&to, &digit};
    ok(device.driver->update(*graph, node, values));
    ok(device.driver->replay(*graph, *stream));
    digits.insert(digits.end(), {i, 7});
    (void)taken(device.driver->query(*stream));
  }
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(8, chain(digits)));
}

}  // namespace oriel::host
