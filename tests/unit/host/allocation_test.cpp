// Counts what this program asks the heap for, to hold the driver to its promise: none per launch,
// per replay and per event.
#include "fixture.hpp"

#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t bytes) noexcept {
  ++allocations;
  return std::malloc(bytes);
}

void* counted_or_throw(std::size_t bytes) {
  if (void* memory = counted(bytes)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted_or_throw(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted_or_throw(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace oriel::host {
namespace {

/// How often `action` asks the heap, once it has been done before.
template <class Action>
std::uint64_t steady_allocations(Action action) {
  for (int i = 0; i < 3; ++i) {
    action();
  }
  const std::uint64_t before = allocations;
  for (int i = 0; i < 20; ++i) {
    action();
  }
  return allocations - before;
}

}  // namespace

TEST_CASE("Eager work asks the heap for nothing once the queue has been as full before") {
  const Device device(0);
  const auto stream = device.stream();
  Words words(4);
  std::uint64_t to = address(words.data());
  std::uint32_t digit = 1;
  const std::array<void*, 2> values{&to, &digit};
  const std::uint64_t before = allocations;
  const core::LaunchCommand launch = device.command("step", 4, values);
  CHECK(steady_allocations([&] {
          for (int i = 0; i < 1000; ++i) {
            ok(device.driver->launch(*stream, launch));
          }
          ok(device.driver->synchronize(*stream));
        }) == 0);
  CHECK(allocations > before);  // the counter counts
}

TEST_CASE("A replay asks the heap for nothing") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  for (std::uint32_t i = 0; i < 100; ++i) {
    recorder.step(words, i);
  }
  const auto graph = recorder.instantiate(*stream);
  CHECK(steady_allocations([&] {
          for (int i = 0; i < 200; ++i) {
            ok(device.driver->replay(*graph, *stream));
          }
          ok(device.driver->synchronize(*stream));
        }) == 0);
}

TEST_CASE("Events ask the heap for nothing once they are there") {
  const Device device(0);
  const auto first = device.stream();
  const auto second = device.stream();
  const auto event = device.event();
  Words words(4);
  CHECK(steady_allocations([&] {
          ok(device.driver->record(*event, *first));
          ok(device.driver->wait(*second, *event));
          ok(device.driver->synchronize(*second));
        }) == 0);
}

TEST_CASE("An update in place asks the heap for nothing") {
  const Device device;
  const auto stream = device.stream();
  Recorder recorder(device);
  Words words(4);
  const NodeId node = recorder.step(words, 1);
  const auto graph = recorder.instantiate(*stream);
  std::uint64_t to = address(words.data());
  std::uint32_t digit = 2;
  const std::array<void*, 2> values{&to, &digit};
  CHECK(steady_allocations([&] { ok(device.driver->update(*graph, node, values)); }) == 0);
}

}  // namespace oriel::host
