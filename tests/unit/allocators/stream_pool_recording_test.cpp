// The promise that arming is for: a recording that repeats the last warm-up pass is always served.
#include "fake_provider.hpp"
#include "support/catch.hpp"

#include <vector>

#include <rapidcheck.h>

namespace oriel::alloc {
namespace {

using core::Slice;
using test::drop;
using test::make_pool;
using test::Memory;

enum class Do : std::uint8_t { kTake, kFree, kUse, kJoin, kDropLast };

/// One act of a step. Slices are named by the order in which the step takes them.
struct Act {
  Do what;
  std::size_t value;  // the size, or the name of a slice
  unsigned lane;
  bool touch;
};

/// A random step that is possible: it frees and uses only what it has taken.
std::vector<Act> any_step() {
  std::vector<Act> step;
  std::vector<std::size_t> live;
  std::size_t names = 0;
  const auto length = *rc::gen::inRange(1, 60);
  const auto drop_at = *rc::gen::inRange(0, 2 * length);
  for (int i = 0; i < length; ++i) {
    const unsigned lane = *rc::gen::weightedElement<unsigned>({{3, 0U}, {1, 1U}, {1, 2U}});
    if (i == drop_at) {
      step.push_back({Do::kDropLast, 0, 0, false});
    }
    const int dice = live.empty() ? 0 : *rc::gen::inRange(0, 10);
    if (dice < 4) {
      const auto bytes = *rc::gen::element<std::size_t>(0, 100, 256, 4096, 30000, 70000);
      step.push_back({Do::kTake, bytes, lane, false});
      live.push_back(names++);
    } else if (dice == 9) {
      step.push_back({Do::kJoin, 0, lane, false});
    } else {
      const auto at = *rc::gen::inRange<std::size_t>(0, live.size());
      if (dice < 7) {
        step.push_back({Do::kUse, live[at], lane, *rc::gen::arbitrary<bool>()});
      } else {
        step.push_back({Do::kFree, live[at], 0, false});
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  return step;
}

/// Runs steps as an engine does, which replaces last step's outputs somewhere in this one.
class Engine {
 public:
  explicit Engine(StreamPool& pool) : pool_(pool) {}

  /// False if an allocation was refused.
  bool run(const std::vector<Act>& step) {
    std::vector<Slice*> taken;
    for (const Act& act : step) {
      if (!perform(act, taken)) {
        return false;
      }
      RC_ASSERT(pool_.validate() == "");
    }
    for (Slice* slice : taken) {
      if (slice != nullptr) {
        outputs_.push_back(slice);
      }
    }
    return true;
  }

  void drop_outputs() {
    for (Slice* slice : outputs_) {
      drop(pool_, slice);
    }
    outputs_.clear();
  }

 private:
  bool perform(const Act& act, std::vector<Slice*>& taken) {
    switch (act.what) {
      case Do::kTake: {
        const auto slice = pool_.allocate(act.value, act.lane);
        taken.push_back(slice ? *slice : nullptr);
        return slice.has_value();
      }
      case Do::kFree:
        drop(pool_, std::exchange(taken[act.value], nullptr));
        break;
      case Do::kUse:
        taken[act.value]->lanes |= std::uint64_t{1} << act.lane;
        taken[act.value]->device_touched = taken[act.value]->device_touched || act.touch;
        break;
      case Do::kJoin:
        pool_.join(act.lane);
        break;
      case Do::kDropLast:
        drop_outputs();
        break;
    }
    return true;
  }

  StreamPool& pool_;
  std::vector<Slice*> outputs_;
};

TEST_CASE("a recording that repeats the last warm-up pass never would allocate",
          "[stream_pool][model]") {
  CHECK(rc::check("the recording is served", [] {
    Memory memory(*rc::gen::element(MemoryKind::kDevice, MemoryKind::kPinned));
    auto pool = make_pool(memory, 65536);
    Engine engine(*pool);
    const auto windows = *rc::gen::inRange<std::uint64_t>(1, 4);
    for (std::uint64_t window = 1; window <= windows; ++window) {
      const std::vector<Act> step = any_step();
      pool->arm(0, window);
      if (*rc::gen::arbitrary<bool>()) {
        RC_ASSERT(engine.run(any_step()));  // the first run does more: it tunes, say
        pool->restart_pass();
      }
      RC_ASSERT(engine.run(step));
      pool->open();
      const std::uint64_t calls = memory.calls + memory.releases;
      RC_ASSERT(engine.run(step));
      RC_ASSERT(memory.calls + memory.releases == calls);
      pool->disarm();
    }
    engine.drop_outputs();
    pool->trim();
    RC_ASSERT(memory.bytes == 0U);
  }));
}

TEST_CASE("what a warm-up arms is what its step needs at once, not what it asks for in all",
          "[stream_pool][model]") {
  CHECK(rc::check("one lane's window holds its peak", [] {
    Memory memory;
    auto pool = make_pool(memory, 65536);
    pool->arm(0, 1);
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(
        20, rc::gen::element<std::size_t>(4096, 8192, 12288));
    for (const std::size_t bytes : sizes) {
      drop(*pool, pool->allocate(bytes, 0).value());
    }
    pool->open();
    RC_ASSERT(pool->stats().armed <= 4096U + 8192U + 12288U);
  }));
}

}  // namespace
}  // namespace oriel::alloc
