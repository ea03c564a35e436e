// Nothing on the hot paths asks for host memory: launching, recording what a warm-up has sized, and
// replaying. Every operator new of the process is counted, on all threads, on the real host
// backend.

#include "support/catch.hpp"
#include "support/test_kernels.hpp"

#include <oriel/oriel.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes == 0 ? 1 : bytes)
                     : std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes, 1);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
// A sanitizer has a nothrow form of its own, which would go round the counter.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return counted(bytes, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept {
  return operator new(bytes, tag);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace oriel {
namespace {

using Word = std::uint32_t;
constexpr std::size_t kWords = 256;
constexpr LaunchConfig kAll{4, 64, {}};
constexpr int kCalls = 100;

struct Host {
  Runtime runtime = Runtime::open("host").value();
  Stream stream = runtime.create_stream({.exclusive = true}).value();
  Module module = runtime.load(fake::test_kernels()).value();
  Kernel inc = module.kernel("inc").value();
  Kernel scale_add = module.kernel("scale_add").value();
  Buffer<Word> d = stream.allocate<Word>(kWords).value();
  Buffer<Word> e = stream.allocate<Word>(kWords).value();

  Host() {
    const bool good = stream.fill(d, 0) && stream.fill(e, 1) && stream.synchronize();
    REQUIRE(good);
  }

  // One of each kind of work that engines repeat.
  [[nodiscard]] bool step(const Stream& s) const {
    return s.launch(inc, kAll, inout(d)) && s.launch(scale_add, kAll, inout(d), in(e), Word{2}) &&
           s.fill(e, 1) && s.copy(e, d);
  }
};

// What `calls` asks for, after `calls` has run once to warm up.
template <class Calls>
std::uint64_t counted_after_warmup(Calls calls) {
  for (int i = 0; i < 3; ++i) {
    REQUIRE(calls());
  }
  const std::uint64_t before = allocations.load();
  const bool good = calls();
  const std::uint64_t after = allocations.load();
  REQUIRE(good);
  return after - before;
}

TEST_CASE("the counter counts") {
  const std::uint64_t before = allocations.load();
  const auto it = std::make_unique<int>(1);
  CHECK(allocations.load() == before + 1);
  CHECK(*it == 1);
}

TEST_CASE("an eager launch allocates nothing") {
  Host host;
  const std::uint64_t count = counted_after_warmup([&] {
    bool good = true;
    for (int i = 0; i < kCalls; ++i) {
      good = host.step(host.stream) && good;
    }
    return good && host.stream.synchronize();
  });
  CHECK(count == 0);
}

TEST_CASE("recording what the warm-up did allocates nothing") {
  Host host;
  Window window(host.stream);
  REQUIRE(window.prepare());
  for (int i = 0; i < kCalls; ++i) {
    REQUIRE(host.step(host.stream));
  }
  REQUIRE(window.begin());
  bool good = true;
  const std::uint64_t before = allocations.load();
  for (int i = 0; i < kCalls; ++i) {
    good = host.step(host.stream) && good;
  }
  const std::uint64_t after = allocations.load();
  CHECK(good);
  CHECK(after - before == 0);
  CHECK(window.instantiate().has_value());
}

TEST_CASE("a replay allocates nothing") {
  Host host;
  auto graph = host.stream.capture([&](Stream& s) {
    for (int i = 0; i < 10; ++i) {
      REQUIRE(host.step(s));
    }
  });
  REQUIRE(graph.has_value());
  const std::uint64_t count = counted_after_warmup([&] {
    bool good = true;
    for (int i = 0; i < kCalls; ++i) {
      good = graph->replay(host.stream).has_value() && good;
    }
    return good && host.stream.synchronize();
  });
  CHECK(count == 0);
}

TEST_CASE("an allocation from what the pool holds, and its free, ask for nothing") {
  Host host;
  const std::uint64_t count = counted_after_warmup([&] {
    bool good = true;
    for (int i = 0; i < kCalls; ++i) {
      const auto buffer = host.stream.allocate<Word>(kWords);
      good = good && buffer.has_value();
    }
    return good && host.stream.synchronize();
  });
  CHECK(count == 0);
}

}  // namespace
}  // namespace oriel
