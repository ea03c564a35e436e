// Stable storage of slices: what a handle of index and generation may rely on.
#include "support/catch.hpp"

#include <oriel/alloc/slice_table.hpp>

#include <set>

namespace oriel::alloc {
namespace {

TEST_CASE("a slice keeps its address and index while the table grows", "[slice_table]") {
  SliceTable table(MemoryKind::kPinned);
  Entry& first = table.acquire();
  const std::uint32_t index = first.index;
  std::set<std::uint32_t> seen{index};
  for (int i = 0; i < 1000; ++i) {
    Entry& entry = table.acquire();
    CHECK(seen.insert(entry.index).second);
    CHECK(entry.kind == MemoryKind::kPinned);
  }
  CHECK(first.index == index);
  CHECK(&table.at(index) == &first);
}

TEST_CASE("a recycled entry comes back with its index and generation", "[slice_table]") {
  SliceTable table(MemoryKind::kDevice);
  Entry& entry = table.acquire();
  entry.generation = 7;
  const std::uint32_t index = entry.index;
  table.recycle(entry);
  Entry& again = table.acquire();
  CHECK(&again == &entry);
  CHECK(again.index == index);
  CHECK(again.generation == 7);
}

}  // namespace
}  // namespace oriel::alloc
