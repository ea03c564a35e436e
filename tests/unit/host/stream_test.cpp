#include "fixture.hpp"

namespace oriel::host {
namespace {

core::FillCommand fill_of(void* memory, std::size_t bytes, std::uint32_t pattern_bytes) {
  core::FillCommand command;
  command.destination = address(memory);
  command.bytes = bytes;
  command.pattern_bytes = pattern_bytes;
  for (std::uint32_t i = 0; i < pattern_bytes; ++i) {
    command.pattern[i] = static_cast<std::byte>(i + 1);
  }
  return command;
}

}  // namespace

TEST_CASE("Commands of one stream run in the order of the calls") {
  const Device device;
  const auto stream = device.stream();
  Words words(8);
  Words digits;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    digits.push_back(i);
    device.step(*stream, words, i);
  }
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(8, chain(digits)));
}

TEST_CASE("Nothing runs before somebody comes for it or a nap is over, and then all of it does") {
  const Device device(0);
  const auto stream = device.stream();
  Words words(4);
  device.set(*stream, words, 7);
  CHECK(words == Words(4, 0));
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(4, 7));
}

TEST_CASE("A launch copies its arguments before the call returns") {
  const Device device(0);
  const auto stream = device.stream();
  Words words(4);
  std::uint64_t to = address(words.data());
  std::uint32_t value = 5;
  std::array<void*, 2> values{&to, &value};
  ok(device.driver->launch(*stream, device.command("set", 4, values)));
  to = 0;
  value = 6;
  values = {};
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words(4, 5));
}

TEST_CASE("A backlog of many blocks runs in order") {
  const Device device(0);
  const auto stream = device.stream();
  Words words(1);
  Words digits;
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 5000; ++i) {
      digits.push_back(i);
      device.step(*stream, words, i);
    }
    ok(device.driver->synchronize(*stream));
  }
  CHECK(words[0] == chain(digits));
}

TEST_CASE("An argument larger than a block of the queue arrives whole") {
  struct Large {
    std::uint8_t bytes[40000] = {};
  };
  const Device device(0);
  const auto stream = device.stream();
  auto large = std::make_unique<Large>();
  large->bytes[39999] = 9;
  Words words(1);
  for (int i = 0; i < 3; ++i) {
    device.step(*stream, words, 1);
    device.launch(*stream, "last_byte", 1, address(words.data()), *large);
  }
  ok(device.driver->synchronize(*stream));
  CHECK(words[0] == 9);
}

TEST_CASE("A fill repeats its pattern to the last byte and no further") {
  const Device device;
  const auto stream = device.stream();
  const std::uint32_t pattern = GENERATE(1U, 2U, 4U, 8U, 16U);
  const std::size_t bytes = GENERATE(std::size_t{0},
                                     std::size_t{16},
                                     std::size_t{64},
                                     std::size_t{112},
                                     std::size_t{4096},
                                     std::size_t{4112});
  std::vector<std::uint8_t> memory(bytes + 1, 99);
  ok(device.driver->fill(*stream, fill_of(memory.data(), bytes, pattern)));
  ok(device.driver->synchronize(*stream));
  for (std::size_t i = 0; i < bytes; ++i) {
    REQUIRE(memory[i] == i % pattern + 1);
  }
  CHECK(memory[bytes] == 99);
}

TEST_CASE("A copy moves all bytes, also where both ends overlap") {
  const Device device;
  const auto stream = device.stream();
  Words words = {1, 2, 3, 4, 5};
  core::CopyCommand command;
  command.source = address(words.data());
  command.destination = address(words.data() + 1);
  command.bytes = 4 * sizeof(words[0]);
  ok(device.driver->copy(*stream, command));
  ok(device.driver->synchronize(*stream));
  CHECK(words == Words{1, 1, 2, 3, 4});
}

TEST_CASE("A host function is called once, with its payload, in stream order") {
  const Device device;
  const auto stream = device.stream();
  Words words(1);
  std::uint32_t seen = 0;
  int calls = 0;
  HostFunction function([&] {
    seen = words[0];
    ++calls;
  });
  device.set(*stream, words, 3);
  ok(device.driver->call_host(*stream, function.command()));
  device.set(*stream, words, 4);
  ok(device.driver->synchronize(*stream));
  CHECK(seen == 3);
  CHECK(calls == 1);
}

TEST_CASE("Dropping a stream runs what is left of its work") {
  const Device device(0);
  Words words(4);
  {
    const auto stream = device.stream();
    device.set(*stream, words, 1);
  }
  CHECK(words == Words(4, 1));
}

TEST_CASE("Dropping a stream in a function of its own discards what comes after") {
  const Device device;
  auto stream = device.stream();
  const auto event = device.event();
  Words words(1);
  HostFunction function([&] { stream.reset(); });
  ok(device.driver->call_host(*stream, function.command()));
  device.set(*stream, words, 1);
  ok(device.driver->record(*event, *stream));
  ok(device.driver->synchronize(*event));
  CHECK(words[0] == 0);
}

TEST_CASE("A device may be dropped on its own worker, and streams may outlive it") {
  auto device = std::make_unique<Device>();
  const auto stream = device->stream();
  std::atomic<bool> dropped = false;
  HostFunction function([&] {
    device.reset();
    dropped = true;
  });
  ok(device->driver->call_host(*stream, function.command()));
  CHECK(soon([&] { return dropped.load(); }));
}

TEST_CASE("Waiting in a host function for what comes after it is refused") {
  const Device device;
  const auto stream = device.stream();
  const auto other = device.stream();
  const auto event = device.event();
  Words words(1);
  ErrorCode own = ErrorCode::kDriverError;
  ErrorCode dependent = ErrorCode::kDriverError;
  HostFunction function([&] {
    own = device.driver->synchronize(*stream).error().code;
    dependent = device.driver->synchronize(*other).error().code;
  });
  ok(device.driver->call_host(*stream, function.command()));
  ok(device.driver->record(*event, *stream));
  ok(device.driver->wait(*other, *event));
  device.set(*other, words, 1);
  ok(device.driver->synchronize(*other));
  CHECK(own == ErrorCode::kInvalidState);
  CHECK(dependent == ErrorCode::kInvalidState);
  CHECK(words[0] == 1);
}

}  // namespace oriel::host
