#include "fixture.hpp"

#include <future>

namespace oriel::host {

TEST_CASE("Work is done even if nobody waits or asks for it") {
  const Device device;
  const auto stream = device.stream();
  std::promise<void> promise;
  HostFunction function([&] { promise.set_value(); });
  // Twice: a worker that naps, and one that sleeps.
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  ok(device.driver->call_host(*stream, function.command()));
  CHECK(promise.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  std::promise<void> second;
  HostFunction again([&] { second.set_value(); });
  ok(device.driver->call_host(*stream, again.command()));
  CHECK(second.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready);
}

TEST_CASE("Asking again and again whether work is done gets it done, also without workers") {
  const Device device(GENERATE(0U, 1U, 2U));
  const auto stream = device.stream();
  const auto other = device.stream();
  const auto event = device.event();
  Words words(4);
  for (std::uint32_t i = 0; i < 10; ++i) {
    device.step(*stream, words, i);
  }
  ok(device.driver->record(*event, *stream));
  ok(device.driver->wait(*other, *event));
  device.set(*other, words, 1);
  CHECK(soon([&] { return taken(device.driver->query(*other)); }));
  CHECK(taken(device.driver->query(*event)));
  CHECK(taken(device.driver->query(*stream)));
  CHECK(words == Words(4, 1));
}

TEST_CASE("Asking whether work is done never waits for it") {
  const Device device;
  const auto stream = device.stream();
  Gate gate;
  ok(device.driver->call_host(*stream, gate.command()));
  CHECK_FALSE(taken(device.driver->query(*stream)));
  gate.await_reached();
  CHECK_FALSE(taken(device.driver->query(*stream)));
  gate.open();
  CHECK(soon([&] { return taken(device.driver->query(*stream)); }));
}

TEST_CASE("A thread that waits runs the work itself") {
  const Device device(0);
  const auto stream = device.stream();
  std::thread::id ran_on;
  HostFunction function([&] { ran_on = std::this_thread::get_id(); });
  ok(device.driver->call_host(*stream, function.command()));
  ok(device.driver->synchronize(*stream));
  CHECK(ran_on == std::this_thread::get_id());
}

TEST_CASE("A thread that waits returns when its work is done, not when later work is") {
  const Device device(0);
  const auto stream = device.stream();
  const auto event = device.event();
  Words words(1);
  device.step(*stream, words, 1);
  ok(device.driver->record(*event, *stream));
  device.step(*stream, words, 2);
  ok(device.driver->synchronize(*event));
  CHECK(words[0] == 1);
  CHECK_FALSE(taken(device.driver->query(*stream)));
  ok(device.driver->synchronize(*stream));
  CHECK(words[0] == 31 + 2);
}

TEST_CASE("Several threads may wait for one stream at once") {
  const Device device(GENERATE(0U, 1U));
  const auto stream = device.stream();
  Words words(4);
  Words digits;
  for (std::uint32_t round = 0; round < 50; ++round) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      device.step(*stream, words, i);
      digits.push_back(i);
    }
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        ok(device.driver->synchronize(*stream));
        right += words[0] == chain(digits) ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    REQUIRE(right == 3);
  }
}

}  // namespace oriel::host
