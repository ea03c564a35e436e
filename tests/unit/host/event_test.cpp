#include "fixture.hpp"

namespace oriel::host {

TEST_CASE("A stream that waits for an event goes on after what the event marked") {
  const Device device;
  const auto first = device.stream();
  const auto second = device.stream();
  const auto event = device.event();
  Gate gate;
  Words words(4);
  ok(device.driver->call_host(*first, gate.command()));
  device.set(*first, words, 5);
  ok(device.driver->record(*event, *first));
  ok(device.driver->wait(*second, *event));
  device.step(*second, words, 1);
  CHECK_FALSE(taken(device.driver->query(*second)));
  gate.await_reached();
  CHECK(words == Words(4, 0));
  gate.open();
  ok(device.driver->synchronize(*second));
  CHECK(words == Words(4, 31 * 5 + 1));
}

TEST_CASE("Recording an event again doesn't change what an earlier wait waits for") {
  const Device device;
  const auto first = device.stream();
  const auto second = device.stream();
  const auto event = device.event();
  Gate gate;
  Words words(4);
  device.step(*first, words, 1);
  ok(device.driver->record(*event, *first));
  ok(device.driver->wait(*second, *event));
  ok(device.driver->call_host(*first, gate.command()));
  ok(device.driver->record(*event, *first));
  ok(device.driver->synchronize(*second));  // would never end otherwise
  CHECK_FALSE(taken(device.driver->query(*event)));
  gate.open();
  ok(device.driver->synchronize(*event));
}

TEST_CASE("Waiting for an event that was never recorded waits for nothing") {
  const Device device(0);
  const auto stream = device.stream();
  const auto event = device.event();
  Words words(1);
  ok(device.driver->wait(*stream, *event));
  device.set(*stream, words, 1);
  CHECK(taken(device.driver->query(*event)));
  ok(device.driver->synchronize(*event));
  ok(device.driver->synchronize(*stream));
  CHECK(words[0] == 1);
}

TEST_CASE("A thread that waits runs the streams that hold its own one up") {
  const Device device(0);
  constexpr std::uint32_t kStreams = 6;
  std::vector<std::unique_ptr<core::DriverStream>> streams;
  std::vector<std::unique_ptr<core::DriverEvent>> events;
  Words words(1);
  Words digits;
  for (std::uint32_t i = 0; i < kStreams; ++i) {
    streams.push_back(device.stream());
    events.push_back(device.event());
  }
  for (std::uint32_t i = 0; i < 10 * kStreams; ++i) {
    core::DriverStream& stream = *streams[i % kStreams];
    ok(device.driver->wait(stream, *events[(i + kStreams - 1) % kStreams]));
    device.step(stream, words, i);
    ok(device.driver->record(*events[i % kStreams], stream));
    digits.push_back(i);
  }
  ok(device.driver->synchronize(*streams.back()));
  CHECK(words[0] == chain(digits));
}

TEST_CASE("A stream that waits for another doesn't hold up the worker") {
  const Device device;
  const auto held = device.stream();
  const auto parked = device.stream();
  const auto free = device.stream();
  const auto event = device.event();
  Gate gate;
  Words words(1);
  Words result(1);
  ok(device.driver->call_host(*held, gate.command()));
  ok(device.driver->record(*event, *held));
  std::thread helper([&] { ok(device.driver->synchronize(*held)); });
  gate.await_reached();
  ok(device.driver->wait(*parked, *event));
  device.set(*parked, words, 1);
  device.set(*free, result, 2);
  // If the helper came too late, the gate is on the one worker, and this thread is the other.
  ok(device.driver->synchronize(*free));
  CHECK(result[0] == 2);
  CHECK_FALSE(taken(device.driver->query(*parked)));
  gate.open();
  ok(device.driver->synchronize(*parked));
  CHECK(words[0] == 1);
  helper.join();
}

TEST_CASE("An event may be dropped before its record has run, and before its wait has") {
  const Device device(0);
  const auto first = device.stream();
  const auto second = device.stream();
  Words words(1);
  {
    const auto event = device.event();
    device.set(*first, words, 1);
    ok(device.driver->record(*event, *first));
    ok(device.driver->wait(*second, *event));
    device.step(*second, words, 2);
  }
  ok(device.driver->synchronize(*second));
  CHECK(words[0] == 31 + 2);
}

TEST_CASE("An event outlives the stream it was recorded on, and is done then") {
  const Device device;
  const auto event = device.event();
  const auto other = device.stream();
  Words words(1);
  {
    const auto stream = device.stream();
    device.set(*stream, words, 1);
    ok(device.driver->record(*event, *stream));
    ok(device.driver->wait(*other, *event));
  }
  CHECK(taken(device.driver->query(*event)));
  ok(device.driver->synchronize(*other));
}

TEST_CASE("The time between two events is that between the commands around them") {
  const Device device;
  const auto stream = device.stream();
  const auto from = device.event();
  const auto to = device.event();
  HostFunction pause([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  ok(device.driver->record(*from, *stream));
  ok(device.driver->call_host(*stream, pause.command()));
  ok(device.driver->record(*to, *stream));
  ok(device.driver->synchronize(*stream));
  const double first = taken(device.driver->elapsed(*from, *to));
  CHECK(first >= 0.020);
  CHECK(first < 5.0);
  // The last record counts.
  ok(device.driver->record(*from, *stream));
  ok(device.driver->synchronize(*from));
  CHECK(taken(device.driver->elapsed(*to, *from)) >= 0.0);
}

}  // namespace oriel::host
