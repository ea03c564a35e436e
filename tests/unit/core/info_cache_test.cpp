#include "support/catch.hpp"

#include <oriel/core/info_cache.hpp>

#include <string>

using namespace oriel;
using namespace oriel::core;

namespace {

/// Counts what comes home.
struct Home final : SliceHome {
  int reclaimed = 0;
  void reclaim(Slice&) noexcept override { ++reclaimed; }
};

struct Held {
  Home home;
  Slice slice;
  Held() { slice.home = &home; }
  SliceRef ref() { return SliceRef(slice); }
};

}  // namespace

TEST_CASE("the same bytes find the same entry, other bytes none") {
  Held held;
  InfoCache cache;
  CHECK(cache.find("abc") == nullptr);
  cache.insert("abc", held.ref(), 2);
  REQUIRE(cache.find("abc") != nullptr);
  CHECK(cache.find("abc")->slice.get() == &held.slice);
  CHECK(cache.find("abc")->lane == 2);
  CHECK(cache.find("abd") == nullptr);
  cache.settle();
  CHECK(cache.find("abc")->lane == InfoCache::kNoLane);
}

TEST_CASE("outside windows the least recently used entry makes room, and large data is not kept") {
  Held held;
  InfoCache cache;
  for (std::size_t i = 0; i < InfoCache::kMostEntries; ++i) {
    cache.insert("entry " + std::to_string(i), held.ref(), 0);
  }
  CHECK(cache.find("entry 0") != nullptr);  // used just now
  cache.insert("one more", held.ref(), 0);
  CHECK(cache.size() == InfoCache::kMostEntries);
  CHECK(cache.find("entry 0") != nullptr);
  CHECK(cache.find("entry 1") == nullptr);
  cache.insert(std::string(InfoCache::kMostBytes + 1, 'x'), held.ref(), 0);
  CHECK(cache.size() == InfoCache::kMostEntries);
}

TEST_CASE("from prepare to close everything is kept") {
  Held held;
  InfoCache cache;
  cache.keep_all(true);
  const std::string large(InfoCache::kMostBytes + 1, 'x');
  cache.insert(large, held.ref(), 0);
  for (std::size_t i = 0; i < InfoCache::kMostEntries; ++i) {
    cache.insert("entry " + std::to_string(i), held.ref(), 0);
  }
  CHECK(cache.size() == InfoCache::kMostEntries + 1);
  CHECK(cache.find("entry 0") != nullptr);
  cache.keep_all(false);
  CHECK(cache.size() == InfoCache::kMostEntries);
}

TEST_CASE("what a window records is seen by its own lane only, and forgotten when it closes") {
  Held held;
  InfoCache cache;
  cache.insert_local("abc", held.ref(), 1);
  CHECK(cache.find("abc") == nullptr);
  CHECK(cache.find_local("abc", 1));
  CHECK_FALSE(cache.find_local("abc", 2));
  cache.close_window();
  CHECK_FALSE(cache.find_local("abc", 1));
  CHECK(held.home.reclaimed == 1);
}

TEST_CASE("clearing lets go of every entry") {
  Held held;
  {
    InfoCache cache;
    cache.insert("abc", held.ref(), 0);
    cache.clear();
    CHECK(cache.size() == 0);
    CHECK(held.slice.references == 0);
  }
  CHECK(held.home.reclaimed == 1);
}
