// Random sequences on a pool with several lanes, against a model that knows who used which bytes.
#include "fake_provider.hpp"
#include "support/catch.hpp"

#include <bit>
#include <map>
#include <vector>

#include <rapidcheck.h>

namespace oriel::alloc {
namespace {

using core::Slice;
using test::make_pool;
using test::Memory;

constexpr std::uint64_t bit(unsigned lane) {
  return std::uint64_t{1} << lane;
}

/// What must hold of a pool, kept the simple way: a list of what is taken, and one of the bytes
/// that the present pass freed, with the lanes that used them.
class Model {
 public:
  Model(StreamPool& pool, Memory& memory) : pool_(pool), memory_(memory) {}

  void step() {
    using Step = void (Model::*)();
    const auto act = *rc::gen::weightedElement<Step>({{40, &Model::allocate},
                                                      {25, &Model::release},
                                                      {15, &Model::use},
                                                      {8, &Model::join},
                                                      {4, &Model::retain},
                                                      {3, &Model::arm},
                                                      {3, &Model::restart},
                                                      {3, &Model::open},
                                                      {2, &Model::disarm},
                                                      {1, &Model::trim},
                                                      {1, &Model::limit}});
    const std::uint64_t calls = memory_.calls + memory_.releases;
    const bool was_open = phase_ == Phase::kOpen;
    (this->*act)();
    RC_ASSERT(!was_open || memory_.calls + memory_.releases == calls);
    check();
  }

  void finish() {
    if (phase_ != Phase::kIdle) {
      disarm();
    }
    while (!live_.empty()) {
      release();
    }
    check();
    pool_.trim();
    RC_ASSERT(pool_.stats().reserved == 0U);
    RC_ASSERT(memory_.bytes == 0U);
    RC_ASSERT(memory_.wrong_releases == 0U);
  }

 private:
  enum class Phase : std::uint8_t { kIdle, kWarmUp, kOpen };

  /// Bytes that this pass freed.
  struct Freed {
    std::uint64_t address;
    std::size_t bytes;
    std::uint64_t lanes;
    bool held;
    Slice* slice;
  };

  [[nodiscard]] static unsigned any_lane() { return *rc::gen::inRange(0U, 4U); }
  [[nodiscard]] Slice& any_live() {
    return *live_[*rc::gen::inRange<std::size_t>(0, live_.size())];
  }

  void allocate() {
    const auto bytes = *rc::gen::element<std::size_t>(0, 1, 256, 300, 5000, 20000, 40000, 70000);
    const unsigned lane = any_lane();
    const core::PoolStats before = pool_.stats();
    const auto got = pool_.allocate(bytes, lane);
    if (!got) {
      const bool open = phase_ == Phase::kOpen;
      RC_ASSERT(got.error().code == (open ? ErrorCode::kWouldAllocate : ErrorCode::kOutOfMemory));
      RC_ASSERT(bytes != 0U);
      RC_ASSERT(pool_.stats().in_use == before.in_use);
      RC_ASSERT(!open || pool_.stats().armed == before.armed);
      return;
    }
    check_hand_out(**got, bytes, lane);
    live_.push_back(*got);
  }

  void check_hand_out(Slice& slice, std::size_t bytes, unsigned lane) {
    RC_ASSERT(slice.bytes == bytes);
    RC_ASSERT(slice.reserved == (bytes + 255) / 256 * 256);
    RC_ASSERT(slice.references == 1U);
    RC_ASSERT(slice.lanes == (phase_ == Phase::kIdle ? 0 : bit(lane)));
    RC_ASSERT(slice.arming == (phase_ == Phase::kIdle ? 0 : arming_));
    RC_ASSERT(slice.generation != generations_[slice.index]);
    generations_[slice.index] = slice.generation;
    std::vector<Freed> rest;
    for (const Freed& freed : freed_) {
      const bool apart = freed.address >= slice.address + slice.reserved ||
                         slice.address >= freed.address + freed.bytes;
      if (freed.slice == &slice || (!apart && freed.bytes != 0)) {
        RC_ASSERT(!freed.held);
        RC_ASSERT((freed.lanes & ~bit(lane)) == 0U);
      } else {
        rest.push_back(freed);
      }
    }
    freed_ = std::move(rest);
  }

  void release() {
    if (live_.empty()) {
      return;
    }
    const auto i = *rc::gen::inRange<std::size_t>(0, live_.size());
    Slice* slice = live_[i];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
    // General memory is released in a pass only when nobody uses it any more: the core waits.
    if (phase_ != Phase::kIdle && slice->arming != 0) {
      const bool held = slice->device_touched && pool_.kind() == MemoryKind::kPinned;
      freed_.push_back({slice->address, slice->reserved, slice->lanes, held, slice});
    }
    slice->references.store(0);
    pool_.release(*slice);
  }

