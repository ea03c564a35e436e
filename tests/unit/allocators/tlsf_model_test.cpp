// Random sequences on a TLSF, against a map of intervals that knows what is handed out.
#include "support/catch.hpp"

#include <oriel/alloc/tlsf.hpp>

#include <map>
#include <vector>

#include <rapidcheck.h>

namespace oriel::alloc {
namespace {

struct Range {
  std::uint64_t address;
  std::uint64_t bytes;
};

/// Which bytes are handed out, and which blocks they are.
class Oracle {
 public:
  explicit Oracle(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  void taken(const Tlsf& tlsf, Tlsf::Handle block, std::uint64_t bytes, std::uint64_t grain) {
    const std::uint64_t address = tlsf.address(block);
    RC_ASSERT(tlsf.size(block) == bytes);
    RC_ASSERT(address % grain == 0U);
    const Range& range = ranges_.at(tlsf.tag(block));
    RC_ASSERT(address >= range.address);
    RC_ASSERT(address - range.address <= range.bytes - bytes);
    const auto after = used_.lower_bound(address);
    RC_ASSERT(after == used_.end() || after->first - address >= bytes);
    if (after != used_.begin()) {
      const auto before = std::prev(after);
      RC_ASSERT(address - before->first >= before->second.bytes);
    }
    used_.emplace(address, Used{bytes, block});
    used_bytes_ += bytes;
  }

  /// Forgets the i-th block by address, and names it.
  Tlsf::Handle release(std::size_t i) {
    const auto at = std::next(used_.begin(), static_cast<std::ptrdiff_t>(i));
    const Tlsf::Handle block = at->second.block;
    used_bytes_ -= at->second.bytes;
    used_.erase(at);
    return block;
  }

  /// The longest stretch that nobody has.
  [[nodiscard]] std::uint64_t longest_hole() const {
    std::uint64_t longest = 0;
    for (const Range& range : ranges_) {
      std::uint64_t from = range.address;
      for (auto at = used_.lower_bound(range.address);
           at != used_.end() && at->first - range.address < range.bytes;
           ++at) {
        longest = std::max(longest, at->first - from);
        from = at->first + at->second.bytes;
      }
      longest = std::max(longest, range.address + range.bytes - from);
    }
    return longest;
  }

  [[nodiscard]] std::size_t count() const { return used_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return used_bytes_; }

 private:
  struct Used {
    std::uint64_t bytes;
    Tlsf::Handle block;
  };
  std::vector<Range> ranges_;
  std::map<std::uint64_t, Used> used_;
  std::uint64_t used_bytes_ = 0;
};

std::uint64_t any_size(std::uint64_t grain) {
  const auto grains =
      *rc::gen::weightedOneOf<std::uint64_t>({{4, rc::gen::inRange<std::uint64_t>(1, 64)},
                                              {2, rc::gen::inRange<std::uint64_t>(1, 5000)},
                                              {1, rc::gen::inRange<std::uint64_t>(1, 70000)}});
  return grains * grain;
}

void try_allocate(Tlsf& tlsf, Oracle& oracle, std::uint64_t grain) {
  const std::uint64_t bytes = any_size(grain);
  const Tlsf::Handle block = tlsf.allocate(bytes);
  if (block != Tlsf::kNone) {
    oracle.taken(tlsf, block, bytes, grain);
    return;
  }
  // A hole of a higher class always fits, and a class spans at most 1/32 of its sizes.
  RC_ASSERT(oracle.longest_hole() < bytes + bytes / 32 + grain);
}

TEST_CASE("whatever is taken and freed, no two blocks overlap and all of it comes back",
          "[tlsf][model]") {
  CHECK(rc::check("TLSF agrees with the interval map", [] {
    const auto grain = *rc::gen::element<std::uint64_t>(1, 64, 256);
    const std::vector<Range> ranges{{grain * 1000, grain * 65536}, {grain << 40, grain * 777}};
    Tlsf tlsf(grain);
    for (std::uint32_t tag = 0; tag < ranges.size(); ++tag) {
      tlsf.add_range(ranges[tag].address, ranges[tag].bytes, tag);
    }
    Oracle oracle(ranges);
    const auto steps = *rc::gen::inRange(1, 300);
    for (int step = 0; step < steps; ++step) {
      if (oracle.count() == 0 || *rc::gen::inRange(0, 5) < 3) {
        try_allocate(tlsf, oracle, grain);
      } else {
        tlsf.free(oracle.release(*rc::gen::inRange<std::size_t>(0, oracle.count())));
      }
      RC_ASSERT(tlsf.validate() == "");
      RC_ASSERT(tlsf.used_blocks() == oracle.count());
      RC_ASSERT(tlsf.used_bytes() == oracle.bytes());
    }
    while (oracle.count() != 0) {
      tlsf.free(oracle.release(*rc::gen::inRange<std::size_t>(0, oracle.count())));
    }
    RC_ASSERT(tlsf.free_blocks() == ranges.size());
    RC_ASSERT(tlsf.validate() == "");
  }));
}

}  // namespace
}  // namespace oriel::alloc
