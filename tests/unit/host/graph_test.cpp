#include "fixture.hpp"

namespace oriel::host {
namespace {

/// Puts other arguments into a launch of `step`.
Result<void> update_step(const Device& device,
                         core::DriverExecutable& graph,
                         NodeId node,
                         Words& words,
                         std::uint32_t digit) {
  std::uint64_t to = address(words.data());
  const std::array<void*, 2> values{&to, &digit};
  return device.driver->update(graph, node, values);
}

}  // namespace

TEST_CASE("A graph runs its nodes in order, once for each replay, on any stream") {
  const Device device;
  const auto stream = device.stream();
  const auto other = device.stream();
  Recorder recorder(device);
  Words words(16);
  Words digits;
  for (std::uint32_t i = 0; i < 100; ++i) {
    recorder.step(words, i, i == 0 ? std::vector<NodeId>{} : std::vector<NodeId>{i - 1});
    digits.push_back(i);
  }
  const auto graph = recorder.instantiate(*stream);
  CHECK(words == Words(16, 0));
  ok(device.driver->upload(*graph, *stream));
  std::uint32_t expected = 0;
  for (int replay = 0; replay < 5; ++replay) {
    ok(device.driver->replay(*graph, *stream));
    expected = chain(digits, expected);
  }
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(16, expected));
  ok(device.driver->replay(*graph, *other));
  ok(device.driver->synchronize(*other));
  CHECK(words == Words(16, chain(digits, expected)));
}

TEST_CASE("A graph reads its buffers when it runs") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  recorder.step(words, 1);
  const auto graph = recorder.instantiate(*stream);
  for (std::uint32_t start = 10; start < 15; ++start) {
    device.set(*stream, words, start);
    ok(device.driver->replay(*graph, *stream));
    ok(device.driver->synchronize(*stream));
    REQUIRE(words == Words(4, 31 * start + 1));
  }
}

TEST_CASE("A graph forks and joins in an order that its dependencies allow") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words start(8);
  Words left(8);
  Words right(8);
  Words sum(8);
  std::uint32_t seen = 0;
  HostFunction look([&] { seen = sum[7]; });
  const NodeId filled = recorder.fill(start, 3, {});
  const NodeId copied_left = recorder.copy(left, start, {filled});
  const NodeId copied_right = recorder.copy(right, start, {filled});
  const NodeId stepped_right = recorder.step(right, 5, {copied_right});
  const NodeId stepped_left = recorder.step(left, 4, {copied_left});
  const NodeId joined = recorder.launch("add",
                                        {stepped_left, stepped_right},
                                        sum.size(),
                                        address(left.data()),
                                        address(right.data()),
                                        address(sum.data()));
  recorder.call_host(look, {joined});
  const auto graph = recorder.instantiate(*stream);
  for (int replay = 0; replay < 3; ++replay) {
    std::fill(start.begin(), start.end(), 99U);
    sum.assign(sum.size(), 0);
    seen = 0;
    ok(device.driver->replay(*graph, *stream));
    ok(device.driver->synchronize(*stream));
    REQUIRE(sum == Words(8, 2 * 31 * 3 + 9));
    REQUIRE(seen == sum[7]);
  }
}

TEST_CASE("An update counts for later replays, and earlier ones keep what they had") {
  const Device device(0);
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  const NodeId first = recorder.step(words, 1);
  const NodeId second = recorder.step(words, 2, {first});
  const auto graph = recorder.instantiate(*stream);
  // None of these has run before the last update was made.
  ok(device.driver->replay(*graph, *stream));
  ok(update_step(device, *graph, second, words, 3));
  ok(device.driver->replay(*graph, *stream));
  ok(update_step(device, *graph, first, words, 4));
  ok(update_step(device, *graph, second, words, 5));
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->synchronize(*stream));
  Words digits = {1, 2, 1, 3, 4, 5};
  CHECK(words == Words(4, chain(digits)));
  // Now in place: nobody holds the schedule.
  ok(update_step(device, *graph, first, words, 6));
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->synchronize(*stream));
  digits.insert(digits.end(), {6, 5});
  CHECK(words == Words(4, chain(digits)));
}

TEST_CASE("An update may send a launch to other memory") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  Words others(4);
  const NodeId node = recorder.step(words, 1);
  const auto graph = recorder.instantiate(*stream);
  ok(device.driver->replay(*graph, *stream));
  ok(update_step(device, *graph, node, others, 2));
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(4, 1));
  CHECK(others == Words(4, 2));
}

TEST_CASE("A graph may be dropped while replays of it wait to run") {
  const Device device(0);
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  recorder.step(words, 1);
  auto graph = recorder.instantiate(*stream);
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->replay(*graph, *stream));
  graph.reset();
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(4, 31 + 1));
}

TEST_CASE("A doomed recording makes no graph, and the stream can record again") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  recorder.step(words, 1);
  recorder.recording->seal();
  ok(device.driver->begin(*stream, core::CaptureMode::kRelaxed, 0));
  CHECK(taken(device.driver->instantiate(*stream, *recorder.recording, true)).executable ==
        nullptr);
  Recorder again(device);
  again.step(words, 2);
  const auto graph = again.instantiate(*stream);
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(4, 2));
}

TEST_CASE("A recording without nodes makes a graph that does nothing") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  const auto graph = recorder.instantiate(*stream);
  ok(device.driver->replay(*graph, *stream));
  ok(device.driver->synchronize(*stream));
}

TEST_CASE("A stream records one window at a time") {
  const Device device;
  const auto stream = device.stream();
  ok(device.driver->begin(*stream, core::CaptureMode::kRelaxed, 0));
  const auto second = device.driver->begin(*stream, core::CaptureMode::kRelaxed, 0);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kInvalidState);
}

}  // namespace oriel::host