  void use() {
    if (live_.empty() || phase_ == Phase::kIdle) {
      return;
    }
    Slice& slice = any_live();
    if (slice.arming != 0) {
      slice.lanes |= bit(any_lane());
      slice.device_touched = slice.device_touched || *rc::gen::arbitrary<bool>();
    }
  }

  void join() {
    const unsigned lane = any_lane();
    pool_.join(lane);
    if (lane == origin_) {
      return;
    }
    for (Freed& freed : freed_) {
      if ((freed.lanes & bit(lane)) != 0) {
        freed.lanes = (freed.lanes & ~bit(lane)) | bit(origin_);
      }
    }
  }

  void retain() {
    std::vector<std::size_t> of_arming;
    for (std::size_t i = 0; i < freed_.size(); ++i) {
      if (freed_[i].slice->arming == arming_) {
        of_arming.push_back(i);
      }
    }
    if (of_arming.empty() || phase_ != Phase::kOpen) {
      return;
    }
    const auto i = *rc::gen::elementOf(of_arming);
    Slice* slice = freed_[i].slice;
    freed_.erase(freed_.begin() + static_cast<std::ptrdiff_t>(i));
    const std::uint32_t generation = slice->generation;
    pool_.retain(*slice);
    RC_ASSERT(slice->references == 1U);
    RC_ASSERT(slice->generation == generation);
    live_.push_back(slice);
  }

  void arm() {
    if (phase_ == Phase::kIdle) {
      origin_ = any_lane();
      pool_.arm(origin_, ++arming_);
      phase_ = Phase::kWarmUp;
    }
  }
  void restart() {
    if (phase_ == Phase::kWarmUp) {
      pool_.restart_pass();
      new_pass();
    }
  }
  void open() {
    if (phase_ == Phase::kWarmUp) {
      pool_.open();
      phase_ = Phase::kOpen;
      new_pass();
    }
  }
  void disarm() {
    if (phase_ != Phase::kIdle) {
      pool_.disarm();
      phase_ = Phase::kIdle;
      new_pass();
    }
  }

  // What the core does for older slices, which the pool does not follow.
  void new_pass() {
    freed_.clear();
    for (Slice* slice : live_) {
      RC_ASSERT(slice->arming != arming_ || (slice->lanes == 0U && !slice->device_touched));
      slice->lanes = 0;
      slice->device_touched = false;
    }
  }

  void trim() {
    const std::size_t before = pool_.stats().reserved;
    const std::size_t got = pool_.trim();
    RC_ASSERT(phase_ == Phase::kIdle || got == 0U);
    RC_ASSERT(pool_.stats().reserved == before - got);
  }
  void limit() { pool_.set_limit(*rc::gen::element<std::size_t>(0, 100000, 400000)); }

  void check() {
    RC_ASSERT(pool_.validate() == "");
    std::map<std::uint64_t, std::size_t> taken;
    std::size_t in_use = 0;
    for (const Slice* slice : live_) {
      in_use += slice->reserved;
      if (slice->reserved != 0) {
        RC_ASSERT(taken.emplace(slice->address, slice->reserved).second);
      }
    }
    std::uint64_t end = 0;
    for (const auto& [address, bytes] : taken) {
      RC_ASSERT(address >= end);
      end = address + bytes;
      const auto block = std::prev(memory_.blocks.upper_bound(address));
      RC_ASSERT(end <= block->first + block->second.bytes);
    }
    const core::PoolStats stats = pool_.stats();
    RC_ASSERT(stats.in_use == in_use);
    RC_ASSERT(stats.live_slices == live_.size());
    RC_ASSERT(stats.reserved == memory_.bytes);
    RC_ASSERT(stats.provider_allocations == memory_.calls);
    RC_ASSERT(stats.provider_releases == memory_.releases);
    RC_ASSERT(phase_ != Phase::kIdle || stats.armed == 0U);
  }

  StreamPool& pool_;
  Memory& memory_;
  Phase phase_ = Phase::kIdle;
  unsigned origin_ = 0;
  std::uint64_t arming_ = 0;
  std::vector<Slice*> live_;
  std::vector<Freed> freed_;
  std::map<std::uint32_t, std::uint32_t> generations_;
};

TEST_CASE("no sequence makes two slices overlap, reuses memory unjoined, or asks in a window",
          "[stream_pool][model]") {
  CHECK(rc::check("the pool agrees with the model", [] {
    Memory memory(*rc::gen::element(MemoryKind::kDevice, MemoryKind::kPinned));
    memory.alignment = 256;
    memory.capacity = *rc::gen::element<std::size_t>(200000, 500000, ~std::size_t{0});
    memory.fail_at = *rc::gen::inRange<std::uint64_t>(0, 20);
    auto pool = make_pool(memory, 65536);
    Model model(*pool, memory);
    const auto steps = *rc::gen::inRange(1, 400);
    for (int step = 0; step < steps; ++step) {
      model.step();
    }
    model.finish();
  }));
}

}  // namespace
}  // namespace oriel::alloc
